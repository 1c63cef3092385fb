// Frame headers, against the bytes of each text.

import fc from "fast-check";
import { expect, test } from "vitest";
import { FRAME_HEADERS_KEPT_BYTES_MAX } from "../../engine/core/limits.js";
import { FrameHeaders } from "../../engine/streams/frame-headers.js";

/** Asks for the texts of these headers as the codec does: each with its length before it, the last one wherever it ends. */
function textsOf(headers: FrameHeaders, buffer: Uint8Array, end: number): string[] {
	headers.of(buffer.subarray(0, end));
	const texts: string[] = [];
	for (let at = 0; at < end; ) {
		const length = buffer[at] ?? 0;
		const bytes = buffer.subarray(at + 1, at + 1 + length);
		const text = headers.text(bytes);
		expect(text).toBe(new TextDecoder().decode(bytes));
		texts.push(text);
		at += 1 + length;
	}
	return texts;
}

test("FH1: each text is that of its own bytes, whatever headers came before and wherever a text ends", () => {
	const letter = fc.integer({ min: 97, max: 99 });
	const byte = fc.oneof(letter, fc.integer({ min: 0, max: 6 }));
	const block = fc.tuple(
		fc.array(byte, { minLength: 1, maxLength: 8 }),
		fc.array(letter, { minLength: 8, maxLength: 8 }),
	);
	fc.assert(
		fc.property(fc.array(block, { maxLength: 12 }), fc.array(fc.nat(11), { maxLength: 12 }), (blocks, again) => {
			const headers = new FrameHeaders();
			const none: (typeof blocks)[number] = [[1, 97], []];
			const order = [...blocks, ...again.map((place) => blocks[place] ?? none)];
			for (const [head, rest] of order) textsOf(headers, Uint8Array.from([...head, ...rest]), head.length);
			for (const [head] of order) textsOf(headers, Uint8Array.from([...head, 120, 121, 122]), head.length);
		}),
		{ numRuns: 3_000 },
	);
});

test("FH1: headers that begin as longer ones did, which were not kept, have texts of their own", () => {
	const long = new Uint8Array(FRAME_HEADERS_KEPT_BYTES_MAX + 200).fill(97);
	for (let at = 0; at < long.length; at += 101) long[at] = 100;
	const headers = new FrameHeaders();
	for (const end of [long.length, FRAME_HEADERS_KEPT_BYTES_MAX, long.length, 0, 101]) textsOf(headers, long, end);
});
