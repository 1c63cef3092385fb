// JSON scanner
//
// Follows JSON text as it arrives, character by character, and knows the moment the value closes or stops being JSON.
// It keeps no text and builds no value, so a megabyte in tiny pieces costs one pass. A parser that repairs or guesses
// lost here: a cut-off argument must never look whole.
//
// Owns:      the grammar of RFC 8259, the end of the value, the place of the first character that cannot be.
// Does not:  build the value (JSON.parse does, once) or judge what it means.
//
// Invariants:
//   JS1. The state is complete exactly when the text so far is a JSON value that no further character can lengthen.
//   JS2. A problem names the first character that no JSON text could have in that place, and never changes.

import { JSON_DEPTH_MAX } from "./limits.js";

/** How far the text is. A complete value becomes a problem if anything but white space follows it. */
export type ScanState =
	| { readonly kind: "open" }
	/** `end` is the offset just past the value. */
	| { readonly kind: "complete"; readonly end: number }
	| { readonly kind: "problem"; readonly position: number; readonly problem: string };

export type ScanProblem = Extract<ScanState, { kind: "problem" }>;

// What may come next. Plain numbers, so that the switch below is a jump and a delta of a few characters stays cheap; up
// to SPACE, white space may come as well.
const VALUE = 0;
const ELEMENT_OR_END = 1;
const KEY_OR_END = 2;
const KEY = 3;
const COLON = 4;
const COMMA_OR_END = 5;
const SPACE = 6;
const STRING = 7;
const ESCAPE = 8;
const HEX = 9;
const LITERAL = 10;
const MINUS = 11;
const ZERO = 12;
const INTEGER = 13;
const POINT = 14;
const FRACTION = 15;
const EXPONENT = 16;
const EXPONENT_SIGN = 17;
const EXPONENT_DIGITS = 18;

const EXPECTED: Readonly<Record<number, string>> = {
	[VALUE]: "a value",
	[ELEMENT_OR_END]: "a value or `]`",
	[KEY_OR_END]: "a name in double quotes or `}`",
	[KEY]: "a name in double quotes",
	[COLON]: "`:`",
	[COMMA_OR_END]: "`,` or the closing bracket",
	[SPACE]: "only white space after the value",
	[STRING]: "no bare control character inside a string",
	[ESCAPE]: "one of the escapes of JSON",
	[HEX]: "a hexadecimal digit",
	[LITERAL]: "`true`, `false` or `null`",
};

const OBJECT = 123;
const ARRAY = 91;
const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;

const OPEN: ScanState = { kind: "open" };

export class JsonScanner {
	#state: ScanState = OPEN;
	#next = VALUE;
	#offset = 0;
	/** The opening brackets around the place reached, innermost last. */
	readonly #around: number[] = [];
	#stringIsKey = false;
	#literal = "";
	/** Characters of the literal read, or hexadecimal digits still to come. */
	#count = 0;

	get state(): ScanState {
		return this.#state;
	}

	/** Takes the next piece of the text; a piece may begin and end anywhere. */
	push(text: string): void {
		if (this.#state.kind === "problem") return;
		for (let at = 0; at < text.length; at += 1) {
			if (this.#next === STRING) {
				at = plainEnd(text, at);
				if (at === text.length) break;
			}
			if (!this.#take(text.charCodeAt(at), this.#offset + at)) {
				this.#refuse(text, at);
				return;
			}
		}
		this.#offset += text.length;
	}

	/** Says that the text is over: a number ends here, any other open value is a problem at the end. */
	finish(): ScanState {
		if (this.#state.kind === "open") {
			if (this.#around.length === 0 && isNumberEnd(this.#next)) this.#valueEnds(this.#offset);
			else this.#fail(this.#offset, "the text ends inside the value");
		}
		return this.#state;
	}

	#take(code: number, offset: number): boolean {
		if (this.#next <= SPACE && isSpace(code)) return true;
		switch (this.#next) {
			case VALUE:
			case ELEMENT_OR_END:
				return this.#value(code, offset);
			case KEY_OR_END:
			case KEY:
				return this.#key(code, offset);
			case COLON:
				if (code === 58) this.#next = VALUE;
				return code === 58;
			case COMMA_OR_END:
				return this.#separator(code, offset);
			case SPACE:
				return false;
			case STRING:
			case ESCAPE:
			case HEX:
				return this.#string(code, offset);
			case LITERAL:
				return this.#literalLetter(code, offset);
			default:
				return this.#number(code, offset);
		}
	}

	#value(code: number, offset: number): boolean {
		if (code === QUOTE) {
			this.#stringIsKey = false;
			this.#next = STRING;
		} else if (code === OBJECT || code === ARRAY) {
			if (this.#around.length >= JSON_DEPTH_MAX) return false;
			this.#around.push(code);
			this.#next = code === OBJECT ? KEY_OR_END : ELEMENT_OR_END;
		} else if (code === 93 && this.#next === ELEMENT_OR_END) {
			this.#leave(offset);
		} else if (code === 45) {
			this.#next = MINUS;
		} else if (isDigit(code)) {
			this.#next = code === 48 ? ZERO : INTEGER;
		} else {
			const literal = code === 116 ? "true" : code === 102 ? "false" : code === 110 ? "null" : undefined;
			if (literal === undefined) return false;
			this.#literal = literal;
			this.#count = 1;
			this.#next = LITERAL;
		}
		return true;
	}

	#key(code: number, offset: number): boolean {
		if (code === QUOTE) {
			this.#stringIsKey = true;
			this.#next = STRING;
			return true;
		}
		if (code !== 125 || this.#next !== KEY_OR_END) return false;
		this.#leave(offset);
		return true;
	}

	#separator(code: number, offset: number): boolean {
		const inside = this.#around[this.#around.length - 1];
		if (code === COMMA) {
			this.#next = inside === OBJECT ? KEY : VALUE;
			return true;
		}
		if (code !== (inside === OBJECT ? 125 : 93)) return false;
		this.#leave(offset);
		return true;
	}

	#string(code: number, offset: number): boolean {
		if (this.#next === ESCAPE) {
			if (!'"\\/bfnrtu'.includes(String.fromCharCode(code))) return false;
			this.#next = code === 117 ? HEX : STRING;
			this.#count = 4;
			return true;
		}
		if (this.#next === HEX) {
			if (!"0123456789abcdefABCDEF".includes(String.fromCharCode(code))) return false;
			this.#count -= 1;
			if (this.#count === 0) this.#next = STRING;
			return true;
		}
		if (code === BACKSLASH) {
			this.#next = ESCAPE;
		} else if (code === QUOTE) {
			if (this.#stringIsKey) this.#next = COLON;
			else this.#valueEnds(offset + 1);
		}
		return code >= 32;
	}

	#literalLetter(code: number, offset: number): boolean {
		if (code !== this.#literal.charCodeAt(this.#count)) return false;
		this.#count += 1;
		if (this.#count === this.#literal.length) this.#valueEnds(offset + 1);
		return true;
	}

	// A number has no closing character: the one after it decides, and is then read as what follows a value.
	#number(code: number, offset: number): boolean {
		const next = afterNumberCharacter(this.#next, code);
		if (next !== undefined) {
			this.#next = next;
			return true;
		}
		if (!isNumberEnd(this.#next)) return false;
		if (!isSpace(code)) return this.#around.length > 0 && this.#separator(code, offset);
		this.#valueEnds(offset);
		return true;
	}

	#leave(offset: number): void {
		this.#around.pop();
		this.#valueEnds(offset + 1);
	}

	// JS1: the one place that completes; a number gets here only with what follows it.
	#valueEnds(end: number): void {
		if (this.#around.length > 0) {
			this.#next = COMMA_OR_END;
			return;
		}
		this.#next = SPACE;
		this.#state = { kind: "complete", end };
	}

	#refuse(text: string, at: number): void {
		const found = String.fromCodePoint(text.codePointAt(at) ?? 0);
		// An opening bracket is refused where a value may stand only for its depth.
		const tooDeep = this.#next <= ELEMENT_OR_END && (found === "{" || found === "[");
		const end = isNumberEnd(this.#next) ? "the end of the number" : "a digit";
		const expected = `expected ${EXPECTED[this.#next] ?? end}, found ${JSON.stringify(found)}`;
		this.#fail(this.#offset + at, tooDeep ? `nested more than ${JSON_DEPTH_MAX} levels deep` : expected);
	}

	// JS2: nothing is scanned after this, so the first problem stays.
	#fail(position: number, problem: string): void {
		this.#state = { kind: "problem", position, problem };
	}
}

/** Scans a whole text: complete, or a problem at the first wrong character or at the end of a text that stops early. */
export function scanJson(text: string): ScanState {
	const scanner = new JsonScanner();
	scanner.push(text);
	return scanner.finish();
}

export function isScanProblem(scan: ScanState): scan is ScanProblem {
	return scan.kind === "problem";
}

/** The end of what stands for itself inside a string: the place of a quote, a backslash or a control character. */
// Most characters of arguments stand inside strings; this loop is why a long argument is cheap.
export function plainEnd(text: string, from: number): number {
	let at = from;
	while (at < text.length) {
		const code = text.charCodeAt(at);
		if (code === QUOTE || code === BACKSLASH || code < 32) break;
		at += 1;
	}
	return at;
}

function afterNumberCharacter(next: number, code: number): number | undefined {
	if (isDigit(code)) {
		if (next === MINUS) return code === 48 ? ZERO : INTEGER;
		if (next === INTEGER) return INTEGER;
		if (next === POINT || next === FRACTION) return FRACTION;
		return next === ZERO ? undefined : EXPONENT_DIGITS;
	}
	if (code === 46) return next === ZERO || next === INTEGER ? POINT : undefined;
	if (code === 101 || code === 69) return next === ZERO || next === INTEGER || next === FRACTION ? EXPONENT : undefined;
	return (code === 43 || code === 45) && next === EXPONENT ? EXPONENT_SIGN : undefined;
}

function isNumberEnd(next: number): boolean {
	return next === ZERO || next === INTEGER || next === FRACTION || next === EXPONENT_DIGITS;
}

function isSpace(code: number): boolean {
	return code === 32 || code === 10 || code === 13 || code === 9;
}

function isDigit(code: number): boolean {
	return code >= 48 && code <= 57;
}
