// The one rule for answers: property against JSON itself, then each stated exception.

import { isDeepStrictEqual } from "node:util";
import canonicalize from "canonicalize";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, copyAnswer, copyJson, isDeeper, type JsonValue } from "../../engine/core/json-value.js";
import { DATA_VALUES_MAX, JSON_DEPTH_MAX } from "../../engine/core/limits.js";

/** Values that JSON takes as they are, loses in silence, or asks for their `toJSON`. */
const likeJson = fc.letrec((tie) => ({
	value: fc.oneof(
		{ depthSize: "small" },
		fc.string({ unit: "binary" }),
		fc.boolean(),
		fc.constantFrom(null, undefined, Number.NaN, Number.NEGATIVE_INFINITY, -0),
		fc.double(),
		fc.date({ noInvalidDate: false }),
		fc.constantFrom(new Number(1), new String("boxed"), new Boolean(false)),
		fc.array(tie("value")),
		fc.dictionary(fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "toString")), tie("value"), {
			noNullPrototype: false,
		}),
		tie("value").map((inner) => ({ hidden: 1, toJSON: () => inner })),
	),
})).value;

/** What JSON makes of a value; `toJSON` results that JSON would not ask again are left out by `likeJson`. */
function throughJson(value: unknown): unknown {
	const text = JSON.stringify(value);
	return text === undefined ? undefined : JSON.parse(text);
}

/** JSON asks a `toJSON` result no second time; the rule here does, so such values are not compared. */
function asksTwice(value: unknown): boolean {
	if (typeof value !== "object" || value === null) return false;
	const { toJSON } = value as { toJSON?: () => unknown };
	if (Object.hasOwn(value, "toJSON") && typeof toJSON === "function") {
		const inner = toJSON.call(value) as { toJSON?: unknown } | null | undefined;
		return typeof inner?.toJSON === "function" || asksTwice(inner);
	}
	return Object.values(value).some(asksTwice);
}

function deep(levels: number): JsonValue {
	let value: JsonValue = [];
	for (let level = 1; level < levels; level += 1) value = [value];
	return value;
}

describe("copyJson", () => {
	it("copies what JSON can say exactly as a trip through JSON does", () => {
		fc.assert(
			fc.property(likeJson, (value) => {
				fc.pre(!asksTwice(value));
				const copied = copyJson(value);
				// Prototypes count, fields named `constructor` or `__proto__` included, which toStrictEqual stumbles over.
				expect(copied.ok && isDeepStrictEqual(copied.value, throughJson(value))).toBe(true);
			}),
		);
	});

	it("never throws, and what it copies is data, whatever it is given", () => {
		const anything = fc.anything({
			withBigInt: true,
			withDate: true,
			withMap: true,
			withSet: true,
			withTypedArray: true,
		});
		fc.assert(
			fc.property(anything, (value) => {
				const copied = copyJson(value);
				if (copied.ok) expect(throughJson(copied.value)).toEqual(copied.value);
				else expect(copied.path).toMatch(/^\$/);
			}),
		);
	});

	it("shares nothing with the value it copied", () => {
		const rows = [{ n: 1 }];
		const copied = copyJson({ rows });
		rows[0] = { n: 2 };
		rows.push({ n: 3 });
		expect(copied).toEqual({ ok: true, value: { rows: [{ n: 1 }] } });
	});

	it.each<[string, unknown, JsonValue]>([
		["a big integer by its digits", { n: 2n ** 64n }, { n: "18446744073709551616" }],
		["a Map with text keys as an object", new Map([["a", new Date(0)]]), { a: "1970-01-01T00:00:00.000Z" }],
		["any other Map as pairs", new Map([[1, "a"]]), [[1, "a"]]],
		["a Set as a list", new Set(["a", undefined]), ["a", null]],
		["typed arrays as lists", [new Int16Array([1, -1]), new BigInt64Array([5n])], [[1, -1], ["5"]]],
		["binary inside as numbers", { b: Buffer.from([1, 2]), c: new Uint8Array([3]).buffer }, { b: [1, 2], c: [3] }],
		["an error by name and message", new RangeError("far"), { name: "RangeError", message: "far" }],
		["negative zero as zero", [-0], [0]],
		["an own field named __proto__", JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":1}')],
		[
			"what answers itself to toJSON by its fields",
			new (class Itself {
				readonly n = 1;
				toJSON(): this {
					return this;
				}
			})(),
			{ n: 1 },
		],
	])("copies %s", (_, value, copy) => {
		const copied = copyJson(value);
		expect(copied).toStrictEqual({ ok: true, value: copy });
	});

	const circle: Record<string, unknown> = { rows: [{}] };
	(circle.rows as Record<string, unknown>[])[0] = { parent: circle };
	const hostile = Object.create(null) as object;
	it.each<[string, unknown, string, string]>([
		["a function", { rows: [1, { run: () => 1 }] }, "$.rows[1].run", "a function is not data"],
		["a symbol", [Symbol("s")], "$[0]", "a symbol is not data"],
		["a promise", { "a b": Promise.resolve(1) }, '$["a b"]', "a promise is not data; await it first"],
		["a cycle", circle, "$.rows[0].parent", "it contains itself"],
		["a WeakMap", new WeakMap(), "$", "a WeakMap is not data"],
		[
			"a getter that throws an error",
			{
				get a(): never {
					throw new Error("no");
				},
			},
			"$",
			"reading it threw Error: no",
		],
		[
			"a getter that throws what has no text",
			{
				get a(): never {
					throw hostile;
				},
			},
			"$",
			"reading it threw [Object: null prototype] {}",
		],
	])("refuses %s by its path", (_, value, path, problem) => {
		expect(copyJson(value)).toEqual({ ok: false, path, problem });
	});

	it("takes the deepest nesting that is allowed and refuses one level more", () => {
		expect(copyJson(deep(JSON_DEPTH_MAX)).ok).toBe(true);
		expect(copyJson(deep(JSON_DEPTH_MAX + 1))).toMatchObject({
			ok: false,
			problem: `it is nested more than ${JSON_DEPTH_MAX} levels deep`,
		});
		expect([deep(3), deep(4)].map((value) => isDeeper(value, 3))).toEqual([false, true]);
	});

	const laughing = (levels: number): unknown => {
		let level: unknown = "x";
		for (let at = 0; at < levels; at += 1) level = new Array(10).fill(level);
		return level;
	};
	it.each<[string, () => unknown]>([
		["lists that share their items, level above level", () => laughing(30)],
		["a list that is almost all holes", () => Object.assign([], { 4000000000: 1 })],
		["a view of too many numbers", () => ({ view: new Uint8Array(DATA_VALUES_MAX + 1) })],
		["a buffer of too many bytes", () => [new ArrayBuffer(DATA_VALUES_MAX + 1)]],
		[
			"a list that lies about its length",
			() => new Proxy([], { get: (of, key) => (key === "length" ? 2 ** 50 : Reflect.get(of, key)) }),
		],
	])("refuses %s as too large, without walking to its end", (_what, make) => {
		expect(copyJson(make())).toMatchObject({ ok: false, tooLarge: true });
	});

	it("takes the same object twice, side by side", () => {
		const shared = { n: 1 };
		expect(copyJson([shared, shared])).toEqual({ ok: true, value: [{ n: 1 }, { n: 1 }] });
	});
});

describe("copyAnswer", () => {
	it.each<[string, (buffer: ArrayBuffer) => unknown, string]>([
		["bytes", (buffer) => new Uint8Array(buffer), "$"],
		["a buffer", (buffer) => buffer, "$"],
		["bytes inside", (buffer) => ({ rows: [Buffer.from(buffer)] }), "$.rows[0]"],
		["a buffer inside", (buffer) => [new Map([["b", buffer]])], "$[0].b"],
		["a view of numbers inside", (buffer) => [new Float64Array(8), new Float64Array(buffer)], "$[1]"],
	])("refuses %s that were moved away, naming the place; bytes of no length are data", (_, answerOf, path) => {
		const buffer = new ArrayBuffer(64);
		const answer = answerOf(buffer);
		structuredClone(buffer, { transfer: [buffer] });
		const problem = "its bytes were moved away; answer a copy of them";
		expect(copyAnswer(answer)).toStrictEqual({ ok: false, path, problem });
		expect(copyAnswer(answerOf(new ArrayBuffer(0))).ok).toBe(true);
	});

	it("tells no value from the value null", () => {
		expect(copyAnswer(undefined)).toStrictEqual({ ok: true });
		expect(copyAnswer(null)).toStrictEqual({ ok: true, value: null });
	});

	it.each([0, "", false])("keeps the falsy value %j", (value) => {
		expect(copyAnswer(value)).toStrictEqual({ ok: true, value });
	});

	it.each<[string, unknown]>([
		["a Buffer", Buffer.from([1, 2, 3])],
		["a view into a larger buffer", new Uint8Array([0, 1, 2, 3, 4]).subarray(1, 4)],
		["an ArrayBuffer", new Uint8Array([1, 2, 3]).buffer],
		["a SharedArrayBuffer", sharedBytes(1, 2, 3)],
		["a view of shared memory", new Uint8Array(sharedBytes(1, 2, 3))],
	])("gives %s as bytes of its own, whole and of the plain class", (_, value) => {
		const copied = copyAnswer(value);
		const bytes = (copied.ok ? copied.value : undefined) as Uint8Array;
		expect(bytes).toStrictEqual(new Uint8Array([1, 2, 3]));
		expect(bytes.buffer).toBeInstanceOf(ArrayBuffer);
		expect(bytes.buffer.byteLength).toBe(3);
		expect(bytes.buffer).not.toBe((value as Uint8Array).buffer);
	});
});

describe("canonicalJson", () => {
	it("is the text of RFC 8785, also of values whose fields stand in order already", () => {
		const ordered = (value: unknown): unknown => {
			if (Array.isArray(value)) return value.map(ordered);
			if (typeof value !== "object" || value === null) return value;
			return Object.fromEntries(
				Object.entries(value)
					.sort(([one], [other]) => (one < other ? -1 : 1))
					.map(([key, field]) => [key, ordered(field)]),
			);
		};
		fc.assert(
			fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
				expect(canonicalJson(value as JsonValue)).toBe(canonicalize(value));
				expect(canonicalJson(ordered(value) as JsonValue)).toBe(canonicalize(value));
			}),
		);
	});

	it("gives equal values equal text, whatever the order of their fields", () => {
		const reversed = (value: unknown): unknown =>
			Array.isArray(value) || typeof value !== "object" || value === null
				? value
				: Object.fromEntries(Object.entries(value).reverse());
		fc.assert(
			fc.property(fc.jsonValue(), (value) => {
				expect(canonicalJson(reversed(value) as JsonValue)).toBe(canonicalJson(value as JsonValue));
				expect(JSON.parse(canonicalJson(value as JsonValue))).toEqual(throughJson(value));
			}),
		);
	});
});

function sharedBytes(...bytes: number[]): SharedArrayBuffer {
	const shared = new SharedArrayBuffer(bytes.length);
	new Uint8Array(shared).set(bytes);
	return shared;
}
