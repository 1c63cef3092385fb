// Wait
//
// A pause on the clock that an abort cuts short. Node's own timers would do the same, by a clock that a test cannot move.

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
