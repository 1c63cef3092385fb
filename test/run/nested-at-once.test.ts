// Calls that call and run beside each other, agents among them, under policies that go by what others did: the ledger and
// the results are those of a serial run, whoever goes on when.
//
// A failure prints its seed and path. `{ seed, path }` passed to `fc.assert` shows it again.

import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { atOnceRuns, heldRun, type Way } from "../support/at-once-runs.js";
import { SOAK } from "../support/property-seed.js";
import { ClassCount } from "../support/wave-classes.js";

/** How many random runs, each gone through three times beside the serial one. A hundred take four seconds. */
const RUNS = 160 * SOAK;

/** Ways through runs that met each trouble below which the property proves too little of it. */
const LEAST: Readonly<Record<string, number>> = {
	"makers at once": 80,
	"makers at once, deep": 12,
	"made beside an open one": 200,
	"budget refuses": 150,
	"taint refuses": 9,
	"memo answers": 9,
	"stopped by an error": 9,
};

const count = new ClassCount();

const ways: fc.Arbitrary<Omit<Way, "picks">> = fc.record({
	schedule: fc.constantFrom("serial", "leading-reads", "barriers", "barriers"),
	maxParallelToolCalls: fc.constantFrom(1, 2, 3, 10, 10),
	ahead: fc.constantFrom("any" as const, false as const),
});

describe("Law 4: calls that call and run at once", () => {
	it(
		"leave the lines and the results of a serial run, whatever settles when",
		async () => {
			const same = fc.asyncProperty(atOnceRuns, fc.array(ways, { minLength: 2, maxLength: 2 }), async (run, others) => {
				const { picks } = run;
				const serial = await heldRun(run, { schedule: "serial", ahead: false, picks: [0] });
				for (const way of [{ schedule: "barriers" } as const, ...others]) {
					const { reading, met } = await heldRun(run, { ...way, picks });
					count.add(met);
					expect(reading).toEqual(serial.reading);
				}
			});
			await fc.assert(same, { numRuns: RUNS });
			expect(count.rarer(LEAST)).toEqual([]);
		},
		120_000 * SOAK,
	);
});

afterAll(() => {
	process.stdout.write(`\nWhat ${3 * RUNS} ways through runs of nested calls met:\n${count.table()}\n`);
});
