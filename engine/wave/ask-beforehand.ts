// Ask beforehand
//
// The approvals that tools want are known before anything is scheduled, so a person sees all of them at once, and a call
// that is declined holds nobody back: it is scheduled as one that needs no tool.
//
// Owns:      those approvals, up to the moment the segments are cut.
// Does not:  decide what an approval needs or does (approvals.ts).

import { asksBeforehand, decidedBeforehand } from "./approvals.js";
import type { CallState } from "./call-state.js";
import { askPeople } from "./questions.js";
import type { WaveState } from "./wave-state.js";

/** Asks where the host has somebody to ask; gives whether a call waits for its approval still. */
export type WaitsBeforehand<T> = (state: CallState<T>) => boolean;

export async function askBeforehand<T>(wave: WaveState<T>): Promise<WaitsBeforehand<T>> {
	const { states } = wave.plan;
	const waiting = new Set(
		states.filter(({ meta }) => meta?.approval !== undefined).filter((state) => isOpen(wave, state)),
	);
	if (waiting.size > 0 && typeof wave.options.asking.how === "function") {
		await askPeople(wave, [...waiting]);
		waiting.clear();
	}
	for (const state of states) if (state.meta?.approval !== undefined) state.decided = decidedBeforehand(wave, state);
	return (state) => waiting.has(state);
}

// A call that had been admitted before a pause waits in its own place, and is asked about from there.
function isOpen<T>(wave: WaveState<T>, state: CallState<T>): boolean {
	if (state.record !== undefined && "at" in state.record) return false;
	return asksBeforehand(wave, state);
}
