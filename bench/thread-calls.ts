// Thread calls
//
// What a call on a worker thread costs over a bare pool with the same threads and one task a thread, for calls that do
// nothing and for calls that burn CPU; and what the host's event loop feels of the latter.
//
// Owns:      the calls and the rows.
// Does not:  measure how values cross (thread-values.ts), or make the bare pool (bare-pool.ts).

import { createEngine, onThread, tool } from "wavetrain";
import { z } from "zod";
import { bare, barePool, repeated, THREADS, threadWorkUrl } from "./bare-pool.js";
import { inTurns, loopDelayMs, type Row, type Subject } from "./harness.js";

const nothing = tool({
	name: "nothing",
	parameters: z.object({ text: z.string() }),
	effect: "read",
	execute: onThread(threadWorkUrl, "nothing"),
});
const burn = tool({
	name: "burn",
	parameters: z.object({ ms: z.number() }),
	effect: "read",
	execute: onThread(threadWorkUrl, "burn"),
});
const pause = tool({
	name: "pause",
	parameters: z.object({ ms: z.number() }),
	effect: "read",
	execute: ({ ms }) => new Promise((resolve) => setTimeout(() => resolve(null), ms)),
});

const IN_FLIGHT = 64;
const NO_OPS = 4_096;
const TEXT = "x".repeat(180);

async function run(): Promise<readonly Row[]> {
	const engine = createEngine({
		tools: [nothing, burn, pause],
		threads: { min: THREADS, max: THREADS },
		maxParallelToolCalls: IN_FLIGHT,
	});
	const pool = barePool();
	const noOps = repeated(NO_OPS, "nothing", { text: TEXT });
	const burns = repeated(64, "burn", { ms: 20 });
	const mixed = [...repeated(24, "pause", { ms: 50 }), ...repeated(8, "burn", { ms: 50 })];
	const noOpMs = await inTurns(
		{
			ours: () => engine.executeWave(noOps),
			bare: () => bare(pool, noOps, IN_FLIGHT),
		},
		{ warmUp: 2, measured: 9 },
	);
	const burnMs = await inTurns(
		{
			ours: () => engine.executeWave(burns),
			bare: () => bare(pool, burns, IN_FLIGHT),
		},
		{ warmUp: 1, measured: 5 },
	);
	const delayMs = await loopDelayMs(() => engine.executeWave(burns));
	const mixedMs = await inTurns({ ours: () => engine.executeWave(mixed) }, { warmUp: 1, measured: 5 });
	await Promise.all([engine.close(), pool.destroy()]);
	const idealMs = (8 * 50) / THREADS;
	const perCall = (ms: number): number => (ms * 1_000) / NO_OPS;
	return [
		{
			what: "a no-op on a thread, 64 in flight",
			ours: perCall(noOpMs.ours),
			baseline: perCall(noOpMs.bare),
			unit: "µs a call",
			against: "a bare pool, one task a thread",
			ratio: noOpMs.ours / noOpMs.bare,
			target: { atMost: 1.3 },
		},
		{
			what: `64 reads of 20 ms of CPU on ${THREADS} threads`,
			ours: burnMs.ours,
			baseline: burnMs.bare,
			unit: "ms",
			against: "a bare pool on as many threads",
			ratio: burnMs.ours / burnMs.bare,
			target: { atMost: 1.03 },
		},
		{
			what: "event-loop delay meanwhile, 99th percentile",
			ours: delayMs,
			baseline: 10,
			unit: "ms",
			against: "the budget",
			ratio: delayMs / 10,
			target: { atMost: 1 },
		},
		{
			what: "24 waits of 50 ms and 8 reads of 50 ms of CPU",
			ours: mixedMs.ours,
			baseline: idealMs,
			unit: "ms",
			against: "the ideal",
			ratio: mixedMs.ours / idealMs,
			target: { atMost: 1.15 },
		},
	];
}

export const threadCalls: Subject = {
	name: "thread calls",
	notMeasured: "tools that use their context, large arguments and answers, more threads than cores",
	run,
};
