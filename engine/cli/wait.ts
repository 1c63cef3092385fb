// Wait
//
// A pause on the clock that an abort cuts short. Node's own timers would do the same, by a clock that a test cannot move.
//
// Owns:      the timer and the listener, and letting go of both.
// Does not:  say which of the two ended it.

import type { Clock } from "../index.js";

/** Resolves after `delayMs`, or at once when the signal aborts; which of the two, the signal tells. */
export function wait(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		if (signal.aborted || delayMs <= 0) {
			resolve();
			return;
		}
		const done = () => {
			cancel();
			signal.removeEventListener("abort", done);
			resolve();
		};
		const cancel = clock.setTimer(done, delayMs);
		signal.addEventListener("abort", done, { once: true });
	});
}
