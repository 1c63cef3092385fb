// How much an answer is: compared with the text that JSON makes of it.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesOf } from "../../engine/policy/answer-size.js";

describe("the bytes of an answer", () => {
	it("are those of its JSON text in UTF-8, whatever has to be escaped", () => {
		const texts = fc.string({ unit: "binary" });
		const halves = fc.constantFrom("\ud83d", "\ude00", "\ud83d\ude00", "\ude00\ud83d", '"\\\n\u0001\u007f', "é€");
		const { value } = fc.letrec((tie) => ({
			value: fc.oneof(
				{ depthSize: "small" },
				texts,
				halves,
				fc.double(),
				fc.boolean(),
				fc.constant(null),
				fc.array(tie("value")),
				fc.dictionary(fc.oneof(texts, halves), tie("value")),
			),
		}));
		fc.assert(
			fc.property(value, (data) => {
				expect(bytesOf({ ok: true, value: data as string })).toBe(Buffer.byteLength(JSON.stringify(data)));
			}),
		);
	});

	it("are those of texts of every length around the room that they are counted in", () => {
		const units = ["a", "é", "\u0001", "\ud800", "\ud83d\ude00", "€"];
		for (const length of [47, 48, 49, 8_192, 16_382, 16_383, 16_384, 16_385])
			for (const first of units)
				for (const then of units) {
					const value = (first.repeat(length / 2) + then.repeat(length)).slice(0, length);
					expect(bytesOf({ ok: true, value })).toBe(Buffer.byteLength(JSON.stringify(value)));
				}
	});

	it("are those of what JSON makes of a value that a policy answered and that is no data yet", () => {
		const value = { day: new Date(0), gone: undefined, list: [undefined], inner: { toJSON: () => "é" } } as never;
		expect(bytesOf({ ok: true, value })).toBe(Buffer.byteLength(JSON.stringify(value)));
	});
});
