// Run past
//
// What a call may know of, among the calls of its line: those of earlier segments, and of the ones that its maker had made
// before it those that its maker had been answered.
//
// Owns:      that reading of a policy's view.
// Does not:  know what came of the calls (run-line.ts).

import { isInRanges, type NumberRange } from "../core/number-ranges.js";
import type { PolicyView } from "./policy.js";

export type Past = Pick<PolicyView, "segment" | "unanswered">;

/** The call's index in its line. */
export function lastOf({ index, lineage }: PolicyView): number {
	return lineage?.at(-1) ?? index;
}

/** Of what a call may know: the calls before the given one that its maker had been answered. */
export function pastOf({ unanswered }: Pick<PolicyView, "unanswered">, segment: number): Past {
	return unanswered === undefined ? { segment } : { segment, unanswered };
}

/** Whether the call of this index was accounted, or is over without, as one may know who knows that much. */
export function isKnown({ segment, unanswered }: Past, index: number): boolean {
	return index < segment && (unanswered === undefined || !isInRanges(unanswered, index));
}

/** The calls up to the given one that its maker had not been answered. */
export function* unansweredUpTo({ unanswered = NONE }: Past, end: number): Generator<number> {
	for (const [first, last] of unanswered) {
		for (let index = first; index <= Math.min(last, end); index += 1) yield index;
		if (last >= end) return;
	}
}

const NONE: readonly NumberRange[] = [];
