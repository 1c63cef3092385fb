// Alike JSON
//
// The events of a stream are alike: one after another they are the same text but for a piece of an argument and perhaps a
// number or some padding. Parsing an event of a few characters costs most of reading it, nearly all of that for what the
// last one had as well. So two texts that differ only in values that are strings or numbers make a mould: what both have,
// and holes between. A text that fills each hole with one string or number is the mould's value with these in their
// places; every other text is parsed as ever. Reading only the fields that are wanted lost: it would not see that a text
// is no JSON.
//
// Owns:      whether a text fits the mould, and how often it is worth looking for another mould.
// Does not:  make a mould (json-mould.ts), or judge a text that is no JSON (`JSON.parse` does).
//
// Invariants:
//   AJ1. A text gives the value that `JSON.parse` gives, or throws where that throws.
//   AJ2. A string of the value keeps no other text in memory.

import { plainEnd } from "../core/json-scanner.js";
import { ALIKE_JSON_CHARS_MAX } from "../core/limits.js";
import { type Hole, type Leaf, type Mould, mouldOf } from "./json-mould.js";

// A look at two texts costs about what ten texts save that fit. Where nothing is alike, one text in 500 is looked at.
const LOOK_COST = 500;
const FIT_EARNS = 50;
const MISFIT_EARNS = 1;
const CREDIT_MAX = 4 * LOOK_COST;

const QUOTE = 34;
const BACKSLASH = 92;

export class AlikeJson {
	#mould: Mould | undefined;
	/** The last text that did not fit. */
	#unlike = "";
	#credit = CREDIT_MAX;
	/** What fills the holes of the text at hand, and where the last of it ends. */
	readonly #leaves: Leaf[] = [];
	#end = 0;

	/** The value of the text. The next text may use its objects again: only its strings and numbers are to be kept. */
	parse(text: string): unknown {
		if (this.#mould !== undefined && this.#fill(this.#mould, text)) {
			this.#credit = Math.min(this.#credit + FIT_EARNS, CREDIT_MAX);
			return this.#mould.value;
		}
		const value: unknown = JSON.parse(text);
		if (text.length <= ALIKE_JSON_CHARS_MAX) this.#learn(text, value);
		return value;
	}

	/** Whether the text fits; only then anything is put into the mould's value. */
	#fill({ holes, last }: Mould, text: string): boolean {
		this.#end = 0;
		for (let place = 0; place < holes.length; place += 1) {
			const leaf = this.#leaf(holes[place] as Hole, text);
			if (leaf === undefined) return false;
			this.#leaves[place] = leaf;
		}
		if (text.slice(this.#end) !== last) return false;
		for (let place = 0; place < holes.length; place += 1) {
			const { container, key } = holes[place] as Hole;
			container[key] = this.#leaves[place];
		}
		return true;
	}

	// AJ1: up to here the text is that of some JSON, so a string or a number that does not parse makes all of it none.
	#leaf({ before, kind }: Hole, text: string): Leaf | undefined {
		const from = this.#end + before.length;
		// `startsWith` goes character by character here, and takes as long as half of the parsing that is saved.
		if (text.slice(this.#end, from) !== before) return undefined;
		if (kind === "string") return this.#string(text, from);
		this.#end = numberEnd(text, from);
		return this.#end === from ? undefined : (JSON.parse(text.slice(from, this.#end)) as number);
	}

	#string(text: string, from: number): string | undefined {
		let end = plainEnd(text, from);
		this.#end = end;
		// AJ2: so short a slice is a copy; a longer one would be a view that keeps the text it is cut from.
		if (end - from <= COPIED_CHARS_MAX && text.charCodeAt(end) === QUOTE) return text.slice(from, end);
		while (end < text.length && text.charCodeAt(end) !== QUOTE) end += text.charCodeAt(end) === BACKSLASH ? 2 : 1;
		this.#end = end;
		return end < text.length ? (JSON.parse(text.slice(from - 1, end + 1)) as string) : undefined;
	}

	#learn(text: string, value: unknown): void {
		const before = this.#unlike;
		this.#unlike = text;
		this.#credit += MISFIT_EARNS;
		if (before === "" || this.#credit < LOOK_COST) return;
		this.#credit -= LOOK_COST;
		this.#mould = mouldOf({ text, value, before }) ?? this.#mould;
	}
}

/** Longest slice that the runtime copies. */
const COPIED_CHARS_MAX = 12;

function numberEnd(text: string, from: number): number {
	let at = from;
	while (at < text.length && isOfNumber(text.charCodeAt(at))) at += 1;
	return at;
}

/** A digit, a sign, a point or the letter of an exponent. */
function isOfNumber(code: number): boolean {
	return (code >= 48 && code <= 57) || code === 45 || code === 46 || code === 43 || code === 101 || code === 69;
}
