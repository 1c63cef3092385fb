// Frame headers, against Amazon's own reader.

import { HeaderMarshaller } from "@smithy/eventstream-codec";
import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { FRAME_HEADERS_KEPT_BYTES_MAX } from "../../engine/core/limits.js";
import { EventFrames } from "../../engine/streams/event-frames.js";
import { FrameHeaders } from "../../engine/streams/frame-headers.js";
import { eventFrame } from "./event-frames.js";

afterEach(() => vi.restoreAllMocks());

const toText = (bytes: unknown): string => new TextDecoder().decode(bytes as Uint8Array);
const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const plain = new HeaderMarshaller(toText, toBytes);

function outcome(parse: () => unknown): unknown {
	try {
		return parse();
	} catch {
		return "no headers";
	}
}

/** A view of the bytes with others behind them, as in a frame. */
function inFrame(bytes: Uint8Array): DataView<ArrayBuffer> {
	const frame = Uint8Array.from([1, 2, ...bytes, ...new Uint8Array(300).fill(120)]);
	return new DataView(frame.buffer, 2, bytes.length);
}

test("FH1: headers are what Amazon's reader reads of their bytes alone, whatever headers came before", () => {
	const header = fc.tuple(fc.constantFrom("a", "b", ":event-type", "ö"), fc.string({ maxLength: 3 }));
	const whole = fc
		.array(header, { maxLength: 4 })
		.map((all) => plain.format(Object.fromEntries(all.map(([name, value]) => [name, { type: "string", value }]))));
	const cut = fc.tuple(whole, fc.nat(12)).map(([bytes, by]) => bytes.subarray(0, Math.max(0, bytes.length - by)));
	const block = fc.oneof(whole, cut);
	fc.assert(
		fc.property(
			fc.array(block, { minLength: 1, maxLength: 8 }),
			fc.array(fc.nat(), { maxLength: 8 }),
			(blocks, again) => {
				const headers = new FrameHeaders(toText, toBytes);
				const order = [...blocks, ...again.map((place) => blocks[place % blocks.length] ?? new Uint8Array(0))];
				for (const bytes of order) {
					const alone = new DataView(Uint8Array.from(bytes).buffer);
					expect(outcome(() => headers.parse(inFrame(bytes)))).toEqual(outcome(() => plain.parse(alone)));
				}
			},
		),
		{ numRuns: 3_000 },
	);
});

test("headers longer than the limit are read each time, and those that are the same as the last are not", () => {
	const read = vi.spyOn(HeaderMarshaller.prototype, "parse");
	const frames = new EventFrames();
	for (let time = 0; time < 5; time += 1) frames.push(eventFrame("short", { time }));
	expect(read).toHaveBeenCalledTimes(1);
	const long = "x".repeat(FRAME_HEADERS_KEPT_BYTES_MAX);
	for (let time = 0; time < 5; time += 1)
		expect(frames.push(eventFrame(long, { time }))).toMatchObject([{ name: long }]);
	expect(read).toHaveBeenCalledTimes(6);
});
