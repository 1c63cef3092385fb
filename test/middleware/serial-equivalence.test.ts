// Law 4 and law 12 with middleware: whatever it does to the calls of a wave, the ledger and the results are those of a
// serial run, and nothing runs beside a call that it made one that is not safe.
//
// A failure prints its seed and path. `{ seed, path }` passed to `fc.assert` shows it again.

import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import {
	type MiddlewareCase,
	middlewareCases,
	wrappedInEngine,
	wrappedInReference,
} from "../support/middleware-cases.js";
import type { StandingTools } from "../support/middleware-kit.js";
import type { Reading } from "../support/reading.js";
import { ClassCount } from "../support/wave-classes.js";

const WAVES = 2_500;

const count = new ClassCount();

/** Cases of each class below which the property proves too little of it. */
const LEAST: Readonly<Record<string, number>> = {
	"ran as another form": 1200,
	"a safe call made unsafe, in a pool": 200,
	"several such in one wave": 50,
	"an attempt again": 600,
	"ran several at once": 250,
	"ran ahead": 45,
	"outcome: a value": 1200,
	"outcome: INVALID_ARGUMENTS": 180,
	"outcome: POLICY_FAILED": 300,
	"outcome: DENIED": 280,
	"outcome: STOPPED_BY_ERROR": 400,
	"outcome: TOOL_FAILED": 900,
};

function classesOf(wave: MiddlewareCase, expected: Reading, seen: StandingTools): Set<string> {
	const found = new Set<string>();
	const add = (name: string, held: boolean): void => void (held && found.add(name));
	for (const { outcome } of expected.results) found.add(`outcome: ${outcome.error?.code ?? "a value"}`);
	const pooled = wave.schedule === "barriers" && wave.maxParallelToolCalls > 1;
	const wasSafe = (n: number): boolean => {
		const { safe, effect } = (wave.calls[n]?.args ?? {}) as { safe?: boolean; effect?: string };
		return safe ?? effect === "read";
	};
	const made = new Set(seen.began.filter((one) => one.endsWith("alone")).map((one) => Number.parseInt(one, 10)));
	const turned = [...made].filter(wasSafe).length;
	add(
		"ran as another form",
		expected.lines.some((line) => line.includes('"ranAs"')),
	);
	add("a safe call made unsafe, in a pool", pooled && turned > 0);
	add("several such in one wave", pooled && turned > 1);
	const numbers = seen.began.map((one) => Number.parseInt(one, 10));
	add("an attempt again", new Set(numbers).size < numbers.length);
	add("ran several at once", seen.mostAtOnce > 1);
	add("ran ahead", wave.offered && wave.layers.every(({ observesOnly }) => observesOnly));
	return found;
}

const alone = ({ began }: StandingTools): string[] => began.filter((one) => one.endsWith("alone"));
const changing = ({ began }: StandingTools): string[] => began.filter((one) => one.includes(" as ")).sort();

describe("Law 12: middleware leaves a wave that is that of a serial run", () => {
	it("whatever it does to which call, under every schedule, cap and settle order", async () => {
		const same = fc.asyncProperty(middlewareCases, async (wave) => {
			const expected = await wrappedInReference(wave);
			const { reading, seen, left } = await wrappedInEngine(wave);
			count.add(classesOf(wave, expected.reading, seen));
			expect(reading).toEqual(expected.reading);
			expect(seen.faults).toEqual([]);
			expect(alone(seen)).toEqual(alone(expected.seen));
			expect(changing(seen)).toEqual(changing(expected.seen));
			expect(seen.mostAtOnce).toBeLessThanOrEqual(wave.schedule === "serial" ? 1 : wave.maxParallelToolCalls);
			expect(left).toBe(0);
		});
		await fc.assert(same, { numRuns: WAVES });
	}, 240_000);

	it("and the cases hold enough of every class to prove it", () => {
		expect(count.rarer(LEAST)).toEqual([]);
	});
});

afterAll(() => {
	process.stdout.write(`\n${WAVES} waves with middleware compared with the serial reference:\n${count.table()}\n`);
});
