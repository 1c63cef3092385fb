// Call owner
//
// Who a started call answers to: its wave, or the middleware around it, which may have it started again.
//
// Owns:      what an owner is told of its call, and what a run leaves for the next.
// Does not:  own a call (wave-state.ts, attempts.ts) or start one (start-call.ts).

import type { Outcome } from "../core/outcome.js";
import type { CallContext } from "../execution/call-context.js";
import type { RunningCall } from "../execution/running-call.js";
import type { CallState } from "./call-state.js";

/** What a run that ended without an outcome leaves for the next: whose children there are, and what it remembers. */
export type LeftForNext = Pick<CallContext, "identity" | "remembered">;

export interface CallOwner<T> {
	/** Whether a call that has not begun may no longer begin. */
	readonly startsNothing: boolean;
	/** Takes the call while it runs. */
	runs(state: CallState<T>, ticket: T, running: RunningCall): void;
	/** Takes it as one that has asked a person and holds nothing any more. */
	interrupt(state: CallState<T>, left: LeftForNext): void;
	/** Takes its outcome. */
	settle(state: CallState<T>, outcome: Outcome): void;
}
