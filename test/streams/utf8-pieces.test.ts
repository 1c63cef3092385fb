// UTF-8 pieces, against Node's own decoder.

import fc from "fast-check";
import { expect, test } from "vitest";
import { Utf8Pieces } from "../../engine/streams/utf8-pieces.js";

/** The text of all bytes, piece by piece; undefined where they are not UTF-8. */
function inPieces(bytes: Uint8Array, sizes: readonly number[]): string | undefined {
	const pieces = new Utf8Pieces();
	let text = "";
	for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
		const size = sizes[turn % sizes.length] ?? 1;
		const decoded = pieces.decode(bytes.subarray(at, at + size));
		if (decoded === undefined) return undefined;
		text += decoded;
		at += size;
	}
	return pieces.insideCharacter ? undefined : text;
}

function atOnce(bytes: Uint8Array): string | undefined {
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch {
		return undefined;
	}
}

const character = fc.string({ unit: "binary", minLength: 1, maxLength: 1 });
const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 8 });

test("UP1: any text is the same in pieces of any size", () => {
	fc.assert(
		fc.property(fc.string({ unit: fc.oneof(fc.constant("\uFEFF"), character) }), sizes, (text, all) => {
			expect(inPieces(new TextEncoder().encode(text), all)).toBe(text);
		}),
		{ numRuns: 2_000 },
	);
});

test("UP2: bytes give a text exactly where Node's decoder gives one of all of them, and the same", () => {
	const tricky = fc.constantFrom(0x41, 0x80, 0xbf, 0xc0, 0xc3, 0xe0, 0xe2, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff, 0x9f);
	const bytes = fc.array(fc.oneof(tricky, fc.nat(255)), { maxLength: 12 }).map((all) => Uint8Array.from(all));
	fc.assert(
		fc.property(bytes, sizes, (all, pieces) => {
			expect(inPieces(all, pieces)).toBe(atOnce(all));
		}),
		{ numRuns: 5_000 },
	);
});

test("UP1: a character that spans pieces survives a source that uses its bytes again", () => {
	const source = Buffer.from("ö");
	const pieces = new Utf8Pieces();
	expect(pieces.decode(source.subarray(0, 1))).toBe("");
	const last = Uint8Array.from(source.subarray(1));
	source.fill(0);
	expect(pieces.decode(last)).toBe("ö");
});
