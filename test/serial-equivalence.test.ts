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
const LEAST: Readonly<Record<string, number>> = {
	"schedule: serial": 2000,
	"schedule: leading-reads": 2000,
	"schedule: barriers": 2000,
	"cap: 1": 1000,
	"cap: 5": 1000,
	"effect: read": 5000,
	"effect: write": 3000,
	"effect: egress": 700,
	"effect: spawn": 200,
	"call: safe write": 1500,
	"call: unsafe read": 1500,
	"call: through another": 1000,
	"outcome: a value": 4000,
	"outcome: TOOL_FAILED": 1500,
	"outcome: INVALID_ARGUMENTS": 1500,
	"outcome: DENIED": 1200,
	"outcome: UNKNOWN_TOOL": 600,
	"outcome: POLICY_FAILED": 500,
	"outcome: NOT_CLONEABLE": 500,
	"outcome: STOPPED_BY_ERROR": 500,
	"outcome: ABORTED_BEFORE_DISPATCH": 500,
	"outcome: RESPONSE_INCOMPLETE": 250,
	"repeat of an earlier call": 1000,
	"refused by a count": 800,
	"refused by taint": 40,
	"answered by a policy": 600,
	"rewritten at accounting": 150,
	"policies that wait": 1500,
	steer: 800,
	cancel: 450,
	"stop on error": 450,
	"settled out of call order": 800,
	"ran several at once": 700,
	"ran ahead": 900,
	"reply: settle the reply": 900,
	"reply: settle what was offered": 300,
	"reply: length": 150,
	"reply: filtered": 130,
	"reply: failed": 150,
	"reply: restarted": 150,
	"reply: cancelled": 150,
};

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
