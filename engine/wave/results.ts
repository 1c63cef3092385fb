// Results
//
// What a wave has to tell at its end: one result a call that has settled, in call order. Of a wave that paused those are
// not all of its calls, and a call that has settled beside one that asked is told as it settled, before its accounting.
//
// Owns:      which calls have a result, and what is in it.
// Does not:  say what the shape promises (wave-result.ts), or work out times (call-timing.ts).

import { broken } from "../core/invariant.js";
import type { Outcome } from "../core/outcome.js";
import type { CallState } from "./call-state.js";
import { hiddenMsOf, spentOf } from "./call-timing.js";
import { questionsOf } from "./questions.js";
import type { CallResult, EndedStages } from "./wave-result.js";
import type { WaveState } from "./wave-state.js";

export function resultOf<T>(wave: WaveState<T>): EndedStages {
	const { plan, options, startedMs, status, steers } = wave;
	const results: CallResult[] = [];
	for (const state of plan.states) {
		const result = callResult(wave, state);
		if (result !== undefined) results.push(result);
	}
	const totalMs = options.clock.monotonicMs() - startedMs;
	const ranMs = results.reduce((sum, { timing }) => sum + timing.ranMs, 0);
	const questions = wave.paused
		? questionsOf(wave, plan.states).map(({ id, index, question }) => ({ id, index, question }))
		: [];
	return { status, results, questions, steers, timing: { totalMs, ranMs } };
}

function callResult<T>(wave: WaveState<T>, state: CallState<T>): CallResult | undefined {
	const { index, call, ahead, phase, overran } = state;
	const outcome = outcomeOf(wave, state);
	if (outcome === undefined && !wave.paused) broken("WV2", `call ${index} has no outcome`);
	if (outcome === undefined) return undefined;
	const spent = spentOf(state, wave.startedMs);
	const timing = overran === undefined ? spent : { ...spent, overran };
	const hiddenMs = hiddenMsOf(state, wave.startedMs);
	const result = { index, id: call.id, name: call.name, outcome, timing, ahead, hiddenMs };
	const replayOf = phase.kind === "accounted" ? phase.replayOf : undefined;
	return replayOf === undefined ? result : { ...result, replayOf };
}

function outcomeOf<T>(wave: WaveState<T>, { index, phase, settled }: CallState<T>): Outcome | undefined {
	if (phase.kind === "accounted") return wave.accountant.outcomes[index];
	if (settled === undefined) return undefined;
	const { answer } = settled;
	if (answer.kind !== "repeat") return answer.outcome;
	const original = wave.plan.states[answer.of];
	return original && outcomeOf(wave, original);
}
