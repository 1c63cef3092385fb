// Exact edit
//
// What an edit does to a file's bytes: the named text and nothing else.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EDIT_PLACES_MAX } from "../../engine/core/tool-limits.js";
import { editExactly } from "../../engine/tools/exact-edit.js";

const DOLLARS = "$& $` $' $1 $$ $<name> $0";

function edited(before: string, oldText: string, newText: string, replaceAll = false): string {
	return editExactly(Buffer.from(before), { oldText, newText, replaceAll }).bytes.toString();
}

describe("editExactly", () => {
	it("takes every dollar pattern of the new text as it is, once and in every place", () => {
		expect(edited("a MARK b", "MARK", DOLLARS)).toBe(`a ${DOLLARS} b`);
		expect(edited("MARK MARK", "MARK", DOLLARS, true)).toBe(`${DOLLARS} ${DOLLARS}`);
		expect(edited("a $& b", "$&", "c")).toBe("a c b");
	});

	it("refuses a text that is not there, and one that could be meant at two places, overlapping ones too", () => {
		expect(() => edited("abc", "d", "")).toThrow("does not hold the old text");
		expect(() => edited("ab ab", "ab", "")).toThrow("holds the old text more than once");
		expect(() => edited("aaa", "aa", "")).toThrow("holds the old text more than once");
		expect(edited("aaa", "aa", "b", true)).toBe("ba");
	});

	it("says which line ends the file has where only they differ", () => {
		expect(() => edited("one\r\ntwo", "one\ntwo", "")).toThrow('it does with the line ends "\\r\\n"');
		expect(() => edited("one\ntwo\r\n", "one\r\ntwo", "")).toThrow('it does with the line ends "\\n"');
		expect(() => edited("one\r\ntwo", "three\nfour", "")).toThrow(/the old text$/);
	});

	it("refuses more places than its bound", () => {
		const places = "ab".repeat(EDIT_PLACES_MAX);
		expect(edited(places, "a", "", true)).toBe("b".repeat(EDIT_PLACES_MAX));
		expect(() => edited(`${places}a`, "a", "", true)).toThrow(`more than ${EDIT_PLACES_MAX} places`);
	});

	it("leaves every byte outside the replaced places as it was, whatever stands around them", () => {
		const around = fc.array(fc.constantFrom("\uFEFF", "\r\n", "\n", "\r", "é", "€", "😀", "x", " "), { maxLength: 12 });
		fc.assert(
			fc.property(
				fc.array(around, { minLength: 2, maxLength: 5 }),
				fc.string({ unit: "grapheme" }),
				(parts, newText) => {
					const texts = parts.map((part) => part.join(""));
					const { bytes, replacements } = editExactly(Buffer.from(texts.join("<é>")), {
						oldText: "<é>",
						newText,
						replaceAll: true,
					});
					expect(bytes.equals(Buffer.from(texts.join(newText)))).toBe(true);
					expect(replacements).toBe(texts.length - 1);
				},
			),
		);
	});
});
