// Call timing
//
// Where a call's time went. A call may run several times, because it asked a person in between; what its earlier runs
// took is added up, and none of the person's time is in any of them.
//
// Owns:      the arithmetic.
// Does not:  read a clock.

import { NO_TIMING, type TimingRecord } from "../core/call-record.js";
import type { CallState } from "./call-state.js";

/** All of the call's time in the wave that started then. */
export function timingOf<T>(state: CallState<T>, startedMs: number): TimingRecord {
	return { ...spentOf(state, startedMs), hiddenMs: hiddenMsOf(state, startedMs) };
}

/** What it waited and ran. */
export function spentOf<T>(state: CallState<T>, startedMs: number): Omit<TimingRecord, "hiddenMs"> {
	const { turnMs, beganMs, ranMs, lockMs, gateMs, wrapMs, awayMs } = state;
	const { readyMs = startedMs, earlier = NO_TIMING } = state;
	const fromMs = Math.max(beganMs ?? turnMs, readyMs);
	const slotMs = Math.max(0, fromMs - Math.max(turnMs, readyMs) - lockMs - gateMs - wrapMs);
	return {
		gateMs: earlier.gateMs + Math.max(0, turnMs - readyMs) + gateMs,
		lockMs: earlier.lockMs + lockMs + awayMs,
		slotMs: earlier.slotMs + slotMs,
		personMs: earlier.personMs,
		ranMs: earlier.ranMs + ranMs,
	};
}

/** What it ran before the wave started. */
export function hiddenMsOf<T>({ beganMs, ranMs, earlier = NO_TIMING }: CallState<T>, startedMs: number): number {
	if (beganMs === undefined) return earlier.hiddenMs;
	return earlier.hiddenMs + Math.min(ranMs, Math.max(0, startedMs - beganMs));
}
