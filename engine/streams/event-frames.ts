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
import { STREAM_EVENT_CHARS_MAX } from "../core/limits.js";
import type { ByteFraming, Framed } from "./wire.js";

/** Lengths and their checksum at the head, the frame's checksum at its end. */
const FRAME_BYTES_MIN = 16;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const codec = new EventStreamCodec(
	(bytes) => headerText(bytes as Uint8Array),
	(text) => new TextEncoder().encode(text),
);

export class EventFrames implements ByteFraming {
	/** The beginning of a frame that is not whole; its room grows twofold, so that a frame in single bytes costs one pass. */
	#begun = new Uint8Array(1024);
	#begunBytes = 0;
	#damaged = false;

	push(bytes: Uint8Array): readonly Framed[] {
		if (this.#damaged) return [];
		const framed: Framed[] = [];
		let rest = bytes;
		if (this.#begunBytes > 0) rest = this.#continue(bytes, framed);
		while (!this.#damaged && rest.length > 0) {
			const length = this.#frameBytes(rest, framed);
			if (length === undefined || length > rest.length) break;
			this.#read(rest.subarray(0, length), framed);
			rest = rest.subarray(length);
		}
		if (!this.#damaged) this.#keep(rest);
		return framed;
	}

	finish(): readonly Framed[] {
		return this.#damaged || this.#begunBytes === 0 ? [] : [damaged("the stream stops inside a frame")];
	}

	/** Fills up the frame that was begun, and reads it once it is whole; what is left of the bytes is returned. */
	#continue(bytes: Uint8Array, framed: Framed[]): Uint8Array {
		let rest = bytes;
		for (;;) {
			const length = this.#frameBytes(this.#begun.subarray(0, this.#begunBytes), framed);
			if (length === this.#begunBytes) {
				this.#begunBytes = 0;
				this.#read(this.#begun.subarray(0, length), framed);
				return rest;
			}
			if (this.#damaged || rest.length === 0) return rest;
			// EF1: until the length itself is there, its four bytes are what is missing.
			const missing = (length ?? 4) - this.#begunBytes;
			this.#keep(rest.subarray(0, missing));
			rest = rest.subarray(missing);
		}
	}

	#keep(bytes: Uint8Array): void {
		const total = this.#begunBytes + bytes.length;
		if (total > this.#begun.length) {
			const larger = new Uint8Array(Math.max(total, 2 * this.#begun.length));
			larger.set(this.#begun.subarray(0, this.#begunBytes));
			this.#begun = larger;
		}
		this.#begun.set(bytes, this.#begunBytes);
		this.#begunBytes = total;
	}

	/** The length of the frame that begins here; undefined until its four bytes are there. */
	#frameBytes(bytes: Uint8Array, framed: Framed[]): number | undefined {
		if (bytes.length < 4) return undefined;
		const high = (bytes[0] ?? 0) * 2 ** 24;
		const length = high + (((bytes[1] ?? 0) << 16) | ((bytes[2] ?? 0) << 8) | (bytes[3] ?? 0));
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

// A frame of a few characters has six texts in its headers, all short and plain; a decoder costs most before its first
// character.
function headerText(bytes: Uint8Array): string {
	let text = "";
	for (const byte of bytes) {
		if (byte >= 0x80) return decoder.decode(bytes);
		text += String.fromCharCode(byte);
	}
	return text;
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
