// Ahead sum
//
// What starting early was worth to one step, whose reply may have begun several times: each attempt is measured by
// itself, and what all of them threw away is thrown away for the step.
//
// Owns:      that sum.
// Does not:  measure (the engine does, at the end of each reply).

import type { AheadMeasure, DiscardedWork } from "../core/events.js";

/** The measure of a step up to and with another attempt at its reply. */
export function withAttempt(before: AheadMeasure | undefined, attempt: AheadMeasure): AheadMeasure {
	if (before === undefined) return attempt;
	const discarded = new Map<string, DiscardedWork>();
	for (const work of [...before.discarded, ...attempt.discarded]) {
		const { calls = 0, ranMs = 0 } = discarded.get(work.reason) ?? {};
		discarded.set(work.reason, { reason: work.reason, calls: calls + work.calls, ranMs: ranMs + work.ranMs });
	}
	return { ...attempt, started: before.started + attempt.started, discarded: [...discarded.values()] };
}
