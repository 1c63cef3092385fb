// JSON scanner: agreement with JSON.parse, and the place of the first wrong character against a small grammar of its own.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isScanProblem, JsonScanner, type ScanState, scanJson } from "../../engine/core/json-scanner.js";
import { JSON_DEPTH_MAX } from "../../engine/core/limits.js";

class WrongCharacter extends Error {}

// A second grammar, by recursion and expressions: the scanner has neither. `wrongAt` is the length of the longest start
// of the text that some JSON text begins with; the text's own length if it could go on.
class Grammar {
	#at = 0;
	readonly #text: string;

	constructor(text: string) {
		this.#text = text;
	}

	wrongAt(): number {
		try {
			this.#value();
			this.#skip(/[ \t\r\n]/);
		} catch (stopped) {
			if (!(stopped instanceof WrongCharacter)) throw stopped;
		}
		return this.#at;
	}

	#need(accepted: RegExp): string {
		const character = this.#text[this.#at];
		if (character === undefined || !accepted.test(character)) throw new WrongCharacter();
		this.#at += 1;
		return character;
	}

	#skip(accepted: RegExp): void {
		while (accepted.test(this.#text[this.#at] ?? "")) this.#at += 1;
	}

	#has(accepted: RegExp): boolean {
		const here = accepted.test(this.#text[this.#at] ?? "");
		if (here) this.#at += 1;
		return here;
	}

	#value(): void {
		this.#skip(/[ \t\r\n]/);
		const word = { t: "true", f: "false", n: "null" }[this.#text[this.#at] ?? ""];
		if (this.#has(/\[/)) this.#list(/[\],]/, "]", () => this.#value());
		else if (this.#has(/\{/)) this.#list(/[},]/, "}", () => this.#field());
		else if (word !== undefined) for (const letter of word) this.#need(new RegExp(letter));
		else if (this.#text[this.#at] === '"') this.#string();
		else this.#number();
	}

	#list(after: RegExp, close: string, item: () => void): void {
		this.#skip(/[ \t\r\n]/);
		if (this.#text[this.#at] === close) {
			this.#at += 1;
			return;
		}
		do {
			item();
			this.#skip(/[ \t\r\n]/);
		} while (this.#need(after) === ",");
	}

	#field(): void {
		this.#skip(/[ \t\r\n]/);
		this.#string();
		this.#skip(/[ \t\r\n]/);
		this.#need(/:/);
		this.#value();
	}

	#string(): void {
		this.#need(/"/);
		for (;;) {
			const character = this.#need(/[ -\uffff]/);
			if (character === '"') return;
			if (character !== "\\" || this.#need(/["\\/bfnrtu]/) !== "u") continue;
			for (let digit = 0; digit < 4; digit += 1) this.#need(/[0-9a-f]/i);
		}
	}

	#number(): void {
		this.#has(/-/);
		if (!this.#has(/0/)) this.#digits();
		if (this.#has(/\./)) this.#digits();
		if (!this.#has(/e/i)) return;
		this.#has(/[+-]/);
		this.#digits();
	}

	#digits(): void {
		this.#need(/\d/);
		this.#skip(/\d/);
	}
}

function parses(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}

const escaped = fc
	.array(fc.constantFrom("\\u00e4", "\\uD83D", "\\n", "\\\\", '\\"', "\\/", "b", "ü"))
	.map((all) => `"${all.join("")}"`);

const jsonText = fc.oneof(
	fc
		.tuple(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom("", " ", "\t", "\n  "))
		.map(([value, indent]) => JSON.stringify(value, null, indent)),
	fc.tuple(escaped, escaped).map(([name, text]) => `{${name}:[${text}]}`),
);

const mutated = fc
	.tuple(jsonText, fc.nat(), fc.constantFrom(...'{}[]",:0-+.eEtfnu\\ \n\u0000\u001fax/'), fc.constantFrom(0, 1, 2))
	.map(([text, place, character, removed]) => {
		const at = place % (text.length + 1);
		return text.slice(0, at) + character + text.slice(at + removed);
	});

function pushInPieces(text: string, sizes: readonly number[]): JsonScanner {
	const scanner = new JsonScanner();
	let at = 0;
	for (let turn = 0; at < text.length; turn += 1) {
		const size = sizes[turn % sizes.length] ?? 1;
		scanner.push(text.slice(at, at + size));
		at += size;
	}
	return scanner;
}

describe("a whole text", () => {
	test("is complete exactly when JSON.parse takes it, whatever was mutated", () => {
		fc.assert(
			fc.property(fc.oneof(jsonText, mutated, fc.string()), (text) => {
				expect(isScanProblem(scanJson(text))).toBe(!parses(text));
			}),
			{ numRuns: 3_000 },
		);
	});

	test("has its problem at the first character that no JSON text has there", () => {
		fc.assert(
			fc.property(mutated, (text) => {
				const scan = scanJson(text);
				if (isScanProblem(scan)) expect(scan.position).toBe(new Grammar(text).wrongAt());
				else expect(new Grammar(text).wrongAt()).toBe(text.length);
			}),
			{ numRuns: 5_000 },
		);
	});

	test.each<[string, ScanState]>([
		['{"a":1} ', { kind: "complete", end: 7 }],
		["12", { kind: "complete", end: 2 }],
		["", { kind: "problem", position: 0, problem: "the text ends inside the value" }],
		['{"a', { kind: "problem", position: 3, problem: "the text ends inside the value" }],
		["-", { kind: "problem", position: 1, problem: "the text ends inside the value" }],
		["01", { kind: "problem", position: 1, problem: 'expected the end of the number, found "1"' }],
		["1.x", { kind: "problem", position: 2, problem: 'expected a digit, found "x"' }],
		["{} {", { kind: "problem", position: 3, problem: 'expected only white space after the value, found "{"' }],
		["{'a'", { kind: "problem", position: 1, problem: 'expected a name in double quotes or `}`, found "\'"' }],
		['{"a":1,}', { kind: "problem", position: 7, problem: 'expected a name in double quotes, found "}"' }],
		['"\\u12g4"', { kind: "problem", position: 5, problem: 'expected a hexadecimal digit, found "g"' }],
		['"\\x"', { kind: "problem", position: 2, problem: 'expected one of the escapes of JSON, found "x"' }],
		[
			'"a\nb"',
			{ kind: "problem", position: 2, problem: 'expected no bare control character inside a string, found "\\n"' },
		],
		["nuLl", { kind: "problem", position: 2, problem: 'expected `true`, `false` or `null`, found "L"' }],
		["[\u00a01]", { kind: "problem", position: 1, problem: 'expected a value or `]`, found "\u00a0"' }],
	])("%j ends as %j", (text, state) => {
		expect(scanJson(text)).toEqual(state);
	});

	test("nested as deep as the limit is complete, and one level more is a problem at that bracket", () => {
		const deepest = "[".repeat(JSON_DEPTH_MAX) + "]".repeat(JSON_DEPTH_MAX);
		expect(scanJson(deepest).kind).toBe("complete");
		const problem = `nested more than ${JSON_DEPTH_MAX} levels deep`;
		expect(scanJson(`[${deepest}]`)).toEqual({ kind: "problem", position: JSON_DEPTH_MAX, problem });
		expect(scanJson(`${"[".repeat(JSON_DEPTH_MAX)}{`)).toEqual({ kind: "problem", position: JSON_DEPTH_MAX, problem });
	});
});

describe("a text in pieces", () => {
	test("JS1: the value closes at its last character, and no earlier start of it is complete", () => {
		fc.assert(
			fc.property(fc.oneof(fc.object(), fc.array(fc.jsonValue()), fc.string(), fc.boolean()), (value) => {
				const text = JSON.stringify(value) ?? "null";
				const scanner = new JsonScanner();
				for (const [at, unit] of text.split("").entries()) {
					expect(scanner.state.kind).toBe("open");
					scanner.push(unit);
					if (at + 1 < text.length) expect(scanner.state.kind).toBe("open");
				}
				expect(scanner.state).toEqual({ kind: "complete", end: text.length });
			}),
		);
	});

	test("a number at the top is open until white space or the end of the text follows", () => {
		const scanner = new JsonScanner();
		scanner.push("-12.5e3");
		expect(scanner.state).toEqual({ kind: "open" });
		scanner.push("0 ");
		expect(scanner.state).toEqual({ kind: "complete", end: 8 });
	});

	test("ends as the whole text does, wherever the pieces begin and end", () => {
		fc.assert(
			fc.property(
				fc.oneof(jsonText, mutated),
				fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
				(text, sizes) => {
					expect(pushInPieces(text, sizes).finish()).toEqual(scanJson(text));
				},
			),
			{ numRuns: 3_000 },
		);
	});

	test("JS2: a problem stays as it was, whatever comes after it", () => {
		fc.assert(
			fc.property(mutated, fc.string(), (text, after) => {
				const scanner = new JsonScanner();
				scanner.push(text);
				const before = scanner.state;
				fc.pre(before.kind === "problem");
				scanner.push(after);
				expect(scanner.state).toBe(before);
				expect(scanner.finish()).toBe(before);
			}),
		);
	});

	test("white space after the value leaves it complete, and any other character is a problem at its place", () => {
		const scanner = new JsonScanner();
		scanner.push('{"a":[1,2]}');
		scanner.push(" \r\n\t");
		expect(scanner.state).toEqual({ kind: "complete", end: 11 });
		scanner.push("x");
		expect(scanner.state).toMatchObject({ kind: "problem", position: 15 });
	});
});
