// Near names
//
// Which of the known names was probably meant by one that is unknown, so that a refusal can say so.
//
// Owns:      what counts as near.
// Does not:  hold what the names are of (tool-set.ts for tools, known-fields.ts for options).

import { distance } from "fastest-levenshtein";
import { NEAR_NAME_CHARS_MAX, NEAR_NAMES_MAX } from "./limits.js";

interface PlainName {
	readonly known: string;
	readonly letters: string;
}

export class NearNames {
	readonly #plainNames: readonly PlainName[];

	constructor(known: Iterable<string>) {
		this.#plainNames = [...known].map((one) => ({ known: one, letters: plain(one) }));
	}

	/** The nearest first: few letters away, or the same words in another dress. */
	to(name: string): string[] {
		if (name.length > NEAR_NAME_CHARS_MAX) return [];
		const wanted = plain(name);
		const close: { known: string; away: number }[] = [];
		for (const { known, letters } of this.#plainNames) {
			const most = lettersAway(letters);
			// The lengths alone put most names too far away, and are known without comparing letters.
			if (Math.abs(letters.length - wanted.length) > most) continue;
			const away = distance(letters, wanted);
			if (away <= most) close.push({ known, away });
		}
		close.sort((left, right) => left.away - right.away || (left.known < right.known ? -1 : 1));
		return close.slice(0, NEAR_NAMES_MAX).map(({ known }) => known);
	}
}

/** How many letters may be wrong. Under half of a short name, or every name of two letters would be near every other. */
function lettersAway(known: string): number {
	return Math.min(Math.max(2, Math.floor(known.length / 3)), Math.floor((known.length - 1) / 2));
}

function plain(name: string): string {
	return name.replace(/[^\p{L}\p{N}]/gu, "").toLowerCase();
}
