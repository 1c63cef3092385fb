// Questions
//
// A person is asked while nothing of the wave runs and nothing is held: one question at a time, in call order. What was
// answered is in the calls' memories; whoever waited for it goes on from there.
//
// Owns:      the order of asking, the lines of questions and answers, what an `always` does to the questions that wait.
// Does not:  know a person (the host's asker does), or run calls.
//
// Invariants:
//   QU1. One question of a wave is asked at a time, the first open one in call order.

import { invariant } from "../core/invariant.js";
import type { AskedQuestion } from "../core/question.js";
import { answerReceived, questionAsked } from "../ledger/pause-entries.js";
import { ABORTED } from "./abortable-waits.js";
import type { CallState } from "./call-state.js";
import { answer, approveByRules, type Pending, pendingOf } from "./pending.js";
import type { PersonSaid } from "./wave-options.js";
import type { WaveState } from "./wave-state.js";

/** The open questions of the calls, in call order. */
export function questionsOf<T>(wave: WaveState<T>, states: Iterable<CallState<T>>): Pending[] {
	const { runId, step } = wave.options;
	return [...states]
		.sort((one, other) => one.index - other.index)
		.flatMap(({ path, index, memory }) => pendingOf({ runId, step, path, memory }).map((one) => ({ ...one, index })));
}

/** Asks until nothing is open, or the wave is aborted. */
export async function askPeople<T>(wave: WaveState<T>, states: readonly CallState<T>[]): Promise<void> {
	const { how } = wave.options.asking;
	invariant(typeof how === "function", "QU1", "a wave asks a person that its host does not let it ask");
	const { clock } = wave.options;
	for (const state of states) state.waitsSince ??= clock.now();
	for (let open = questionsOf(wave, states); open[0] !== undefined; open = questionsOf(wave, states)) {
		const [first] = open;
		const controller = new AbortController();
		recordQuestion(wave, first);
		const said = await wave.unlessAborted(how(shown(first), controller.signal), first.index);
		if (said === ABORTED) {
			const { halt } = wave;
			const aborted = halt?.kind === "aborted" ? halt : wave.plan.states[first.index]?.aborted;
			controller.abort(aborted?.reason);
			if (wave.startsNothing) return;
			continue;
		}
		hear(wave, open, said);
	}
	for (const state of states) state.answered(clock.now(), clock.monotonicMs());
}

/** What the host is given: data alone, which it may post anywhere, and its own, because the ledger and the call keep theirs. */
function shown({ id, index, question }: Pending): AskedQuestion {
	return { id, index, question: structuredClone(question) };
}

export function recordQuestion<T>(wave: WaveState<T>, { id, index, path, question }: Pending): void {
	const { runId, step, clock, hub } = wave.options;
	wave.record([questionAsked({ runId, at: clock.now() }, { step, id, path }, question)]);
	const name = wave.plan.states[index]?.call.name ?? "";
	hub.emit({ kind: "call_asked", runId, step, index, name, id, question });
}

/** Takes what the person said; what an `always` of theirs covers need not be asked any more. */
function hear<T>(wave: WaveState<T>, open: readonly Pending[], said: PersonSaid): void {
	const [first, ...others] = open;
	if (first === undefined) return;
	const { rules } = wave.options.asking;
	const problem = "answer" in said ? answer(first, said.answer, rules) : said.unanswered;
	if ("answer" in said && problem === undefined) {
		recordAnswer(wave, first, { answer: said.answer, by: "person" });
		for (const ruled of approveByRules(others, rules)) recordAnswer(wave, ruled, RULED);
	} else {
		const why = problem ?? "nothing was said";
		first.giveUp(why);
		recordAnswer(wave, first, { unanswered: why });
	}
}

const RULED = { answer: { approve: true }, by: "rule" } as const;

function recordAnswer<T>(wave: WaveState<T>, { id, index }: Pending, said: Parameters<typeof answerReceived>[2]): void {
	const { runId, step, clock, hub } = wave.options;
	wave.record([answerReceived({ runId, at: clock.now() }, { step, id }, said)]);
	const name = wave.plan.states[index]?.call.name ?? "";
	hub.emit({ kind: "call_answered", runId, step, index, name, id });
}
