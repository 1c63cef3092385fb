// Ask beforehand
//
// The approvals that tools want are known before anything is scheduled, so a person sees all of them at once, and a call
// that is declined holds nobody back: it is scheduled as one that needs no tool.
//
// Owns:      those approvals, up to the moment the segments are cut.
// Does not:  decide what an approval needs or does (approvals.ts).

import { APPROVAL } from "../core/call-record.js";
import { asksBeforehand, decidedBeforehand } from "./approvals.js";
import type { CallState } from "./call-state.js";
import { askPeople } from "./questions.js";
import type { WaveState } from "./wave-state.js";

/** Asks where the host has somebody to ask; gives whether a call waits for its approval still. */
export type WaitsBeforehand<T> = (state: CallState<T>) => boolean;

export async function askBeforehand<T>(wave: WaveState<T>): Promise<WaitsBeforehand<T>> {
	const gated = wave.plan.states.filter(({ meta }) => meta?.approval !== undefined);
	const waiting = new Set(gated.filter((state) => !isBehind(state) && asksBeforehand(wave, state)));
	if (waiting.size > 0 && typeof wave.options.asking.how === "function") {
		await askPeople(wave, [...waiting]);
		waiting.clear();
	}
	for (const state of gated) {
		const isDecided = !isBehind(state) || state.memory?.answers[APPROVAL] !== undefined;
		if (isDecided) state.decided = decidedBeforehand(wave, state);
	}
	return (state) => waiting.has(state);
}

/** What a person had said by a pause, and nothing else. */
export function decideAsBefore<T>(wave: WaveState<T>): void {
	for (const state of wave.plan.states) {
		const isSaid = state.meta?.approval !== undefined && state.memory?.answers[APPROVAL] !== undefined;
		if (isSaid) state.decided = decidedBeforehand(wave, state);
	}
}

// What was admitted before a pause has its approval, or waits for it in its own place. What was declined by then is still
// a call that needs no tool: the segments are cut as they were.
function isBehind<T>({ record }: CallState<T>): boolean {
	return record !== undefined && "at" in record;
}
