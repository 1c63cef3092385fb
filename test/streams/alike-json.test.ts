// Alike JSON, against `JSON.parse`.

import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { AlikeJson } from "../../engine/streams/alike-json.js";
import { mouldOf } from "../../engine/streams/json-mould.js";

afterEach(() => vi.restoreAllMocks());

type Shape = "leaf" | { readonly list: readonly Shape[] } | { readonly names: readonly (readonly [string, Shape])[] };

// Names that come twice, or are the prototype's, stand as often as others.
const name = fc.constantFrom('"a"', '"b"', '"\\u0061"', '"__proto__"', '"0"', '"a long name of a field"', '""');
const shape: fc.Arbitrary<Shape> = fc.letrec<{ shape: Shape }>((tie) => ({
	shape: fc.oneof(
		{ maxDepth: 3, withCrossShrink: true },
		fc.constant<Shape>("leaf"),
		fc.record({ names: fc.array(fc.tuple(name, tie("shape")), { maxLength: 4 }) }),
		fc.record({ list: fc.array(tie("shape"), { maxLength: 3 }) }),
	),
})).shape;

const plain = [
	'"abcd"',
	'""',
	'"a b"',
	'"more than twelve characters"',
	"0",
	"-1",
	"17",
	"1.5e3",
	"-0",
	"1e999",
	'"ö"',
];
const odd = [
	'"a\\"b"',
	'"\\u00e9"',
	'"\\ud83d"',
	'"{}[],:"',
	'"\\\\"',
	"null",
	"true",
	"{}",
	'["x"]',
	'{"a":1}',
	" 1 ",
];
const wrong = ['"\\x"', '"a\tb"', '"open', "01", "-", "1-2", "+1", "nul", "", '"a""b"', '"a","b":"c"'];
const leaf = fc.oneof(
	{ weight: 12, arbitrary: fc.constantFrom(...plain) },
	{ weight: 4, arbitrary: fc.constantFrom(...odd) },
	{ weight: 1, arbitrary: fc.constantFrom(...wrong) },
);

function write(part: Shape, next: () => string): string {
	if (part === "leaf") return next();
	if ("list" in part) return `[${part.list.map((one) => write(one, next)).join(", ")}]`;
	return `{${part.names.map(([key, one]) => `${key}: ${write(one, next)}`).join(",")}}`;
}

function outcome(parse: () => unknown): unknown {
	try {
		return { value: structuredClone(parse()) };
	} catch {
		return "no JSON";
	}
}

test("AJ1, JM1: a text gives what JSON.parse gives, whatever texts came before it", () => {
	const leaves = fc.array(fc.array(leaf, { minLength: 1, maxLength: 8 }), { minLength: 3, maxLength: 10 });
	fc.assert(
		fc.property(shape, fc.nat(3), leaves, (inner, depth, all) => {
			// Most of the texts of a stream are objects, and differ in one or two values.
			const outer: Shape = {
				names: [['"type"', "leaf"] as const, ['"of"', inner] as const].slice(depth === 0 ? 1 : 0),
			};
			const alike = new AlikeJson();
			for (const tokens of all) {
				let turn = 0;
				const text = write(outer, () => tokens[turn++ % tokens.length] ?? "0");
				expect(outcome(() => alike.parse(text))).toEqual(outcome(() => JSON.parse(text) as unknown));
			}
		}),
		{ numRuns: 4_000 },
	);
});

test("AJ1: a text that is cut, or goes on, is judged as JSON.parse judges it", () => {
	const edit = fc.record({
		at: fc.nat(),
		removed: fc.nat(3),
		put: fc.constantFrom("", '"', "\\", "}", ",", "7", "\n", "x"),
	});
	fc.assert(
		fc.property(fc.array(edit, { minLength: 1, maxLength: 30 }), (edits) => {
			const alike = new AlikeJson();
			for (const [turn, { at, removed, put }] of edits.entries()) {
				const whole = `{"a":[{"n":${turn},"d":"d${turn}"}],"z":null}`;
				alike.parse(whole);
				const place = at % (whole.length + 1);
				const text = whole.slice(0, place) + put + whole.slice(place + removed);
				expect(outcome(() => alike.parse(text))).toEqual(outcome(() => JSON.parse(text) as unknown));
			}
		}),
		{ numRuns: 1_000 },
	);
});

const event = (index: number, delta: string): string => `{"type":"delta","index":${index},"of":[{"text":"${delta}"}]}`;

test("the third of three texts that are alike is not parsed", () => {
	const alike = new AlikeJson();
	alike.parse(event(0, "ab"));
	alike.parse(event(0, "cd"));
	const parse = vi.spyOn(JSON, "parse");
	expect(alike.parse(event(0, "ef"))).toEqual({ type: "delta", index: 0, of: [{ text: "ef" }] });
	expect(parse).not.toHaveBeenCalled();
});

test("AJ2: a string that the runtime would not copy is made anew instead of cut from the text", () => {
	const alike = new AlikeJson();
	alike.parse(event(0, "ab"));
	alike.parse(event(0, "cd"));
	const parse = vi.spyOn(JSON, "parse");
	const long = "thirteen char";
	expect(alike.parse(event(0, long))).toMatchObject({ of: [{ text: long }] });
	expect(parse.mock.calls).toEqual([[`"${long}"`]]);
});

test("where no text is like the one before, few are looked at", () => {
	const alike = new AlikeJson();
	let looks = 0;
	const matchAll = String.prototype.matchAll;
	vi.spyOn(String.prototype, "matchAll").mockImplementation(function (this: string, expression) {
		looks += 1;
		return matchAll.call(this, expression);
	});
	for (let turn = 0; turn < 5_000; turn += 1) alike.parse(turn % 2 === 0 ? `{"even":${turn}}` : `{"odd":${turn}}`);
	expect(looks).toBeLessThanOrEqual(15);
});

test("JM1: a name that comes twice in an object makes no mould", () => {
	const mould = (text: string, before: string) => mouldOf({ text, before, value: JSON.parse(text) });
	expect(mould('{"a":"x","b":1}', '{"a":"y","b":1}')?.holes.map(({ key }) => key)).toEqual(["a"]);
	expect(mould('{"a":"x","a":"z"}', '{"a":"y","a":"z"}')).toBeUndefined();
	expect(mould('{"a":"x","\\u0061":"x"}', '{"a":"y","\\u0061":"x"}')).toBeUndefined();
});
