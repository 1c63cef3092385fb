// Signed claims
//
// Where a text holds a JSON web token: a head and a body, both of which begin as the base64 of `{"` does, and a signature,
// parted by dots.
//
// An expression of the whole shape would look at the text behind it anew at each beginning that leads nowhere, and a text
// from outside may be nothing but beginnings. So it is the dot before a body that is looked for, and the head is read
// backwards from there. No run of letters is looked at more than a few times, whatever the text.
//
// Owns:      that search.
// Does not:  know other shapes, or what becomes of a find (secret-rules.ts).

import { CLAIMS_HEAD_CHARS_MAX } from "../core/limits.js";

const BEGIN = "eyJ";
/** Fewest characters of a head behind its beginning; a body has as many. */
const REST_CHARS_MIN = 8;
/** Bounded, because a run of millions of letters does not fit on the stack of the matcher. */
const BEFORE_BODY = /\.(?=(eyJ[\w-]{8,1000000}\.[\w-]{16,4000}))/g;

/** A place in a text: from `start` up to `end`. */
export interface ClaimsPlace {
	readonly start: number;
	readonly end: number;
}

/** Every JSON web token of the text; places may overlap. */
export function signedClaims(text: string): readonly ClaimsPlace[] {
	const found: ClaimsPlace[] = [];
	for (const { index: dot, 1: rest = "" } of text.matchAll(BEFORE_BODY)) {
		const start = headBefore(text, dot);
		if (start !== undefined) found.push({ start, end: dot + 1 + rest.length });
	}
	return found;
}

/** Where the head begins that ends at the dot: as early as it may. */
function headBefore(text: string, dot: number): number | undefined {
	let from = dot;
	while (from > 0 && dot - from < CLAIMS_HEAD_CHARS_MAX && isClaimsChar(text, from - 1)) from -= 1;
	const head = text.slice(from, dot);
	for (let at = head.indexOf(BEGIN); at !== -1; at = head.indexOf(BEGIN, at + 1)) {
		if (at + BEGIN.length + REST_CHARS_MIN > head.length) return undefined;
		// Inside a word it is a part of that word.
		if (from + at === 0 || !/\w/.test(text[from + at - 1] ?? "")) return from + at;
	}
	return undefined;
}

function isClaimsChar(text: string, at: number): boolean {
	return /[\w-]/.test(text[at] ?? "");
}
