// Start call
//
// One cleared call, from its turn to its answer: its intent where it may change something, then its executor. The call
// holds the slot that the pool took for it; the promise that comes back gives the slot up.
//
// Owns:      the order of those steps.
// Does not:  limit or interrupt a call that runs (execution/running-call.ts).

import { invariant } from "../core/invariant.js";
import type { Invocable } from "../core/invocable.js";
import { CallContext } from "../execution/call-context.js";
import { beforeDispatch } from "../execution/interrupted.js";
import { RunningCall } from "../execution/running-call.js";
import type { CallState } from "./call-state.js";
import type { Intents } from "./intents.js";
import { faceFailed } from "./wave-plan.js";
import type { WaveState } from "./wave-state.js";

/** Nothing where the call settled at once, else a promise that resolves when it has; never rejects. */
export function startCall<T>(wave: WaveState<T>, state: CallState<T>, intents: Intents<T>): void | Promise<void> {
	if (state.read) return begin(wave, state);
	// IN1: only once this has resolved does anything that is not a read begin.
	return intents.durable().then(
		() => {
			// The wave may have been aborted while the barrier was under way; what has not begun does not begin.
			if (wave.startsNothing) return wave.settle(state, beforeDispatch());
			return begin(wave, state);
		},
		(error: unknown) => {
			wave.fail(error);
			wave.settle(state, beforeDispatch());
		},
	);
}

function begin<T>(wave: WaveState<T>, state: CallState<T>): void | Promise<void> {
	const { phase } = state;
	invariant(phase.kind === "cleared", "K1", `call ${state.index} began without a ticket`);
	const early = wave.options.early?.take(state.index, state.call);
	const running = early ?? startable(wave, state, phase.ticket);
	if (running === undefined) return;
	state.ahead = early !== undefined;
	state.move({ kind: "running", ticket: phase.ticket, running });
	wave.track(running);
	if (early === undefined) running.start();
	if (running.answer !== undefined) return wave.settle(state, running.answer);
	return new Promise((resolve) => {
		running.onAnswer((outcome) => {
			wave.settle(state, outcome);
			resolve();
		});
	});
}

/** The call on what its face lends it; settles the call and gives nothing where the face fails. */
function startable<T>(wave: WaveState<T>, state: CallState<T>, ticket: T): RunningCall | undefined {
	const { runId, step, timeouts, clock } = wave.options;
	const { call, index, read, meta } = state;
	let invocable: Invocable;
	try {
		invocable = wave.face.tool(ticket);
	} catch (error) {
		wave.settle(state, faceFailed("tool", error));
		return undefined;
	}
	const identity = { runId, step, index, callId: call.id, name: call.name };
	// One object of limits for all calls whose tool sets none of its own.
	const limits = meta?.timeoutMs === undefined ? timeouts : { ...timeouts, toolMs: meta.timeoutMs };
	return new RunningCall({
		call,
		invocable,
		context: new CallContext(identity),
		read,
		limits,
		clock,
		watch: wave.watch,
	});
}
