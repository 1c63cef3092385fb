// Approvals
//
// Whether a person must be asked about a call, and what their answer makes of it. A tool's own wish is known of the whole
// wave before anything is scheduled, a policy's once the call is admitted; both lead to one question about the call, and
// one approval is enough for both.
//
// Admission comes first and does not depend on the answer: what policies count is the same whether a person has answered
// yet or not, and nobody is troubled about a call that a policy refuses anyway.
//
// Owns:      the need for an approval, and what a call does with the answer.
// Does not:  ask (questions.ts), or know how to put a question (core/question.ts).
//
// Invariants:
//   AP1. A call that a person must approve never runs without their approval of exactly its arguments, or a rule of theirs.

import type { Admitted, ToolMeta } from "../admission/concurrent-invoke.js";
import { titleOf } from "../admission/planned-as.js";
import type { ToolCall } from "../core/call.js";
import { APPROVAL, type AskRecord, newMemory } from "../core/call-record.js";
import { invariant } from "../core/invariant.js";
import type { JsonValue } from "../core/json-value.js";
import type { Outcome } from "../core/outcome.js";
import { type ApprovalNeed, approvalQuestion, readApproval } from "../core/question.js";
import { declined, nobodyToAsk, notAnswered } from "../core/unanswered.js";
import type { CallState } from "./call-state.js";
import { isPending } from "./pending.js";
import type { WaveState } from "./wave-state.js";

/** Puts the question whether the call may run where it needs one and has none; true where it waits for the answer. */
export function asksBeforehand<T>(wave: WaveState<T>, state: CallState<T>): boolean {
	if (state.answeredWithout || state.aborted !== undefined || needOf(wave, state) === undefined) return false;
	return question(wave, state) === "waits";
}

/** What a person, or the absence of one, said about a call before anything is scheduled: it will not run. */
export function decidedBeforehand<T>(wave: WaveState<T>, state: CallState<T>): Outcome | undefined {
	if (state.answeredWithout || state.aborted !== undefined || needOf(wave, state) === undefined) return undefined;
	const said = question(wave, state);
	return said === "waits" || said === "approved" ? undefined : said;
}

/**
 * Lets an admitted call on: to its turn, to its outcome, which is then given, or to a person, and then nothing is given.
 */
export function letOn<T>(wave: WaveState<T>, state: CallState<T>, admitted: Admitted<T>): Outcome | undefined {
	if ("answered" in admitted && isRefusal(admitted.answered)) return admitted.answered;
	const said = needOf(wave, state) === undefined ? askedByItself(wave, state) : question(wave, state);
	if (said === "waits") {
		wave.waits(state, admitted);
		return undefined;
	}
	if ("cleared" in admitted) wave.clear(state, admitted.cleared);
	if (said !== "approved") return said;
	return "answered" in admitted ? admitted.answered : undefined;
}

type Said = "waits" | "approved" | Outcome;

/** A call without a need for approval may have asked something itself, or a call that it made may have. */
function askedByItself<T>(wave: WaveState<T>, { memory, call }: CallState<T>): Said {
	if (memory?.unanswered !== undefined) return notAnswered(memory.unanswered);
	if (!isPending(memory)) return "approved";
	return wave.options.asking.how === "none" ? nobodyToAsk(call.name) : "waits";
}

function needOf<T>(
	wave: WaveState<T>,
	{ meta, ask, call }: Pick<CallState<T>, "meta" | "ask" | "call">,
): ApprovalNeed | undefined {
	const { rules } = wave.options.asking;
	const own = meta?.approval;
	if (own !== undefined && !rules.has(own.rule)) return ask === undefined ? own : { ...own, detail: ask.detail };
	if (ask === undefined || rules.has(ask.rule)) return undefined;
	return { ...ask, title: own?.title ?? titleOf(meta) ?? call.name };
}

function question<T>(wave: WaveState<T>, state: CallState<T>): Said {
	const need = needOf(wave, state);
	if (need === undefined) return "approved";
	state.memory ??= newMemory();
	const { memory } = state;
	if (memory.unanswered !== undefined) return notAnswered(memory.unanswered);
	const answer = memory.answers[APPROVAL];
	if (answer !== undefined) {
		const said = saidWith(answer, state);
		// AP1: approved; what it asks by itself is another matter.
		return said === "approved" ? askedByItself(wave, state) : said;
	}
	if (wave.options.asking.how === "none") return nobodyToAsk(state.call.name);
	if (memory.questions[APPROVAL] === undefined) {
		memory.questions[APPROVAL] = { ...approvalQuestion(state.call, need) };
		memory.rule = need.rule;
	}
	return "waits";
}

/** The same for a form of the call that middleware made: what was approved of another form says nothing about it. */
export function formApproval<T>(
	wave: WaveState<T>,
	state: CallState<T>,
	{ call, meta, ask }: { readonly call: ToolCall; readonly meta: ToolMeta; readonly ask: AskRecord | undefined },
): Said {
	const need = needOf(wave, { meta, ask, call });
	if (need === undefined) return "approved";
	if (wave.options.asking.how === "none") return nobodyToAsk(call.name);
	const question = approvalQuestion(call, need);
	state.memory ??= newMemory();
	state.memory.forms ??= {};
	const { forms } = state.memory;
	// AP1: by the digest of the arguments, so that an answer is for these and no others.
	const known = forms[question.digest];
	if (known?.answer !== undefined) return saidWith(known.answer, state);
	forms[question.digest] = { question: { ...question }, rule: need.rule };
	return "waits";
}

function saidWith<T>(answer: JsonValue, { index }: CallState<T>): Said {
	const read = readApproval(answer);
	invariant("answer" in read, "AP1", `call ${index} goes on from an approval that says neither yes nor no`);
	return read.answer.approve ? "approved" : declined(read.answer.reason);
}

// A refusal gives away nothing that an approval would guard.
function isRefusal(outcome: Outcome): boolean {
	return !outcome.ok && (outcome.error.code === "DENIED" || outcome.error.code === "POLICY_FAILED");
}
