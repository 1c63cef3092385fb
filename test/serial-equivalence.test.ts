// Serial equivalence
//
// The whole promise in one property: whatever is called, whatever fails, whoever stops it, however it is scheduled and
// in whatever order things settle, the ledger and the results are what a serial run would have written. The serial run
// is a second implementation that shares no stage with the engine.
//
// A failure prints its seed and path. `{ seed, path }` passed to `fc.assert` shows it again.

import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { faceCases, readFace, readFaceReference } from "./support/face-driver.js";
import { waveCases } from "./support/wave-arbitrary.js";
import { ClassCount, classesOf } from "./support/wave-classes.js";
import { readEngine, readReference } from "./support/wave-driver.js";

const WAVES = 8_000;
const FACE_WAVES = 2_000;

const count = new ClassCount();

/** Cases of each class below which the property proves too little of it. */
const LEAST: Readonly<Record<string, number>> = {};

describe("Law 4: the ledger and the results are those of a serial run", () => {
	it("for waves of tools and policies, under every schedule, cap, settle order and early start", async () => {
		const same = fc.asyncProperty(waveCases, async (wave) => {
			const expected = await readReference(wave);
			const { reading, watch } = await readEngine(wave);
			count.add(classesOf(wave, expected, watch));
			expect(reading).toEqual(expected);
			expect(watch.fault).toBeUndefined();
		});
		await fc.assert(same, { numRuns: WAVES });
	}, 240_000);

	it("for waves on a host's own face that resolves, answers and throws", async () => {
		const same = fc.asyncProperty(faceCases, async (wave) => {
			const expected = await readFaceReference(wave);
			const { reading, watch } = await readFace(wave);
			count.add(classesOf(wave, expected, watch));
			expect(reading).toEqual(expected);
			expect(watch.fault).toBeUndefined();
		});
		await fc.assert(same, { numRuns: FACE_WAVES });
	}, 120_000);

	it("and the cases hold enough of every class to prove it", () => {
		expect(count.rarer(LEAST)).toEqual([]);
	});
});

afterAll(() => {
	const { seed } = fc.readConfigureGlobal();
	const of = seed === undefined ? "a seed of this run" : `seed ${seed}`;
	process.stdout.write(`\n${WAVES + FACE_WAVES} waves compared with the serial reference (${of}):\n${count.table()}\n`);
});
