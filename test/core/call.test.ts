// Reading raw arguments: what providers send for "nothing", what is refused and at which position, and the key by which
// two calls are told to be the same.

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { argumentsKey, readArguments } from "../../engine/core/call.js";
import type { JsonObject } from "../../engine/core/json-value.js";
import { ARGUMENTS_CHARS_MAX, JSON_DEPTH_MAX } from "../../engine/core/limits.js";

const jsonObject = fc
	.dictionary(fc.string(), fc.jsonValue())
	.map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);

/** The same data with every object's fields in the opposite order. */
function reversed(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(reversed);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.map(([key, field]) => [key, reversed(field)])
			.reverse(),
	);
}

describe("readArguments", () => {
	it.each([[""], ["  \n\t"], ["null"], [" null "], [null], [undefined]])("takes %j for no arguments", (raw) => {
		expect(readArguments(raw)).toEqual({ ok: true, args: {} });
	});

	it("reads an object the same from its text and from the value", () => {
		fc.assert(
			fc.property(jsonObject, fc.constantFrom(undefined, 1, "\t"), (args, indent) => {
				expect(readArguments(JSON.stringify(args, undefined, indent))).toEqual({ ok: true, args });
				expect(readArguments(args)).toEqual({ ok: true, args });
			}),
		);
	});

	it("shares nothing with the value it was given", () => {
		const raw = { paths: ["a"] };
		const read = readArguments(raw);
		raw.paths.push("b");
		expect(read).toEqual({ ok: true, args: { paths: ["a"] } });
	});

	it.each<[string, number]>([
		['{"a":1', 6],
		['{"a":', 5],
		['{"a":1} trailing', 8],
		["{'a':1}", 1],
		['{"a":1,}', 7],
		["[1,2]", 0],
		["  [1,2]", 2],
		['"text"', 0],
		["7", 0],
		["true", 0],
		["NaN", 0],
	])("refuses %s and names position %i", (raw, position) => {
		const read = readArguments(raw);
		expect(read).toMatchObject({ ok: false, position });
		expect(!read.ok && read.problem).toMatch(new RegExp(`at position ${position}$`));
	});

	it("names for every cut of a text a position inside the cut or at its end, and repairs none", () => {
		fc.assert(
			fc.property(jsonObject, fc.nat(), (args, at) => {
				const text = JSON.stringify(args);
				const cut = text.slice(0, 1 + (at % Math.max(1, text.length - 1)));
				fc.pre(cut !== text);
				expect(readArguments(cut)).toMatchObject({ ok: false, position: cut.length });
			}),
		);
	});

	it.each([
		[[1], "they are a list, not an object, at position 0"],
		[7, "they are a number, not an object, at position 0"],
		[{ run: () => 1 }, "they are not JSON at $.run: a function is not data"],
	])("refuses the value %j", (raw, problem) => {
		expect(readArguments(raw)).toMatchObject({ ok: false, problem });
	});

	it("refuses text over the limit without reading it", () => {
		const long = `{"a":"${"x".repeat(ARGUMENTS_CHARS_MAX)}"}`;
		expect(readArguments(long)).toMatchObject({ ok: false, position: ARGUMENTS_CHARS_MAX });
	});

	it("bounds the nesting of text and of values alike", () => {
		const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
		const [deepest, tooDeep] = [nested(JSON_DEPTH_MAX), nested(JSON_DEPTH_MAX + 1)];
		expect([readArguments(deepest).ok, readArguments(JSON.parse(deepest)).ok]).toEqual([true, true]);
		expect([readArguments(tooDeep).ok, readArguments(JSON.parse(tooDeep)).ok]).toEqual([false, false]);
		expect(readArguments(nested(100_000))).toMatchObject({ ok: false, position: 5 * JSON_DEPTH_MAX });
	});
});

describe("argumentsKey", () => {
	it("has a key for numbers that JSON can write and no number of this language can hold", () => {
		const digits = "9".repeat(400);
		const texts = [
			'{"n":1e999}',
			'{"n":-1e400}',
			'{"n":[2E+999]}',
			`{"n":${digits}}`,
			'{"n":1}',
			'{"n":null}',
			'{"n":[null]}',
		];
		expect(new Set(texts.map(argumentsKey)).size).toBe(texts.length);
		expect(argumentsKey('{"n":"1e999"}')).toBe(argumentsKey({ n: "1e999" }));
	});

	it("is the same for text, value and any order of fields", () => {
		fc.assert(
			fc.property(jsonObject, (args) => {
				const key = argumentsKey(args);
				expect([argumentsKey(JSON.stringify(args)), argumentsKey(reversed(args))]).toEqual([key, key]);
			}),
		);
	});

	it("is equal exactly for equal arguments", () => {
		fc.assert(
			fc.property(jsonObject, jsonObject, (left, right) => {
				expect(argumentsKey(left) === argumentsKey(right)).toBe(isDeepStrictEqual(left, right));
			}),
		);
	});

	it("is one key for nothing in all its forms, and tells unreadable texts apart", () => {
		expect(new Set(["", " ", "null", null, undefined, {}, "{}"].map(argumentsKey)).size).toBe(1);
		expect(argumentsKey("{")).not.toBe(argumentsKey("["));
	});

	it("never throws, even for what has no text", () => {
		const hostile = Object.assign(Object.create(null), { run: () => 1 }) as object;
		expect(argumentsKey(hostile)).toBe("unreadable:they are not JSON at $.run: a function is not data");
	});
});
