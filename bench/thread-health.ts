// Thread health
//
// What the host feels of its threads: how even its own heartbeat stays beside threads that compute, and how its memory
// stays through many short calls.
//
// Owns:      the heartbeat, the memory by tenths, and the rows.
// Does not:  measure what a call costs (thread-calls.ts).

import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createEngine, type Engine, onThread, tool } from "wavetrain";
import { z } from "zod";
import { repeated, THREADS, threadWorkUrl } from "./bare-pool.js";
import type { Row, Subject, Work } from "./harness.js";

const BEAT_MS = 20;
const GAP_MS_MAX = 60;
const BURN_MS = 2_000;
const CALLS_A_TENTH = 10_000;
const CALLS_A_WAVE = 1_000;

const parameters = z.object({}).loose();
const tools = ["nothing", "burn"].map((name) =>
	tool({ name, parameters, effect: "read", execute: onThread(threadWorkUrl, name) }),
);

/** The largest gap between two beats of the host while the work runs. */
async function largestGapMs(work: Work): Promise<number> {
	let lastMs = performance.now();
	let largestMs = 0;
	const beat = (): void => {
		const nowMs = performance.now();
		largestMs = Math.max(largestMs, nowMs - lastMs);
		lastMs = nowMs;
	};
	const heart = setInterval(beat, BEAT_MS);
	await work();
	clearInterval(heart);
	beat();
	return largestMs;
}

/**
 * Resident megabytes after each tenth of the calls, each time after a collection: between collections the heap grows with
 * what is garbage already, as far as V8 sees fit.
 */
async function residentByTenth(engine: Engine): Promise<number[]> {
	const calls = repeated(CALLS_A_WAVE, "nothing", { text: "x".repeat(180) });
	setFlagsFromString("--expose-gc");
	const collect = runInNewContext("gc") as () => void;
	const residentMb: number[] = [];
	for (let tenth = 0; tenth < 10; tenth += 1) {
		for (let run = 0; run < CALLS_A_TENTH; run += CALLS_A_WAVE) await engine.executeWave(calls);
		collect();
		residentMb.push(process.memoryUsage.rss() / (1 << 20));
	}
	return residentMb;
}

async function run(): Promise<readonly Row[]> {
	const engine = createEngine({ tools, threads: { min: THREADS, max: THREADS }, maxParallelToolCalls: 64 });
	await engine.executeWave(repeated(THREADS, "burn", { ms: 1 }));
	const burns = repeated(THREADS, "burn", { ms: BURN_MS });
	const gapMs = await largestGapMs(() => engine.executeWave(burns));
	const residentMb = await residentByTenth(engine);
	await engine.close();
	const [second = Number.NaN, last = Number.NaN] = [residentMb[1], residentMb[9]];
	return [
		{
			what: `largest gap of a ${BEAT_MS} ms heartbeat beside ${BURN_MS} ms of CPU on ${THREADS} threads`,
			ours: gapMs,
			baseline: GAP_MS_MAX,
			unit: "ms",
			against: "the budget",
			ratio: gapMs / GAP_MS_MAX,
			target: { atMost: 1 },
		},
		{
			what: `resident memory after the last tenth of ${CALLS_A_TENTH * 10} no-ops`,
			ours: last,
			baseline: second,
			unit: "MB",
			against: "after the second tenth",
			ratio: last / second,
			target: { atMost: 1.05 },
		},
	];
}

export const threadHealth: Subject = {
	name: "thread health",
	notMeasured: "memory outside the process, threads that wait, more threads than cores",
	run,
};
