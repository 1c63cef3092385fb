// Resume
//
// A wave goes on from its checkpoint: the answers are put where they were asked for, what an `always` covers is answered
// with them, and the stages take the wave up with its record (wave/take-up.ts). Questions without an answer wait on; a
// wave that still has some pauses again with the rest.
//
// Owns:      the check of answers, their lines, and the options of the wave that goes on.
// Does not:  check a checkpoint's seal (ledger/checkpoint.ts) or run anything.
//
// Invariants:
//   RM1. An answer that fits no open question changes nothing: all are checked before the first is taken.
//   RM2. No question is answered twice in one engine, so a checkpoint that is gone on from twice approves nothing twice.

import { EngineError } from "../core/errors.js";
import { copyJson, type JsonValue } from "../core/json-value.js";
import { readApproval } from "../core/question.js";
import { showValue } from "../core/show-value.js";
import type { CheckpointContent, ToolExecution } from "../ledger/checkpoint.js";
import type { EntryDraft } from "../ledger/entry.js";
import { answerReceived, runResumed } from "../ledger/pause-entries.js";
import { openIn } from "../wave/pause-wave.js";
import { answer, approveByRules, type Pending } from "../wave/pending.js";
import type { Asking, Timeouts, WaveRecord } from "../wave/wave-options.js";
import { type Telling, tellEarlier } from "./earlier-waves.js";

export interface TakingUp {
	readonly answers: Readonly<Record<string, JsonValue>> | undefined;
	/** The waves before, for policies that were not there. */
	readonly earlier: readonly string[];
}

/** What a run goes on from that is in no wave. */
export const NO_WAVE: CheckpointContent = {
	calls: [],
	records: [],
	steers: [],
	cancelled: false,
	spentMs: 0,
	policyNames: [],
	rules: [],
};

export interface TakenUp {
	readonly resumed: WaveRecord;
	/** Policies that were not there are being told of the waves before. */
	readonly prepared: Promise<void>;
}

/** Writes that the wave, or the run, goes on. Throws `INVALID_ANSWER`. */
export function takeUp<T>(
	content: CheckpointContent,
	{ answers = {}, earlier }: TakingUp,
	telling: Telling<T> & { readonly answeredBefore: Pick<Set<string>, "has" | "add"> },
): TakenUp {
	const { runId, step, clock, asking, ledger } = telling.options;
	const about = { runId, step, at: clock.now(), answers, rules: asking.rules, before: telling.answeredBefore };
	const { record, lines, answeredNow } = answered(content, about);
	ledger.append(lines);
	// Not before: where the ledger refused the lines nothing has gone on, and the same answers may come again.
	for (const id of answeredNow) telling.answeredBefore.add(id);
	return { resumed: record, prepared: tellEarlier(earlier, record.policyNames, telling) };
}

interface Answering {
	readonly runId: string;
	readonly step: number;
	/** The stamp of the lines. */
	readonly at: number;
	readonly answers: Readonly<Record<string, JsonValue>>;
	readonly rules: Asking["rules"];
	/** The questions that were answered here before. */
	readonly before: Pick<Set<string>, "has">;
}

interface Answered {
	readonly record: WaveRecord;
	readonly lines: readonly EntryDraft[];
	/** The ids of the questions that have their answers now. */
	readonly answeredNow: Iterable<string>;
}

/** The record with its answers, and the lines that say so. Throws `INVALID_ANSWER`. */
function answered(content: CheckpointContent, { runId, step, at, answers, rules, before }: Answering): Answered {
	const { records: calls, steers, cancelled, spentMs, policyNames, tail, earlier } = content;
	const kept = { ...(tail && { tail }), ...(earlier && { earlier }) };
	const record: WaveRecord = { calls, steers, cancelled, spentMs, policyNames, ...kept };
	for (const rule of content.rules) rules.add(rule);
	const open = openIn(record, { runId, step });
	const given = checked(answers, open, before);
	const stamp = { runId, at };
	const lines = [runResumed(stamp, step)];
	for (const pending of open) {
		const said = given.get(pending.id);
		if (said === undefined) continue;
		answer(pending, said, rules);
		lines.push(answerReceived(stamp, { step, id: pending.id }, { answer: said, by: "person" }));
	}
	const rest = open.filter(({ id }) => !given.has(id));
	for (const { id } of approveByRules(rest, rules)) {
		lines.push(answerReceived(stamp, { step, id }, { answer: { approve: true }, by: "rule" }));
	}
	return { record, lines, answeredNow: given.keys() };
}

/** RM1: every answer by the question it is for, or nothing is taken. */
function checked(
	answers: unknown,
	open: readonly Pending[],
	before: Answering["before"],
): ReadonlyMap<string, JsonValue> {
	const copied = copyJson(answers);
	const value = copied.ok ? copied.value : undefined;
	if (typeof value !== "object" || value === null || Array.isArray(value)) {
		return refuse(`the answers are ${showValue(answers)}, not an object of answers by question id`);
	}
	const byId = new Map(open.map((pending) => [pending.id, pending]));
	const given = new Map<string, JsonValue>();
	for (const [id, said] of Object.entries(value as Record<string, JsonValue>)) {
		const pending = byId.get(id);
		if (pending === undefined) return refuse(`no question ${showValue(id)} waits for an answer`);
		// RM2: a double click on "approve" is two resumes of one checkpoint.
		if (before.has(id)) return refuse(`the question ${showValue(id)} was answered already, and its wave has gone on`);
		const read = pending.rule === undefined ? undefined : readApproval(said);
		if (read !== undefined && "problem" in read)
			return refuse(`the answer to ${showValue(id)} is wrong: ${read.problem}`);
		given.set(id, said);
	}
	return given;
}

/** How the wave's calls were run, as options; nothing where that is not known. */
export function executionOf({
	toolExecution,
	onError: stops,
}: {
	readonly toolExecution: ToolExecution | undefined;
	readonly onError: CheckpointContent["onError"];
}): {
	readonly schedule?: ToolExecution["schedule"];
	readonly parallelToolCalls?: boolean;
	readonly maxParallelToolCalls?: number;
	readonly timeouts?: Partial<Timeouts>;
	readonly onError?: "continue" | "stop";
} {
	const onError = stops && { onError: stops };
	if (toolExecution === undefined) return { ...onError };
	// It stands outside of the seal, for hosts to change; what they left out of it is the engine's.
	if (typeof toolExecution !== "object" || toolExecution === null) {
		const problem = `toolExecution is ${showValue(toolExecution)}, not an object`;
		throw new EngineError("INVALID_CHECKPOINT", { action: "resume from the checkpoint", problem });
	}
	const { schedule, parallelToolCalls, maxParallelToolCalls, timeouts } = toolExecution;
	const limits = Object.entries(timeouts ?? {}).map(([name, ms]) => [name, ms ?? Number.POSITIVE_INFINITY]);
	return {
		...onError,
		schedule,
		parallelToolCalls,
		maxParallelToolCalls: maxParallelToolCalls === null ? Number.POSITIVE_INFINITY : maxParallelToolCalls,
		timeouts: Object.fromEntries(limits) as Partial<Timeouts>,
	};
}

function refuse(problem: string): never {
	throw new EngineError("INVALID_ANSWER", { action: "resume the wave", problem });
}
