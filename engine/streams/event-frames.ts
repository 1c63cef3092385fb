// Event frames
//
// The binary wire of Amazon's event streams (`application/vnd.amazon.eventstream`): frames with headers, a JSON payload
// and two checksums. Amazon's own codec reads a frame; it wants each whole, and checks no length before it has all.
//
// Owns:      cutting bytes into frames, the bound of one frame, what the headers say about the payload.
// Does not:  verify or decode a frame (the codec does), or know what an event means (bedrock-converse.ts).
//
// Invariants:
//   EF1. How the bytes are split changes nothing about the frames.
//   EF2. A frame that is too long, too short or not as its checksums say ends the stream as damaged.

import { EventStreamCodec } from "@smithy/eventstream-codec";
import { HEADER_TEXT_REMEMBERED_BYTES_MAX, STREAM_EVENT_CHARS_MAX } from "../core/limits.js";
import type { ByteFraming, Framed } from "./wire.js";

/** Lengths and their checksum at the head, the frame's checksum at its end. */
const FRAME_BYTES_MIN = 16;

const NOTHING_FRAMED: readonly never[] = Object.freeze([]);

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const codec = new EventStreamCodec(
	(bytes) => headerText(bytes as Uint8Array),
	(text) => new TextEncoder().encode(text),
);

/** A part of some bytes, by offsets: a view of each part would cost more than reading a small frame. */
interface Part {
	readonly from: number;
	readonly to: number;
}

export class EventFrames implements ByteFraming {
	/** The beginning of a frame that is not whole; its room grows twofold, so that a frame in single bytes costs one pass. */
	#begun = new Uint8Array(1024);
	#begunBytes = 0;
	#damaged = false;

	push(bytes: Uint8Array): readonly Framed[] {
		if (this.#damaged) return NOTHING_FRAMED;
		const framed: Framed[] = [];
		let at = this.#begunBytes > 0 ? this.#continue(bytes, framed) : 0;
		while (!this.#damaged && at < bytes.length) {
			const length = this.#frameBytes(bytes, { from: at, to: bytes.length }, framed);
			if (length === undefined || length > bytes.length - at) break;
			this.#read(bytes.subarray(at, at + length), framed);
			at += length;
		}
		if (!this.#damaged && at < bytes.length) this.#keep(bytes, { from: at, to: bytes.length });
		return framed;
	}

	finish(): readonly Framed[] {
		return this.#damaged || this.#begunBytes === 0 ? NOTHING_FRAMED : [damaged("the stream stops inside a frame")];
	}

	/** Fills up the frame that was begun, and reads it once it is whole; returns how many of the bytes are used up. */
	#continue(bytes: Uint8Array, framed: Framed[]): number {
		let at = 0;
		for (;;) {
			const length = this.#frameBytes(this.#begun, { from: 0, to: this.#begunBytes }, framed);
			if (length === this.#begunBytes) {
				this.#begunBytes = 0;
				this.#read(this.#begun.subarray(0, length), framed);
				return at;
			}
			if (this.#damaged || at === bytes.length) return at;
			// EF1: until the length itself is there, its four bytes are what is missing.
			const to = Math.min(bytes.length, at + (length ?? 4) - this.#begunBytes);
			this.#keep(bytes, { from: at, to });
			at = to;
		}
	}

	#keep(bytes: Uint8Array, { from, to }: Part): void {
		const total = this.#begunBytes + to - from;
		if (total > this.#begun.length) {
			const larger = new Uint8Array(Math.max(total, 2 * this.#begun.length));
			larger.set(this.#begun.subarray(0, this.#begunBytes));
			this.#begun = larger;
		}
		this.#begun.set(from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to), this.#begunBytes);
		this.#begunBytes = total;
	}

	/** The length of the frame that begins where the part does; undefined until its four bytes are there. */
	#frameBytes(bytes: Uint8Array, { from, to }: Part, framed: Framed[]): number | undefined {
		if (to - from < 4) return undefined;
		const high = (bytes[from] ?? 0) * 2 ** 24;
		const length = high + (((bytes[from + 1] ?? 0) << 16) | ((bytes[from + 2] ?? 0) << 8) | (bytes[from + 3] ?? 0));
		if (length >= FRAME_BYTES_MIN && length <= STREAM_EVENT_CHARS_MAX) return length;
		// EF2: here and not once the frame is whole, since a wrong length would have gigabytes waited for.
		this.#damage(`a frame of ${length} bytes is none of an event stream`, framed);
		return undefined;
	}

	#read(frame: Uint8Array, framed: Framed[]): void {
		try {
			const { headers, body } = codec.decode(frame);
			const kind = headers[":message-type"]?.value;
			const name = headers[kind === "exception" ? ":exception-type" : ":event-type"]?.value;
			if (kind === "error") framed.push({ name: "error", data: errorOf(headers) });
			// A frame without a payload only opens the stream.
			else if (body.length > 0) framed.push({ name: String(name), data: decoder.decode(body) });
		} catch (cause) {
			this.#damage(`a frame cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, framed);
		}
	}

	#damage(problem: string, framed: Framed[]): void {
		this.#damaged = true;
		framed.push(damaged(problem));
	}
}

// A frame of a few characters has six texts in its headers, and the next frame has them again, so texts are remembered by
// their bytes: making them anew cost half of reading the frame. One place a length and second byte, so that what a stream
// can have remembered is bounded.
const remembered = new Map<number, { readonly bytes: Uint8Array; readonly text: string }>();

function headerText(bytes: Uint8Array): string {
	if (bytes.length > HEADER_TEXT_REMEMBERED_BYTES_MAX) return decoder.decode(bytes);
	const place = bytes.length * 256 + (bytes[1] ?? 0);
	const known = remembered.get(place);
	if (known !== undefined && isSame(known.bytes, bytes)) return known.text;
	const text = decoder.decode(bytes);
	remembered.set(place, { bytes: bytes.slice(), text });
	return text;
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
	// Of one length, since that is part of the place.
	for (let at = 0; at < left.length; at += 1) if (left[at] !== right[at]) return false;
	return true;
}

/** An error of the wire itself has its words in its headers. */
function errorOf(headers: ReturnType<typeof codec.decode>["headers"]): string {
	const code = headers[":error-code"]?.value;
	const message = headers[":error-message"]?.value;
	return JSON.stringify({ code: String(code), message: String(message ?? code) });
}

function damaged(problem: string): Framed {
	return { kind: "damaged", problem };
}
