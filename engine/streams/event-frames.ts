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
import { invariant } from "../core/invariant.js";
import { STREAM_EVENT_CHARS_MAX } from "../core/limits.js";
import { FrameHeaders } from "./frame-headers.js";
import type { ByteFraming, Framed } from "./wire.js";

/** Lengths and their checksum at the head, the frame's checksum at its end. */
const FRAME_BYTES_MIN = 16;

/** Room for what has come of a frame, at first, and the most that is taken into it at once. */
const ROOM_BYTES = 16 * 1024;

const NOTHING_FRAMED: readonly never[] = Object.freeze([]);

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export class EventFrames implements ByteFraming {
	readonly #codec = codecOfFrames();
	/** Frames are cut from here, since a piece may end anywhere; grows twofold, so that single bytes cost one pass. */
	#room = new Uint8Array(ROOM_BYTES);
	#from = 0;
	#to = 0;
	/** The length of the frame that begins the room, once its bytes are there. */
	#length: number | undefined;
	#damaged = false;

	push(bytes: Uint8Array): readonly Framed[] {
		if (bytes.length <= ROOM_BYTES) return this.#take(bytes);
		const framed: Framed[] = [];
		for (let at = 0; at < bytes.length; at += ROOM_BYTES) {
			for (const one of this.#take(bytes.subarray(at, at + ROOM_BYTES))) framed.push(one);
		}
		return framed;
	}

	finish(): readonly Framed[] {
		return this.#damaged || this.#from === this.#to ? NOTHING_FRAMED : [damaged("the stream stops inside a frame")];
	}

	#take(bytes: Uint8Array): readonly Framed[] {
		if (this.#damaged) return NOTHING_FRAMED;
		if (this.#to + bytes.length > this.#room.length) this.#makeRoom(bytes.length);
		this.#room.set(bytes, this.#to);
		this.#to += bytes.length;
		return this.#to - this.#from < (this.#length ?? 4) ? NOTHING_FRAMED : this.#cut();
	}

	#makeRoom(bytes: number): void {
		const held = this.#room.subarray(this.#from, this.#to);
		const needed = held.length + bytes;
		if (needed > this.#room.length) this.#room = new Uint8Array(Math.max(needed, 2 * this.#room.length));
		this.#room.set(held);
		this.#from = 0;
		this.#to = held.length;
	}

	#cut(): readonly Framed[] {
		const framed: Framed[] = [];
		while (!this.#damaged) {
			this.#length ??= this.#nextLength(framed);
			const length = this.#length;
			if (length === undefined || length > this.#to - this.#from) break;
			const frame = this.#room.subarray(this.#from, this.#from + length);
			this.#from += length;
			this.#length = undefined;
			this.#read(frame, framed);
		}
		return framed;
	}

	/** The length of the next frame; undefined until its four bytes are there. */
	#nextLength(framed: Framed[]): number | undefined {
		if (this.#to - this.#from < 4) return undefined;
		const length = uint32(this.#room, this.#from);
		if (length >= FRAME_BYTES_MIN && length <= STREAM_EVENT_CHARS_MAX) return length;
		// EF2: here and not once the frame is whole, since a wrong length would have gigabytes waited for.
		this.#damage(`a frame of ${length} bytes is none of an event stream`, framed);
		return undefined;
	}

	#read(frame: Uint8Array, framed: Framed[]): void {
		invariant(uint32(frame, 0) === frame.length, "EF1", "what was cut is no frame");
		try {
			const { headers, body } = this.#codec.decode(frame);
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

// The codec makes a reader of headers for itself and takes none. Should it come to look for it under another name, every
// frame has its headers read, and nothing else changes.
function codecOfFrames(): EventStreamCodec {
	const toText = (bytes: Parameters<typeof decoder.decode>[0]): string => decoder.decode(bytes);
	const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text);
	const codec = new EventStreamCodec((bytes) => toText(bytes as Uint8Array), toBytes);
	Object.assign(codec, { headerMarshaller: new FrameHeaders((bytes) => toText(bytes as Uint8Array), toBytes) });
	return codec;
}

function uint32(bytes: Uint8Array, at: number): number {
	const low = ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
	return (bytes[at] ?? 0) * 2 ** 24 + low;
}

/** An error of the wire itself has its words in its headers. */
function errorOf(headers: ReturnType<EventStreamCodec["decode"]>["headers"]): string {
	const code = headers[":error-code"]?.value;
	const message = headers[":error-message"]?.value;
	return JSON.stringify({ code: String(code), message: String(message ?? code) });
}

function damaged(problem: string): Framed {
	return { kind: "damaged", problem, fault: problem };
}
