// The pieces of a canonical text, put together, are that text.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalPieces } from "../../engine/core/canonical-pieces.js";
import { canonicalJson, type JsonValue } from "../../engine/core/json-value.js";

const key = fc.oneof(
	fc.string({ unit: "binary" }),
	fc.constantFrom("__proto__", "toString", "b", "a", "\ud83d\ude00", "\uffee"),
);

const data = fc.letrec<{ value: JsonValue }>((tie) => ({
	value: fc.oneof(
		{ depthSize: "medium" },
		fc.string({ unit: "binary" }),
		fc.double({ noNaN: true }),
		fc.constantFrom(null, true, Number.POSITIVE_INFINITY, [], {}),
		fc.array(tie("value")),
		fc.dictionary(key, tie("value"), { noNullPrototype: true }),
	),
})).value;

const pieceOf = canonicalJson;

describe("canonical pieces", () => {
	it("joined, they are the canonical text, however many levels are taken apart", () => {
		fc.assert(
			fc.property(data, fc.nat(5), (value, levels) => {
				expect([...canonicalPieces(value, { levels, pieceOf })].join("")).toBe(canonicalJson(value));
			}),
			{ numRuns: 1_000, examples: [[{ left: undefined as never, b: [1], a: {} }, 2]] },
		);
	});

	it("a value below the levels is one piece", () => {
		const earlier = ["x".repeat(1_000), "y"];
		expect([...canonicalPieces({ earlier }, { levels: 2, pieceOf })]).toContain(JSON.stringify(earlier[0]));
		expect([...canonicalPieces({ earlier }, { levels: 1, pieceOf })]).toContain(JSON.stringify(earlier));
		expect([...canonicalPieces({ earlier }, { levels: 0, pieceOf })]).toEqual([JSON.stringify({ earlier })]);
	});
});
