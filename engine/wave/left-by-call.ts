// Left by call
//
// What a call that settles leaves for accounting: the form that it is accounted as, the lines of the calls that it made,
// and how long it ran. Where it stood decides each of them.
//
// Owns:      that reading of a call's phase.
// Does not:  move the call on (call-state.ts) or account it (accounting/account.ts).

import { InvariantError } from "../core/invariant.js";
import type { RunningCall } from "../execution/running-call.js";
import type { RanAs } from "../ledger/call-entries.js";
import type { CallState, Cleared } from "./call-state.js";
import { type LeftByMade, type NestedCalls, NOTHING_MADE } from "./nested-calls.js";

export interface LeftByCall<T> {
	/** Left out for a call that was answered without a ticket. */
	readonly cleared: Cleared<T> | undefined;
	readonly children: LeftByMade;
	readonly ranAs: RanAs | undefined;
}

/** How long the call ran, and waited for keys meanwhile. */
export function takeTimes<T>(state: CallState<T>, { beganMs, ranMs, awayMs }: RunningCall): void {
	state.beganMs = beganMs;
	state.ranMs = ranMs;
	if (awayMs > 0) state.awayMs = awayMs;
}

export function leftBy<T>(state: CallState<T>, nested: NestedCalls<T>): LeftByCall<T> {
	const { phase, call } = state;
	switch (phase.kind) {
		case "planned":
		case "asking":
			return { cleared: undefined, children: NOTHING_MADE, ranAs: undefined };
		case "cleared":
			// It may have made calls to tell its keys.
			return {
				cleared: { call, ticket: phase.ticket },
				children: state.identity === undefined ? NOTHING_MADE : nested.take(state.identity),
				ranAs: undefined,
			};
		case "running": {
			const { running, ticket } = phase;
			takeTimes(state, running);
			if (running.overran !== undefined) state.overran = running.overran;
			const children = nested.take(running.context.identity);
			return { cleared: { call, ticket }, children, ranAs: undefined };
		}
		case "wrapped": {
			const { ran, ranAs, identity } = phase.by;
			const cleared = ran ?? { call, ticket: phase.ticket };
			return { cleared, children: nested.take(identity), ranAs };
		}
		case "settled":
		case "accounted":
			throw new InvariantError("K1", `call ${state.index} settled twice`);
	}
}
