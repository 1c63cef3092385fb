// Path arguments: whatever value is taken apart comes together again, and pieces in doubt are never put anywhere.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scanJson } from "../../engine/core/json-scanner.js";
import { ARGUMENTS_CHARS_MAX, JSON_DEPTH_MAX } from "../../engine/core/limits.js";
import { readJsonPath } from "../../engine/streams/json-path.js";
import { PathArguments } from "../../engine/streams/path-arguments.js";

interface Piece {
	readonly jsonPath: string;
	readonly stringValue?: string;
	readonly numberValue?: number;
	readonly boolValue?: boolean;
	readonly nullValue?: null;
	readonly willContinue?: boolean;
}

/** The pieces of a value, its strings in parts of this length. */
function* taken(value: unknown, path: string, length: number): Generator<Piece> {
	if (typeof value === "object" && value !== null) {
		const dotted = (name: string): string => (/^[a-z]\w*$/i.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`);
		const steps = Array.isArray(value) ? [...value.keys()].map((at) => `[${at}]`) : Object.keys(value).map(dotted);
		for (const [place, inner] of Object.values(value).entries()) yield* taken(inner, path + steps[place], length);
	} else if (typeof value === "string") {
		for (let at = 0; at < value.length; at += length)
			yield { jsonPath: path, stringValue: value.slice(at, at + length), willContinue: true };
		yield { jsonPath: path, stringValue: "" };
	} else if (typeof value === "number") yield { jsonPath: path, numberValue: value };
	else if (typeof value === "boolean") yield { jsonPath: path, boolValue: value };
	else yield { jsonPath: path, nullValue: null };
}

function assembled(pieces: Iterable<unknown>): ReturnType<PathArguments["whole"]> {
	const args = new PathArguments();
	for (const piece of pieces) args.apply(piece);
	return args.whole();
}

const name = fc.oneof(
	fc.constantFrom("a", "b", "__proto__", "it's", 'say "x"', "a.b", "0"),
	fc.string({ minLength: 1 }),
);
const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
// Empty objects and lists have no leaf, and so no piece of their own.
const value = fc.letrec<{ node: unknown }>((tie) => ({
	node: fc.oneof(
		{ maxDepth: 3 },
		leaf,
		fc.array(tie("node"), { minLength: 1, maxLength: 3 }),
		fc.dictionary(name, tie("node"), { minKeys: 1, maxKeys: 3 }),
	),
})).node;
const args = fc.dictionary(name, value, { minKeys: 1, maxKeys: 4 });

describe("pieces", () => {
	test("of any value come together again, and the text is the value's", () => {
		fc.assert(
			fc.property(args, fc.integer({ min: 1, max: 5 }), (whole, length) => {
				const result = assembled(taken(whole, "$", length));
				expect(result.text).toBe(JSON.stringify(whole));
				expect(JSON.stringify(result.args)).toBe(result.text);
			}),
			{ numRuns: 1_000 },
		);
	});

	test("PA1, PA3: of which one comes twice in another place give no value, and text that is no JSON", () => {
		fc.assert(
			fc.property(args, fc.nat(), fc.nat(), (whole, from, to) => {
				const pieces = [...taken(whole, "$", 3)];
				const again = pieces[from % pieces.length];
				const place = to % (pieces.length + 1);
				// Twice in a row is one longer string, which no reader can tell.
				fc.pre(pieces[place]?.jsonPath !== again?.jsonPath || pieces[place - 1]?.willContinue !== true);
				fc.pre(again?.willContinue !== true || !(pieces[place - 1]?.jsonPath === again.jsonPath));
				fc.pre(pieces[place]?.jsonPath !== again?.jsonPath || again?.willContinue !== true);
				const result = assembled([...pieces.slice(0, place), again, ...pieces.slice(place)]);
				expect(result.args).toBeUndefined();
				expect(scanJson(result.text).kind).toBe("problem");
			}),
			{ numRuns: 1_000 },
		);
	});

	test("PA1, PA3: that stop before the last one of a string give no value", () => {
		const result = assembled([{ jsonPath: "$.at", stringValue: "Par", willContinue: true }]);
		expect(result).toEqual({ text: '{"at":"Par"} {"jsonPath":"$.at","willContinue":true}' });
	});

	test.each<[string, unknown[]]>([
		[
			"behind a gap in a list",
			[
				{ jsonPath: "$.a[0]", numberValue: 1 },
				{ jsonPath: "$.a[2]", numberValue: 1 },
			],
		],
		[
			"that go back in a list",
			[
				{ jsonPath: "$.a[0].b", numberValue: 1 },
				{ jsonPath: "$.a[0]", numberValue: 1 },
			],
		],
		[
			"with a name into a list",
			[
				{ jsonPath: "$.a[0]", numberValue: 1 },
				{ jsonPath: "$.a.b", numberValue: 1 },
			],
		],
		[
			"with an index into an object",
			[
				{ jsonPath: "$.a.b", numberValue: 1 },
				{ jsonPath: "$.a[0]", numberValue: 1 },
			],
		],
		[
			"into a value",
			[
				{ jsonPath: "$.a", numberValue: 1 },
				{ jsonPath: "$.a.b", numberValue: 1 },
			],
		],
		["for the whole", [{ jsonPath: "$", stringValue: "x" }]],
		["for an index of the whole", [{ jsonPath: "$[0]", stringValue: "x" }]],
		["without a path", [{ stringValue: "x" }]],
		["without a value", [{ jsonPath: "$.a" }]],
		["with two values", [{ jsonPath: "$.a", stringValue: "x", numberValue: 1 }]],
		["with a value of another kind", [{ jsonPath: "$.a", stringValue: 1 }]],
		["with a number that no JSON has", [{ jsonPath: "$.a", numberValue: Number.NaN }]],
		["with a number that goes on", [{ jsonPath: "$.a", numberValue: 1, willContinue: true }]],
		["that go on by a word", [{ jsonPath: "$.a", stringValue: "x", willContinue: "yes" }]],
		[
			"for another place while a string goes on",
			[
				{ jsonPath: "$.a", stringValue: "x", willContinue: true },
				{ jsonPath: "$.b", stringValue: "y" },
				{ jsonPath: "$.a", stringValue: "z" },
			],
		],
		["that are nothing", [undefined]],
	])("PA2, PA3: %s give no value", (_name, pieces) => {
		const result = assembled(pieces);
		expect(result.args).toBeUndefined();
		expect(scanJson(result.text).kind).toBe("problem");
	});

	test("hold no more than the limit, however many of them come", () => {
		const megabyte = "x".repeat(1024 * 1024);
		const path = new PathArguments();
		for (let at = 0; at <= ARGUMENTS_CHARS_MAX; at += megabyte.length)
			path.apply({ jsonPath: "$.a", stringValue: megabyte, willContinue: true });
		expect(path.whole().args).toBeUndefined();
	});
});

describe("a path", () => {
	test.each<[string, readonly (string | number)[] | undefined]>([
		["$", []],
		["$.foo.bar[0].data", ["foo", "bar", 0, "data"]],
		["$['a b'][\"c\\\"d\"]['it\\'s \"x\"']", ["a b", 'c"d', 'it\'s "x"']],
		["$[ 12 ].größe_1", [12, "größe_1"]],
		["$['\\u00e4\\n']", ["ä\n"]],
		["", undefined],
		["foo", undefined],
		["$foo", undefined],
		["$.", undefined],
		["$.1a", undefined],
		["$.a-b", undefined],
		["$..a", undefined],
		["$[*]", undefined],
		["$[-1]", undefined],
		["$[01]", undefined],
		["$[0:2]", undefined],
		["$['a','b']", undefined],
		["$[?@.a]", undefined],
		["$['a", undefined],
		["$['\\x']", undefined],
		["$.a ", undefined],
	])("%j leads to %j", (text, steps) => {
		expect(readJsonPath(text)).toEqual(steps);
	});

	test("may be as deep as arguments may, and no deeper", () => {
		expect(readJsonPath(`$${".a".repeat(JSON_DEPTH_MAX)}`)).toHaveLength(JSON_DEPTH_MAX);
		expect(readJsonPath(`$${".a".repeat(JSON_DEPTH_MAX + 1)}`)).toBeUndefined();
	});
});
