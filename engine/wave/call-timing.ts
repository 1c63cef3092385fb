// Call timing
//
// Where a call's time went. A call may run several times, because it asked a person in between; what its earlier runs
// took is added up, and none of the person's time is in any of them.
//
// Owns:      the arithmetic.
// Does not:  read a clock.

import type { TimingRecord } from "../core/call-record.js";
import type { CallState } from "./call-state.js";

/** What the call's last run took, without its earlier ones. */
function lastRun<T>(state: CallState<T>, startedMs: number): TimingRecord {
	const { readyMs, turnMs, beganMs, ranMs, lockMs, gateMs, wrapMs, awayMs } = state;
	const baseMs = readyMs ?? startedMs;
	const fromMs = Math.max(beganMs ?? turnMs, baseMs);
	return {
		gateMs: Math.max(0, turnMs - baseMs) + gateMs,
		lockMs: lockMs + awayMs,
		slotMs: Math.max(0, fromMs - Math.max(turnMs, baseMs) - lockMs - gateMs - wrapMs),
		personMs: 0,
		ranMs,
		hiddenMs: beganMs === undefined ? 0 : Math.min(ranMs, Math.max(0, startedMs - beganMs)),
	};
}

/** All of the call's time in the wave that started then. */
export function timingOf<T>(state: CallState<T>, startedMs: number): TimingRecord {
	const last = lastRun(state, startedMs);
	const { earlier } = state;
	if (earlier === undefined) return last;
	return {
		gateMs: earlier.gateMs + last.gateMs,
		lockMs: earlier.lockMs + last.lockMs,
		slotMs: earlier.slotMs + last.slotMs,
		personMs: earlier.personMs,
		ranMs: earlier.ranMs + last.ranMs,
		hiddenMs: earlier.hiddenMs + last.hiddenMs,
	};
}
