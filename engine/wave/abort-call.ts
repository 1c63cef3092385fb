// Abort call
//
// The abort of one call, in whatever state it is. The calls beside it go on; in its segment it keeps its place, so that
// nothing of the order of the others depends on it.
//
//   not admitted, or admitted and not started   it never starts: settled when its turn comes, in call order
//   working out its keys, or waiting for them   gives up its place
//   running, or in its middleware               answered at once, as by an abort of the wave
//   waiting for a person                        answered at once; nobody is asked about it any more
//   settled                                     nothing
//
// Owns:      that, for one call, and the outcome of a call that is aborted while it waits for a person.
// Does not:  abort a wave (wave-state.ts).
//
// Invariants:
//   AC1. A call that was aborted before it began never begins.

import type { Outcome } from "../core/outcome.js";
import { abortedAsking, abortedWaiting, beforeDispatch } from "../execution/interrupted.js";
import type { CallState } from "./call-state.js";
import { hasRun } from "./pending.js";
import type { WaveState } from "./wave-state.js";

export function abortCall<T>(wave: WaveState<T>, index: number, reason: unknown): boolean {
	const state = wave.plan.states[index];
	// A wave that pauses is being written down: what changed now would be in one half of its checkpoint.
	if (wave.paused) return false;
	if (state === undefined || state.phase.kind === "settled" || state.phase.kind === "accounted") return false;
	state.aborted ??= { reason };
	const { phase } = state;
	if (phase.kind === "running") phase.running.abort(reason);
	else if (phase.kind === "wrapped") phase.by.abort(reason);
	else if (phase.kind === "asking") settleAsking(wave, state, reason);
	wave.waitsOfCalls.abortCall(index, reason);
	// Nobody need be asked beforehand about what will not run.
	if (phase.kind === "planned") state.memory = undefined;
	return true;
}

/** What a call ends with that was aborted before it began, by itself or with its wave; nothing for any other. */
export function endOfAborted<T>({ halt }: WaveState<T>, { aborted }: CallState<T>): Outcome | undefined {
	return halt?.kind === "aborted" || aborted !== undefined ? beforeDispatch() : undefined;
}

/** AC1: whether the call may not begin any more, by itself or with its wave. */
export function isStopped<T>(owner: { readonly startsNothing: boolean }, { aborted }: CallState<T>): boolean {
	return owner.startsNothing || aborted !== undefined;
}

/** The outcome of a call that waited for its keys and may not begin any more. */
export function stoppedWaiting<T>({ halt }: WaveState<T>, { aborted }: CallState<T>): Outcome {
	if (halt?.kind === "aborted") return abortedWaiting(halt.reason);
	return aborted === undefined ? beforeDispatch() : abortedWaiting(aborted.reason);
}

/** Settles a call that waits for a person; it was aborted, or where no reason is given stopped by another's failure. */
export function settleAsking<T>(wave: WaveState<T>, state: CallState<T>, reason: unknown): void {
	const { phase } = state;
	if (phase.kind !== "asking") return;
	const ran = hasRun(state.memory);
	if ("cleared" in phase.admitted) wave.clear(state, phase.admitted.cleared);
	wave.settle(state, ran && reason !== undefined ? abortedAsking(reason) : beforeDispatch());
}
