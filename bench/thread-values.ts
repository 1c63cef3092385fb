// Thread values
//
// What crosses between the host and a thread: short calls that may be handed early (reads) and that may not (writes),
// progress reports, and large binary answers, each beside a bare pool that does the least for the same. The calls are given
// to the pool itself; what the engine adds, which is the same wherever a call runs, is a subject of its own (inline calls).
// The package hands out no pool, so this one alone measures the sources on the host's side; the threads run the built entry.
//
// Large answers are measured twice. Handing one over is the pool's doing and has a target beside a bare transfer. To a
// caller of the built package it is also a line of history, and base64 of a megabyte costs more than moving it; that is
// so wherever the tool ran. So the wave's rows stand beside a bare transfer whose answer is written down the same way.
//
// Owns:      the values that cross, and the rows.
// Does not:  make the bare pool (bare-pool.ts).

import { createEngine, type Engine, type Ledger, type ToolCall, tool } from "wavetrain";
import { z } from "zod";
import { systemClock } from "../engine/core/clock.js";
import { onThread, type ThreadRef } from "../engine/core/thread-ref.js";
import type { ToolContext } from "../engine/core/tool-context.js";
import type { Executor } from "../engine/execution/executor.js";
import { threadExecutor } from "../workers/pool.js";
import { type BarePool, bare, barePool, repeated, THREADS, threadWorkUrl } from "./bare-pool.js";
import { inTurns, type Row, type Subject } from "./harness.js";

const IN_FLIGHT = 64;
const NO_OPS = 4_096;
const REPORTING = 1_024;
const BYTES_IN_FLIGHT = 2;
const TEXT = "x".repeat(180);
const MB = 1 << 20;

/** The host's side of a call that nobody watches or stops. */
const context: ToolContext = {
	signal: new AbortController().signal,
	cancelled: () => false,
	progress: () => undefined,
	lock: async () => () => undefined,
	interrupt: () => Promise.reject(new Error("nobody to ask here")),
	invokeTool: () => Promise.reject(new Error("no tools here")),
	callId: "call",
	runId: "run",
	index: 0,
	idempotencyKey: "key",
};
const hooks = { onBegan: () => undefined };

/** Keeps `inFlight` calls in the pool; what a call's name is, is the export it runs. */
async function pooled(executor: Executor<ThreadRef>, { ours, inFlight, read }: Compared): Promise<void> {
	const works = new Map<string, ThreadRef>();
	let next = 0;
	const lane = async (): Promise<void> => {
		for (let call = ours[next]; call !== undefined; call = ours[next]) {
			next += 1;
			const work = works.get(call.name) ?? onThread(threadWorkUrl, call.name);
			works.set(call.name, work);
			const { ended } = executor.start({ work, args: call.args, context, ahead: false, read, hooks });
			const outcome = await ended;
			if (!outcome.ok) throw new Error(outcome.error.message);
		}
	};
	await Promise.all(Array.from({ length: inFlight }, lane));
}

interface Compared {
	readonly what: string;
	readonly ours: readonly ToolCall[];
	readonly bare: readonly ToolCall[];
	readonly inFlight: number;
	readonly read: boolean;
	readonly against: string;
	readonly atMost: number;
}

const noOps = repeated(NO_OPS, "nothing", { text: TEXT });

function moved(megabytes: number, count: number): Compared {
	const args = { length: megabytes * MB };
	return {
		what: `${megabytes} MB of bytes answered, ${BYTES_IN_FLIGHT} in flight`,
		ours: repeated(count, "bytes", args),
		bare: repeated(count, "movedBytes", args),
		inFlight: BYTES_IN_FLIGHT,
		read: true,
		against: "a bare pool whose task moves them",
		atMost: 1.2,
	};
}

const COMPARED: readonly Compared[] = [
	{
		what: `a no-op read, ${IN_FLIGHT} in flight`,
		ours: noOps,
		bare: noOps,
		inFlight: IN_FLIGHT,
		read: true,
		against: "a bare pool, one task a thread",
		atMost: 0.7,
	},
	{
		what: `a no-op write, ${IN_FLIGHT} in flight`,
		ours: noOps,
		bare: noOps,
		inFlight: IN_FLIGHT,
		read: false,
		against: "a bare pool, one task a thread",
		atMost: Number.POSITIVE_INFINITY,
	},
	{
		what: "a no-op read, 1 in flight",
		ours: noOps.slice(0, 1_024),
		bare: noOps.slice(0, 1_024),
		inFlight: 1,
		read: true,
		against: "a bare pool",
		atMost: Number.POSITIVE_INFINITY,
	},
	{
		what: `a read that reports 10 times, ${IN_FLIGHT} in flight`,
		ours: repeated(REPORTING, "report", { times: 10 }),
		bare: noOps.slice(0, REPORTING),
		inFlight: IN_FLIGHT,
		read: true,
		against: "a no-op of a bare pool",
		atMost: 3,
	},
	moved(1, 64),
	moved(10, 16),
];

async function* nothing(): AsyncGenerator<never> {}

/** Forgets all it is given: what is measured is the way there, not the memory of a bench that keeps gigabytes. */
const forgetful: Ledger = {
	append: () => undefined,
	barrier: async () => undefined,
	entries: nothing,
	intents: nothing,
	records: nothing,
	close: async () => undefined,
};

function engineOfBytes(): Engine {
	const execute = onThread(threadWorkUrl, "bytes");
	const bytes = tool({ name: "bytes", parameters: z.object({ length: z.number() }), effect: "read", execute });
	return createEngine({ tools: [bytes], ledger: forgetful, threads: { min: THREADS, max: THREADS } });
}

/** Keeps every answer, as a wave's result does, and makes the text that a line of history holds. */
function writingDown(pool: BarePool): BarePool {
	const kept: unknown[] = [];
	return {
		async run(args, options) {
			const bytes = (await pool.run(args, options)) as Uint8Array<ArrayBuffer>;
			kept.push(bytes, Buffer.from(bytes.buffer).toString("base64").length);
			return bytes;
		},
	};
}

/** The same bytes by the public way, beside a bare transfer that writes them down as a line of history does. */
async function answeredToAWave(pool: BarePool): Promise<readonly Row[]> {
	const engine = engineOfBytes();
	const rows: Row[] = [];
	for (const [megabytes, count] of [
		[1, 64],
		[10, 16],
	] as const) {
		const { ours, bare: theirs, inFlight } = moved(megabytes, count);
		const ms = await inTurns(
			{
				ours: () => engine.executeWave(ours, { maxParallelToolCalls: inFlight }),
				bare: () => bare(writingDown(pool), theirs, inFlight),
			},
			{ warmUp: 2, measured: 9 },
		);
		rows.push({
			what: `${megabytes} MB of bytes answered to a wave, ${inFlight} in flight`,
			ours: (ms.ours * 1_000) / count,
			baseline: (ms.bare * 1_000) / count,
			unit: "µs a call",
			against: "a bare pool whose task moves them, and base64 of each",
			ratio: ms.ours / ms.bare,
			target: { atMost: Number.POSITIVE_INFINITY },
		});
	}
	await engine.close();
	return rows;
}

async function run(): Promise<readonly Row[]> {
	const threads = { min: THREADS, max: THREADS };
	const executor = threadExecutor({ threads, clock: systemClock, emit: () => undefined });
	const pool = barePool();
	const rows: Row[] = [];
	for (const compared of COMPARED) {
		const { what, ours, bare: theirs, inFlight, against, atMost } = compared;
		const ms = await inTurns(
			{
				ours: () => pooled(executor, compared),
				bare: () => bare(pool, theirs, inFlight),
			},
			{ warmUp: 2, measured: 9 },
		);
		const perCall = (wholeMs: number): number => (wholeMs * 1_000) / ours.length;
		rows.push({
			what,
			ours: perCall(ms.ours),
			baseline: perCall(ms.bare),
			unit: "µs a call",
			against,
			ratio: ms.ours / ms.bare,
			target: { atMost },
		});
	}
	await executor.close(0);
	rows.push(...(await answeredToAWave(pool)));
	await pool.destroy();
	return rows;
}

export const threadValues: Subject = {
	name: "thread values",
	notMeasured: "the engine around the pool, tools that compute, nested calls, more threads than cores",
	run,
};
