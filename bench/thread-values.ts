// Thread values
//
// What crosses between the host and a thread: short calls that may be handed early (reads) and that may not (writes),
// progress reports, and large binary answers, each beside a bare pool that does the least for the same.

import { z } from "zod";
import { createEngine, type Effect, onThread, type Tool, type ToolCall, tool } from "../engine/index.js";
import { bare, barePool, repeated, THREADS, threadWorkUrl } from "./bare-pool.js";
import { inTurns, type Row, type Subject } from "./harness.js";

const IN_FLIGHT = 64;
const NO_OPS = 4_096;
const REPORTING = 1_024;
const BYTES_IN_FLIGHT = 2;
const TEXT = "x".repeat(180);
const MB = 1 << 20;

const parameters = z.object({}).loose();
const tools: Tool[] = [
	toolOf("nothing", "nothing"),
	toolOf("change_nothing", "nothing", { effect: "write", isConcurrencySafe: true }),
	toolOf("report", "report"),
	toolOf("bytes", "bytes"),
];

function toolOf(
	name: string,
	exportName: string,
	stands: { readonly effect: Effect; readonly isConcurrencySafe?: boolean } = { effect: "read" },
): Tool {
	return tool({ name, parameters, ...stands, execute: onThread(threadWorkUrl, exportName) });
}

interface Compared {
	readonly what: string;
	readonly ours: readonly ToolCall[];
	readonly bare: readonly ToolCall[];
	readonly inFlight: number;
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
		against: "a bare pool, one task a thread",
		atMost: 0.7,
	},
	{
		what: `a no-op write, ${IN_FLIGHT} in flight`,
		ours: repeated(NO_OPS, "change_nothing", { text: TEXT }),
		bare: noOps,
		inFlight: IN_FLIGHT,
		against: "a bare pool, one task a thread",
		atMost: Number.POSITIVE_INFINITY,
	},
	{
		what: `a read that reports 10 times, ${IN_FLIGHT} in flight`,
		ours: repeated(REPORTING, "report", { times: 10 }),
		bare: noOps.slice(0, REPORTING),
		inFlight: IN_FLIGHT,
		against: "a no-op of a bare pool",
		atMost: 3,
	},
	moved(1, 64),
	moved(10, 16),
];

async function run(): Promise<readonly Row[]> {
	const engine = createEngine({ tools, threads: { min: THREADS, max: THREADS } });
	const pool = barePool();
	const rows: Row[] = [];
	for (const { what, ours, bare: theirs, inFlight, against, atMost } of COMPARED) {
		const ms = await inTurns(
			{
				ours: () => engine.executeWave(ours, { maxParallelToolCalls: inFlight }),
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
	await Promise.all([engine.close(), pool.destroy()]);
	return rows;
}

export const threadValues: Subject = {
	name: "thread values",
	notMeasured: "a ledger, tools that compute, nested calls, more threads than cores",
	run,
};
