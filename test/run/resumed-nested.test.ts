// A run whose calls call, and pause, goes on in the same engine, in another, and after a crash: its lines and its results
// are those of the run that nobody broke.
//
// A failure prints its seed and path. `{ seed, path }` passed to `fc.assert` shows it again.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	createEngine,
	type Engine,
	type Ledger,
	type Message,
	memoryLedger,
	type RunCheckpoint,
	type RunResult,
	recover,
} from "../../engine/index.js";
import { cutAt, linesIn, recordsOf } from "../support/crash-kit.js";
import { short } from "../support/law-kit.js";
import {
	modelIn,
	type NestingRun,
	nestingPolicies,
	nestingRuns,
	nestingTools,
	saidTo,
} from "../support/nesting-runs.js";
import { lasting } from "../support/pause-kit.js";

const RUNS = 40;

interface Reading {
	readonly status: string;
	readonly outcomes: readonly string[];
	readonly lines: readonly string[];
}

function newEngine(run: NestingRun, ledger: Ledger, rest: object = {}): Engine {
	return createEngine({
		tools: nestingTools(),
		policies: nestingPolicies(run),
		ledger: lasting(ledger),
		...(run.stopOnError && { onError: "stop" }),
		...rest,
	});
}

function outcomes(messages: readonly Message[]): string[] {
	return messages.map((message) => (message.role === "tool" ? short(message.outcome) : JSON.stringify(message)));
}

async function readingOf({ status, messages }: RunResult, ledger: Ledger): Promise<Reading> {
	return { status, outcomes: outcomes(messages), lines: await linesIn(ledger) };
}

async function unbroken(run: NestingRun): Promise<Reading> {
	const ledger = memoryLedger();
	const engine = newEngine(run, ledger, { asker: saidTo });
	const result = await engine.run({ model: modelIn(run), input: "x", runId: "r" });
	await engine.close();
	return readingOf(result, ledger);
}

interface GoingOn {
	readonly engine: Engine;
	readonly result: RunResult;
	readonly isNewEngine: (pause: number) => boolean;
}

/** Goes on from each pause, through text, until the run has ended. */
async function toItsEnd(run: NestingRun, ledger: Ledger, { engine: first, result: paused, isNewEngine }: GoingOn) {
	let engine = first;
	let result = paused;
	let pauses = 0;
	for (; result.status === "paused"; pauses += 1) {
		if (pauses > 100) throw new Error("the run never ends");
		const checkpoint = JSON.parse(JSON.stringify(result.checkpoint)) as RunCheckpoint;
		const { questions } = checkpoint;
		const pick = run.picks[pauses % run.picks.length] ?? 0;
		const some = questions.filter((_one, place) => ((pick >> place) & 1) === 0);
		const answering = some.length === 0 && pauses % 2 === 1 ? questions : some;
		const answers = Object.fromEntries(answering.map((one) => [one.id, saidTo(one)]));
		if (isNewEngine(pick)) {
			await engine.close();
			engine = newEngine(run, ledger);
		}
		result = await engine.resume(checkpoint, { model: modelIn(run), answers });
	}
	await engine.close();
	return { reading: await readingOf(result, ledger), pauses };
}

async function paused(run: NestingRun, isNewEngine: GoingOn["isNewEngine"]) {
	const ledger = memoryLedger();
	const engine = newEngine(run, ledger);
	const result = await engine.run({ model: modelIn(run), input: "x", runId: "r" });
	return { ledger, ...(await toItsEnd(run, ledger, { engine, result, isNewEngine })) };
}

async function crashed(run: NestingRun, whole: Ledger): Promise<Reading> {
	const records = (await recordsOf(whole)).length;
	const ledger = await cutAt(whole, 1 + (run.cut % records));
	const engine = newEngine(run, ledger);
	const checkpoint = JSON.parse(JSON.stringify(await recover(ledger, "r"))) as RunCheckpoint;
	const answers = Object.fromEntries(checkpoint.questions.map((one) => [one.id, saidTo(one)]));
	const result = await engine.resume(checkpoint, { model: modelIn(run), answers });
	const ended = await toItsEnd(run, ledger, { engine, result, isNewEngine: () => true });
	return ended.reading;
}

describe("Law 4: a run with nested calls that pauses or crashes reads as an unbroken one", () => {
	it("to its lines and its results, whatever its policies remember, in the same engine and in others", async () => {
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
	}, 120_000);

	it("and after a crash behind any of its records", async () => {
		const same = fc.asyncProperty(nestingRuns, async (run) => {
			const whole = await unbroken(run);
			const { ledger } = await paused(run, (pick) => pick % 2 === 0);
			expect(await crashed(run, ledger)).toEqual(whole);
		});
		await fc.assert(same, { numRuns: RUNS });
	}, 120_000);

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
						{ name: "nest", n: 0, does: [{ name: "look", n: 0 }] },
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
