// UTF-8 pieces, against Node's own decoder.

import fc from "fast-check";
import { expect, test } from "vitest";
import { LINE_BYTES_HELD_MAX } from "../../engine/core/limits.js";
import { Utf8Pieces } from "../../engine/streams/utf8-pieces.js";

interface Decoded {
	readonly text: string;
	readonly damaged: boolean;
}

/** The text of all bytes, piece by piece. */
function inPieces(bytes: Uint8Array, sizes: readonly number[]): Decoded {
	const pieces = new Utf8Pieces();
	let text = "";
	for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
		const size = sizes[turn % sizes.length] ?? 1;
		text += pieces.decode(bytes.subarray(at, at + size));
		at += size;
	}
	text += pieces.finish();
	return { text, damaged: pieces.damaged };
}

function atOnce(bytes: Uint8Array): Decoded {
	try {
		return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes), damaged: false };
	} catch {
		// The whole lines before the first that is not UTF-8.
		const end = 1 + Math.max(bytes.lastIndexOf(10, -2), bytes.lastIndexOf(13, -2));
		return { text: end === 0 ? "" : atOnce(bytes.subarray(0, end)).text, damaged: true };
	}
}

const character = fc.string({ unit: "binary", minLength: 1, maxLength: 1 });
const unit = fc.oneof({ weight: 8, arbitrary: character }, fc.constantFrom("\uFEFF", "\n", "\r", "\r\n"));
const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 8 });

test("UP1: any text is the same in pieces of any size", () => {
	fc.assert(
		fc.property(fc.string({ unit }), sizes, (text, all) => {
			expect(inPieces(new TextEncoder().encode(text), all)).toEqual({ text, damaged: false });
		}),
		{ numRuns: 2_000 },
	);
});

test("UP1: lines around the length up to which bytes are held are the same in pieces of any size", () => {
	const around = fc.integer({ min: LINE_BYTES_HELD_MAX - 5, max: LINE_BYTES_HELD_MAX + 5 });
	const lines = fc.array(fc.tuple(around, fc.string({ unit, maxLength: 5 })), { minLength: 1, maxLength: 3 });
	const long = fc.array(fc.oneof(around, fc.integer({ min: 1_000, max: 40_000 })), { minLength: 1, maxLength: 4 });
	fc.assert(
		fc.property(lines, long, (all, pieces) => {
			const text = all.map(([length, end]) => `${"ö".repeat(length / 2)}${end}\n`).join("");
			expect(inPieces(new TextEncoder().encode(text), pieces)).toEqual({ text, damaged: false });
		}),
		{ numRuns: 200 },
	);
});

test("UP2: bytes that are not UTF-8 give the whole lines before them, however they are split", () => {
	const tricky = fc.constantFrom(0x41, 0x80, 0xbf, 0xc0, 0xc3, 0xe0, 0xe2, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff, 0x9f);
	const end = fc.constantFrom(10, 13);
	const bytes = fc.array(fc.oneof(tricky, end, fc.nat(255)), { maxLength: 14 }).map((all) => Uint8Array.from(all));
	fc.assert(
		fc.property(bytes, sizes, (all, pieces) => {
			expect(inPieces(all, pieces)).toEqual(atOnce(all));
		}),
		{ numRuns: 5_000 },
	);
});

test("a line is there with the piece that ends it, and nothing of it before", () => {
	const pieces = new Utf8Pieces();
	const told = ["data", ": 1", "\n", "\ndata: 2\r", "da"].map((piece) => pieces.decode(Buffer.from(piece)));
	expect(told).toEqual(["", "", "data: 1\n", "\ndata: 2\r", ""]);
	expect(pieces.finish()).toBe("da");
});

test("UP1: a line that spans pieces survives a source that uses its bytes again", () => {
	const source = Buffer.from("aö");
	const pieces = new Utf8Pieces();
	expect(pieces.decode(source.subarray(0, 2))).toBe("");
	const last = Uint8Array.from(source.subarray(2));
	source.fill(0);
	expect(pieces.decode(last) + pieces.finish()).toBe("aö");
});
