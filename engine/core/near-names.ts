// Near names
//
// Which of the known names was probably meant by one that is unknown, so that a refusal can say so.
//
// Owns:      what counts as near.
// Does not:  hold names (tool-set.ts for tools, known-fields.ts for options).

import { distance } from "fastest-levenshtein";
import { NEAR_NAMES_MAX } from "./limits.js";

/** The near ones of the known names, the nearest first: few letters away, or the same words in another dress. */
export function nearNames(name: string, known: Iterable<string>): string[] {
	const wanted = plain(name);
	const scored = [...known].map((one) => ({ known: one, away: distance(plain(one), wanted) }));
	const close = scored.filter((one) => one.away <= lettersAway(plain(one.known)));
	close.sort((left, right) => left.away - right.away || (left.known < right.known ? -1 : 1));
	return close.slice(0, NEAR_NAMES_MAX).map((one) => one.known);
}

/** How many letters may be wrong. Under half of a short name, or every name of two letters would be near every other. */
function lettersAway(known: string): number {
	return Math.min(Math.max(2, Math.floor(known.length / 3)), Math.floor((known.length - 1) / 2));
}

function plain(name: string): string {
	return name
		.slice(0, 128)
		.replace(/[^\p{L}\p{N}]/gu, "")
		.toLowerCase();
}
