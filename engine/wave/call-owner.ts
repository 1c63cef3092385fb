// Call owner
//
// Who a started call answers to: its wave, or the middleware around it, which may have it started again.

import type { Outcome } from "../core/outcome.js";
import type { RunningCall } from "../execution/running-call.js";
import type { CallState } from "./call-state.js";

export interface CallOwner<T> {
	/** Whether a call that has not begun may no longer begin. */
	readonly startsNothing: boolean;
	/** Takes the call while it runs. */
	runs(state: CallState<T>, ticket: T, running: RunningCall): void;
	/** Takes its outcome. */
	settle(state: CallState<T>, outcome: Outcome): void;
}
