// Serial equivalence on real threads
//
// The share of the property whose tools run on worker threads: no promise is held by hand here, the threads settle as
// they do, and the ledger and the results are still those of a serial run in the test's own thread.

import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { THREADS_LENT_MAX } from "../../engine/core/limits.js";
import { createEngine, memoryLedger, onThread, type Tool, type ToolCall, tool } from "../../engine/index.js";
import type { EntryDraft } from "../../engine/ledger/entry.js";
import { threadTools } from "../support/build-workers.js";
import { type Reading, readingOf } from "../support/reading.js";
import { runSerially, serialPolicyFace } from "../support/serial-reference.js";
import { play, type ThreadPlay } from "../support/thread-tools/equivalence-tools.js";

const WAVES = 300;

const HOW_TOOLS_STAND = {
	crunch: { effect: "read" },
	inspect: { effect: "read", isConcurrencySafe: false },
	store: { effect: "write" },
	stamp: { effect: "write", isConcurrencySafe: true },
	nearby: { effect: "read" },
} as const;

type Name = keyof typeof HOW_TOOLS_STAND;
const NAMES = Object.keys(HOW_TOOLS_STAND) as Name[];

const parameters = z.object({
	n: z.number(),
	rounds: z.number(),
	does: z.custom<ThreadPlay["does"]>((value) => typeof value === "string"),
});

/** The five tools: on threads, `nearby` excepted, or all in this thread. */
function toolsThat(run: "on threads" | "here"): Tool[] {
	return NAMES.map((name) => {
		const stands = HOW_TOOLS_STAND[name];
		if (run === "here" || name === "nearby")
			return tool({ ...stands, name, parameters, execute: (args) => play(args) });
		return tool({ ...stands, name, parameters, execute: onThread(threadTools("equivalence-tools"), "play") });
	});
}

const plays = fc.record({
	name: fc.constantFrom(...NAMES, "crunch", "crunch", "missing"),
	rounds: fc.nat(60_000),
	does: fc.oneof(
		{ weight: 6, arbitrary: fc.constant<ThreadPlay["does"]>("answers") },
		{
			weight: 4,
			arbitrary: fc.constantFrom<ThreadPlay["does"]>(
				"answers nothing",
				"answers bytes",
				"answers no data",
				"throws",
				"throws text",
				"rejects",
			),
		},
	),
});

const cases = fc.record({
	plays: fc.array(plays, { minLength: 1, maxLength: 10 }),
	schedule: fc.constantFrom("serial", "leading-reads", "barriers"),
	maxParallelToolCalls: fc.integer({ min: 1, max: 5 }),
	onError: fc.oneof({ weight: 4, arbitrary: fc.constant("continue" as const) }, fc.constant("stop" as const)),
	offered: fc.boolean(),
});

type Case = typeof cases extends fc.Arbitrary<infer Value> ? Value : never;

const ledger = memoryLedger();
const engine = createEngine({ tools: toolsThat("on threads"), ledger, threads: { max: 2 } });
const seen = { outOfOrder: 0, ahead: 0, threads: 0 };
const settledOrder: number[] = [];
engine.subscribe((event) => {
	if (event.kind === "call_settled") settledOrder.push(event.index);
	if (event.kind === "thread_started") seen.threads = Math.max(seen.threads, event.threads);
});

afterAll(async () => {
	await engine.close();
	process.stdout.write(`\n${WAVES} waves on threads compared with the serial reference: ${JSON.stringify(seen)}\n`);
});

function callsOf({ plays: played }: Case): ToolCall[] {
	return played.map(({ name, ...args }, n) => ({ id: `call-${n}`, name, args: { n, ...args } }));
}

async function readEngine(wave: Case, before: number): Promise<Reading> {
	const { schedule, maxParallelToolCalls, onError, offered } = wave;
	const options = { schedule, maxParallelToolCalls, onError };
	const calls = callsOf(wave);
	settledOrder.length = 0;
	const step = offered ? engine.openStep(options) : undefined;
	for (const call of calls) step?.offer(call);
	const result = await (step === undefined ? engine.executeWave(calls, options) : step.settle());
	seen.outOfOrder += Number(settledOrder.some((index, place) => index < (settledOrder[place - 1] ?? 0)));
	seen.ahead += Number(result.results.some(({ ahead }) => ahead));
	return readingOf({ ...result, entries: (await entries()).slice(before) });
}

async function entries(): Promise<EntryDraft[]> {
	const all: EntryDraft[] = [];
	for await (const entry of ledger.entries()) all.push(entry);
	return all;
}

describe("Law 4: the ledger and the results are those of a serial run", () => {
	it("for waves whose tools run on worker threads", async () => {
		const same = fc.asyncProperty(cases, async (wave) => {
			const face = serialPolicyFace(toolsThat("here"), []);
			const expected = readingOf(await runSerially({ calls: callsOf(wave), face, onError: wave.onError }));
			const before = (await entries()).length;
			expect(await readEngine(wave, before)).toEqual(expected);
		});
		await fc.assert(same, { numRuns: WAVES });
		expect(seen.outOfOrder).toBeGreaterThan(WAVES / 20);
		expect(seen.ahead).toBeGreaterThan(WAVES / 20);
		// Both threads had work. An early start lends its own to admitted calls, so for a while there may be more.
		expect(seen.threads).toBeGreaterThanOrEqual(2);
		expect(seen.threads).toBeLessThanOrEqual(2 + THREADS_LENT_MAX);
	}, 120_000);
});
