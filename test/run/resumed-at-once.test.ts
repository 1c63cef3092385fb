// A run whose calls call beside each other, and pause, goes on in the same engine, in another, and after a crash: its lines
// and its results are those of the run that nobody broke.
//
// A failure prints its seed and path. `{ seed, path }` passed to `fc.assert` shows it again.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { askingAtOnce, askingInTurn } from "../support/at-once-runs.js";
import { recordsOf } from "../support/crash-kit.js";
import { crashed, paused, unbroken } from "../support/nesting-engine.js";
import type { NestingRun } from "../support/nesting-runs.js";
import { SOAK } from "../support/property-seed.js";

const RUNS = 60 * SOAK;

describe("Law 4: a run whose calls call at once, and that pauses or crashes, reads as an unbroken one", () => {
	it(
		"in the same engine, whatever they make at once",
		async () => {
			let pauses = 0;
			const same = fc.asyncProperty(askingAtOnce, async (run) => {
				const whole = await unbroken(run);
				const here = await paused(run, () => false);
				expect(here.reading).toEqual(whole);
				pauses += here.pauses;
			});
			await fc.assert(same, { numRuns: RUNS });
			expect(pauses).toBeGreaterThan(RUNS);
		},
		120_000 * SOAK,
	);

	it(
		"in other engines, where tools make their calls in turn and agents as they like",
		async () => {
			let pauses = 0;
			const same = fc.asyncProperty(askingInTurn, async (run) => {
				const whole = await unbroken(run);
				const there = await paused(run, () => true);
				expect(there.reading).toEqual(whole);
				expect((await paused(run, (pick) => pick % 2 === 0)).reading).toEqual(whole);
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
			// Of safe writes the intents are durable before the first of them acts: a crash leaves one that a failure then stops as
			// one that may have acted.
			const runs = askingInTurn.map((run) => ({ ...run, stopOnError: false }));
			const same = fc.asyncProperty(runs, async (run) => {
				const whole = await unbroken(run);
				const { ledger } = await paused(run, (pick) => pick % 2 === 0);
				expect(await crashed(run, ledger)).toEqual(whole);
			});
			await fc.assert(same, { numRuns: RUNS });
		},
		120_000 * SOAK,
	);

	const look = { name: "look", n: 0 };
	// Kept from seeds of the properties.
	const found: readonly (readonly [string, Partial<NestingRun>])[] = [
		[
			"nobody is told of a call of an agent that it is not offered",
			{
				replies: [
					[
						{
							name: "crew",
							n: 0,
							replies: [[{ name: "ask", n: 0 }, { name: "crew", n: 0, replies: [[look]] }, look], [look]],
						},
					],
				],
				policies: ["memory witness"],
			},
		],
		[
			"a read that ran and was stopped by a call before it has brought nothing",
			{
				replies: [
					[
						{ name: "fail", n: 0 },
						{ name: "page", n: 0 },
					],
					[{ name: "ask", n: 0 }],
					[{ name: "put", n: 0 }],
				],
				policies: ["memory witness", "taint"],
				stopOnError: true,
			},
		],
		[
			"nor have the calls that such a one made",
			{
				replies: [
					[
						{ name: "fail", n: 0 },
						{ name: "reader", n: 0, replies: [[{ name: "page", n: 0 }]] },
					],
					[{ name: "ask", n: 0 }],
					[{ name: "put", n: 0 }],
				],
				policies: ["memory witness", "taint"],
				stopOnError: true,
			},
		],
	];

	it.each(found)("and so that %s", async (_what, part) => {
		const run: NestingRun = {
			replies: [],
			policies: ["memory witness"],
			calls: 9,
			stopOnError: false,
			picks: [0],
			cut: 0,
			...part,
		};
		const whole = await unbroken(run);
		const { ledger, reading } = await paused(run, () => true);
		expect(reading).toEqual(whole);
		const records = (await recordsOf(ledger)).length;
		for (let cut = 0; cut < records; cut += 1) expect(await crashed({ ...run, cut }, ledger)).toEqual(whole);
	});
});
