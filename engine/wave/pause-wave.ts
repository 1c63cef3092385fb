// Pause wave
//
// The end of a wave that has questions: the lines of what it asks, then the line of the pause, which holds what had
// finished and was not accounted, then one barrier. Only after that is the checkpoint handed out, so that a host that
// holds one finds a ledger that knows as much.
//
// Owns:      those lines and the checkpoint.
// Does not:  seal it (ledger/checkpoint.ts).

import type { ToolCall } from "../core/call.js";
import { rawArguments } from "../ledger/call-entries.js";
import { plainContent, sealCheckpoint, type ToolExecution } from "../ledger/checkpoint.js";
import { questionAsked, runPaused } from "../ledger/pause-entries.js";
import { type Pending, pendingOf } from "./pending.js";
import type { WaveOptions, WaveRecord } from "./wave-options.js";
import type { EndedStages, WaveResult } from "./wave-result.js";

export interface PausedWave {
	readonly result: EndedStages;
	readonly record: WaveRecord;
	readonly calls: readonly ToolCall[];
	readonly options: WaveOptions;
	/** The ids of questions that an earlier pause has told. */
	readonly told: ReadonlySet<string>;
}

export async function pauseWave({ result, record, calls, options, told }: PausedWave): Promise<WaveResult> {
	const { runId, step, ledger, clock, hub, onError, asking } = options;
	const { calls: records, ...rest } = record;
	const given = calls.map(({ id, name, args }) => ({
		id: String(id ?? ""),
		name: String(name ?? ""),
		args: rawArguments(args),
	}));
	const content = plainContent({ calls: given, onError, records, ...rest, rules: asking.rules.list() });
	// A recovery reads the earlier waves where they stand.
	const { earlier: _earlier, ...line } = content;
	const stamp = { runId, at: clock.now() };
	const news = openIn(record, options).filter(({ id }) => !told.has(id));
	ledger.append([
		...news.map(({ id, path, question }) => questionAsked(stamp, { step, id, path }, question)),
		runPaused(stamp, { step, steers: options.pausing?.() ?? [] }, line),
	]);
	for (const { id, index, question } of news) {
		hub.emit({ kind: "call_asked", runId, step, index, name: given[index]?.name ?? "", id, question });
	}
	await ledger.barrier();
	const { questions } = result;
	const head = { kind: "wave" as const, runId, step, questions, toolExecution: toolExecutionOf(options) };
	return { ...result, status: "paused", checkpoint: await sealCheckpoint(head, content, ledger) };
}

/** What waits for an answer in a wave, in call order. */
export function openIn(
	{ calls }: Pick<WaveRecord, "calls">,
	{ runId, step }: Pick<WaveOptions, "runId" | "step">,
): Pending[] {
	return calls.flatMap(({ memory }, index) => pendingOf({ runId, step, path: [index], memory }));
}

function toolExecutionOf({ schedule, maxParallelToolCalls, timeouts }: WaveOptions): ToolExecution {
	const limits = Object.entries(timeouts).map(([name, ms]): [string, number | null] => [name, finite(ms)]);
	return {
		schedule,
		parallelToolCalls: schedule !== "serial",
		maxParallelToolCalls: finite(maxParallelToolCalls),
		timeouts: Object.fromEntries(limits),
	};
}

// JSON has no Infinity.
function finite(value: number): number | null {
	return Number.isFinite(value) ? value : null;
}
