// Pending
//
// The questions of a call and of the calls that it made, to any depth, in the order in which they are told to a person:
// the call's approval, what it asked itself, then what its nested calls asked. Ids are made here and nowhere else.
//
// Owns:      finding open questions, their ids, and putting an answer in its place.
// Does not:  ask (questions.ts, ../run/interrupts.ts), nor judge an answer (core/question.ts).
//
// Invariants:
//   PQ1. An id names one question of a run, whatever was answered, saved or loaded in between.

import { APPROVAL, type CallMemory, type FormApproval, type NestedRecord, newMemory } from "../core/call-record.js";
import { invariant } from "../core/invariant.js";
import type { JsonValue } from "../core/json-value.js";
import { type AskedQuestion, readApproval } from "../core/question.js";
import type { Asking } from "./wave-options.js";

/** A call that may have open questions, and where it stands. */
export interface Asker {
	readonly runId: string;
	readonly step: number;
	/** The indexes of the calls it is nested in, outermost first, and its own. */
	readonly path: readonly number[];
	readonly memory: CallMemory | undefined;
	/** Its path as its questions' ids have it. Left out for a call that nothing was before at its place. */
	readonly place?: string;
}

export interface Pending extends AskedQuestion {
	readonly path: readonly number[];
	/** The rule that an `always` would cover; nothing for a question that is no approval. */
	readonly rule: string | undefined;
	answer(answer: JsonValue): void;
	/** Nobody answered. */
	giveUp(why: string): void;
}

/** As much of a form's digest as tells the forms of one call apart. */
const DIGEST_SHOWN = 16;

export function pendingOf(asker: Asker): Pending[] {
	const { memory, path, place = path.join(".") } = asker;
	if (memory === undefined) return [];
	const own = Object.keys(memory.questions).map((number) => pendingAt(asker, memory, Number(number)));
	const forms = Object.entries(memory.forms ?? {}).flatMap(([digest, form]) => formPending(asker, digest, form) ?? []);
	const nested = Object.entries(memory.nested).flatMap(([number, made]) =>
		pendingOf({
			...{ ...asker, path: [...path, Number(number)], memory: made.call.memory },
			place: nestedPlace(place, number, made),
		}),
	);
	return [...own, ...forms, ...nested];
}

/** PQ1: a call that its parent makes in place of another one, when it runs again, asks under ids of its own. */
export function nestedPlace(parent: string, number: number | string, { turn = 0 }: NestedRecord): string {
	return `${parent}.${number}${turn === 0 ? "" : `~${turn}`}`;
}

/** Whether the call must not run: something that it, or a call that it made, has asked is not answered. */
export function isPending(memory: CallMemory | undefined): boolean {
	if (memory === undefined) return false;
	for (const _number in memory.questions) return true;
	if (Object.values(memory.forms ?? {}).some(isOpen)) return true;
	return Object.values(memory.nested).some(({ call }) => isPending(call.memory));
}

/**
 * What is kept of a call that has an outcome: nobody need be asked about it any more, and of what was said only the
 * approval still matters, because a declined call does not part segments.
 */
export function settledMemory(memory: CallMemory | undefined): CallMemory | undefined {
	const approval = memory?.answers[APPROVAL];
	return approval === undefined ? undefined : { ...newMemory(), answers: { [APPROVAL]: approval } };
}

/** Whether the call has run: it has asked something itself, or called something, and not only waited for its approval. */
export function hasRun(memory: CallMemory | undefined): boolean {
	if (memory === undefined) return false;
	const numbers = [...Object.keys(memory.questions), ...Object.keys(memory.answers)];
	return numbers.some((number) => Number(number) !== APPROVAL) || Object.keys(memory.nested).length > 0;
}

/** Whether the call may have begun to act: it has run, or middleware or the model of an agent was at work for it. */
export function mayHaveBegun(memory: CallMemory | undefined): boolean {
	return hasRun(memory) || memory?.forms !== undefined || memory?.replies !== undefined;
}

type Rules = Asking["rules"];

/** Takes an answer; one that approves for always makes its rule. What is wrong with the answer, if something is. */
export function answer(pending: Pending, said: JsonValue, rules: Rules): string | undefined {
	if (pending.rule !== undefined) {
		const read = readApproval(said);
		if ("problem" in read) return read.problem;
		if (read.answer.approve && read.answer.always === true) rules.add(pending.rule);
	}
	pending.answer(said);
	return undefined;
}

/** Approves what waits for a reason that a person has approved for always; gives what it approved. */
export function approveByRules(open: readonly Pending[], rules: Rules): Pending[] {
	const approved = open.filter(({ rule }) => rule !== undefined && rules.has(rule));
	for (const pending of approved) pending.answer({ approve: true });
	return approved;
}

function isOpen({ answer, unanswered }: FormApproval): boolean {
	return answer === undefined && unanswered !== true;
}

function formPending(
	{ runId, step, path, place, memory }: Asker,
	digest: string,
	form: FormApproval,
): Pending | undefined {
	if (!isOpen(form) || memory === undefined) return undefined;
	return {
		id: `${runId}/${step}/${place ?? path.join(".")}/${APPROVAL}-${digest.slice(0, DIGEST_SHOWN)}`,
		index: path[0] ?? 0,
		path,
		question: form.question,
		rule: form.rule,
		answer(answer) {
			form.answer = answer;
		},
		giveUp(why) {
			form.unanswered = true;
			memory.unanswered = why;
		},
	};
}

function pendingAt({ runId, step, path, place }: Asker, memory: CallMemory, number: number): Pending {
	const question = memory.questions[number];
	invariant(question !== undefined, "PQ1", `question ${number} of call ${path.join(".")} is not there`);
	return {
		id: `${runId}/${step}/${place ?? path.join(".")}/${number}`,
		index: path[0] ?? 0,
		path,
		question,
		rule: number === APPROVAL ? memory.rule : undefined,
		answer(answer) {
			delete memory.questions[number];
			memory.answers[number] = answer;
		},
		giveUp(why) {
			delete memory.questions[number];
			memory.unanswered = why;
		},
	};
}
