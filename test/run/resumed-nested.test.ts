// A run whose calls call, and pause, goes on in the same engine, in another, and after a crash: its lines and its results
// are those of the run that nobody broke.
//
// A failure prints its seed and path. `{ seed, path }` passed to `fc.assert` shows it again.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { recordsOf } from "../support/crash-kit.js";
import { crashed, paused, unbroken } from "../support/nesting-engine.js";
import { type NestingRun, nestingRuns } from "../support/nesting-runs.js";
import { SOAK } from "../support/property-seed.js";

const RUNS = 40 * SOAK;

describe("Law 4: a run with nested calls that pauses or crashes reads as an unbroken one", () => {
	it(
		"to its lines and its results, whatever its policies remember, in the same engine and in others",
		async () => {
			let pauses = 0;
			const same = fc.asyncProperty(nestingRuns, async (run) => {
				const whole = await unbroken(run);
				const here = await paused(run, () => false);
				expect(here.reading).toEqual(whole);
				const there = await paused(run, () => true);
				expect(there.reading).toEqual(whole);
				const mixed = await paused(run, (pick) => pick % 2 === 0);
				expect(mixed.reading).toEqual(whole);
				pauses += there.pauses;
			});
			await fc.assert(same, { numRuns: RUNS });
			expect(pauses).toBeGreaterThan(RUNS);
		},
		120_000 * SOAK,
	);

	it(
		"and after a crash behind any of its records",
		async () => {
			const same = fc.asyncProperty(nestingRuns, async (run) => {
				const whole = await unbroken(run);
				const { ledger } = await paused(run, (pick) => pick % 2 === 0);
				expect(await crashed(run, ledger)).toEqual(whole);
			});
			await fc.assert(same, { numRuns: RUNS });
		},
		120_000 * SOAK,
	);

	// Kept from seeds of the property.
	const found: readonly (readonly [string, Partial<NestingRun>])[] = [
		[
			"all of a segment that a failure stopped was admitted",
			{
				replies: [
					[
						{ name: "fail", n: 0 },
						{ name: "look", n: 0 },
					],
					[{ name: "look", n: 1 }],
				],
				stopOnError: true,
			},
		],
		[
			"nothing behind the segment that a failure stopped was admitted",
			{
				replies: [
					[
						{ name: "missing", n: 0 },
						{ name: "nest", n: 0, does: [[{ name: "look", n: 0 }]] },
					],
					[{ name: "gated", n: 0 }],
				],
				stopOnError: true,
				picks: [7, 0],
			},
		],
		[
			"what accounting has made of an answer is not made of it again",
			{ replies: [[{ name: "look", n: 0 }], [{ name: "look", n: 0 }]], policies: ["memo", "witness"], calls: 2 },
		],
		[
			"what an earlier step brought in is not noted at a later call of its place",
			{
				replies: [
					[
						{ name: "agent", n: 0, replies: [[{ name: "look", n: 0 }]] },
						{ name: "page", n: 0 },
					],
					[{ name: "look", n: 0 }],
					[
						{ name: "gated", n: 0 },
						{ name: "page", n: 0 },
					],
				],
				policies: ["taint", "witness"],
				calls: 2,
				stopOnError: true,
			},
		],
		[
			"a call that was declined in an agent's wave parts no segments",
			{
				replies: [
					[
						{
							name: "agent",
							n: 0,
							replies: [
								[
									{ name: "look", n: 0 },
									{ name: "gated", n: 2 },
								],
							],
						},
					],
					[{ name: "look", n: 1 }],
				],
			},
		],
	];

	it.each(found)("and so that %s", async (_what, part) => {
		const run: NestingRun = {
			replies: [],
			policies: ["witness"],
			calls: 9,
			stopOnError: false,
			picks: [0],
			cut: 0,
			...part,
		};
		const whole = await unbroken(run);
		const { ledger } = await paused(run, () => true);
		const records = (await recordsOf(ledger)).length;
		for (let cut = 0; cut < records; cut += 1) expect(await crashed({ ...run, cut }, ledger)).toEqual(whole);
	});
});
