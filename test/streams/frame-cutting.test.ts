// Frame cutting: long streams of frames of any length, in pieces of any length.

import fc from "fast-check";
import { expect, test } from "vitest";
import { EventFrames } from "../../engine/streams/event-frames.js";
import { eventFrame } from "./event-frames.js";

test("EF1: frames longer than what is held at first, between short ones, are the same in pieces of any length", () => {
	const length = fc.oneof(fc.integer({ max: 40, min: 1 }), fc.integer({ min: 16_000, max: 17_000 }), fc.nat(60_000));
	const pieces = fc.oneof(
		fc.array(fc.integer({ min: 1, max: 40_000 }), { minLength: 1, maxLength: 6 }),
		fc.constantFrom([70], [100, 3], [16_384], [16_385], [1_000_000]),
	);
	fc.assert(
		fc.property(fc.array(length, { minLength: 1, maxLength: 20 }), pieces, (lengths, sizes) => {
			const payloads = lengths.map((chars, place) => ({ place, text: "x".repeat(chars) }));
			const bytes = Buffer.concat(payloads.map((payload) => eventFrame(`kind${payload.place % 3}`, payload)));
			const frames = new EventFrames();
			const framed: unknown[] = [];
			for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
				const size = sizes[turn % sizes.length] ?? 1;
				// Copied and wiped, as by a source that uses its bytes again.
				const piece = Uint8Array.from(bytes.subarray(at, at + size));
				framed.push(...frames.push(piece));
				piece.fill(0);
				at += size;
			}
			const expected = payloads.map((payload) => ({ name: `kind${payload.place % 3}`, data: JSON.stringify(payload) }));
			expect([...framed, ...frames.finish()]).toEqual(expected);
		}),
		{ numRuns: 150 },
	);
});
