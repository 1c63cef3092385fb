// UTF-8 pieces
//
// Bytes to text, piece by piece, where a character may span pieces. A piece that ends no line holds nothing that could be
// read yet, so its bytes are only kept until the line ends, and decoded once with the rest of it: decoding each of many
// small pieces costs more than reading what is in them. Line ends are single bytes, so whole lines end with a character.
//
// Owns:      the bytes of a line that has not ended yet, as long as they are few.
// Does not:  cut text into events (wire.ts).
//
// Invariants:
//   UP1. The text is that of all bytes at once, however they are split.
//   UP2. Of bytes that are not UTF-8 the whole lines before the first wrong one give text, and nothing after them does;
//        nothing is replaced, since a replaced character would be an argument that nobody wrote.

import { invariant } from "../core/invariant.js";
import { LINE_BYTES_HELD_MAX } from "../core/limits.js";

export class Utf8Pieces {
	// UP1: a mark of byte order inside the stream is a character like any other.
	readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
	#room = NOTHING;
	/** What is held of the room. */
	#from = 0;
	#to = 0;
	#damaged = false;

	/** Whether bytes came that are not UTF-8. */
	get damaged(): boolean {
		return this.#damaged;
	}

	/** The text up to the last line end, or of a longer line up to the last character that has ended. */
	decode(piece: Uint8Array): string {
		if (this.#damaged) return "";
		if (this.#to - this.#from + piece.length > LINE_BYTES_HELD_MAX) return this.#decodeMany(piece);
		const before = this.#hold(piece);
		const lineEnd = 1 + Math.max(piece.lastIndexOf(LINE_FEED), piece.lastIndexOf(CARRIAGE_RETURN));
		if (lineEnd === 0) return "";
		const from = this.#from;
		this.#from = before + lineEnd;
		return this.#text(this.#room.subarray(from, this.#from));
	}

	/** The text of what is held; damaged where that ends inside a character. */
	finish(): string {
		if (this.#damaged) return "";
		const held = this.#room.subarray(this.#from, this.#to);
		this.#from = this.#to;
		return this.#text(held);
	}

	/** Copies the piece, since the source may use its bytes again; returns where in the room it begins. */
	#hold(piece: Uint8Array): number {
		if (this.#room === NOTHING) this.#room = new Uint8Array(LINE_BYTES_HELD_MAX);
		if (this.#to + piece.length > this.#room.length) {
			this.#room.copyWithin(0, this.#from, this.#to);
			this.#to -= this.#from;
			this.#from = 0;
		}
		invariant(this.#to + piece.length <= this.#room.length, "UP1", "a piece has no room");
		this.#room.set(piece, this.#to);
		this.#to += piece.length;
		return this.#to - piece.length;
	}

	/** A piece that would not be held cheaply. */
	#decodeMany(piece: Uint8Array): string {
		const bytes = this.#from === this.#to ? piece : join(this.#room.subarray(this.#from, this.#to), piece);
		const end = bytes.length - unfinishedBytes(bytes);
		this.#from = this.#to;
		this.#hold(bytes.subarray(end));
		return this.#text(bytes.subarray(0, end));
	}

	#text(bytes: Uint8Array): string {
		try {
			return this.#decoder.decode(bytes);
		} catch {
			this.#damaged = true;
			return this.#wholeLines(bytes);
		}
	}

	// UP2: what stands before the damage does not depend on how the bytes are split.
	#wholeLines(bytes: Uint8Array): string {
		let text = "";
		for (let from = 0, at = 0; at < bytes.length; at += 1) {
			if (bytes[at] !== LINE_FEED && bytes[at] !== CARRIAGE_RETURN) continue;
			try {
				text += this.#decoder.decode(bytes.subarray(from, at + 1));
			} catch {
				break;
			}
			from = at + 1;
		}
		return text;
	}
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const NOTHING = new Uint8Array(0);

/** How many bytes at the end begin a character that needs more of them. */
function unfinishedBytes(bytes: Uint8Array): number {
	for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
		const byte = bytes[bytes.length - back] ?? 0;
		if (byte < 0x80) return 0;
		// The first byte of a character says how many there are; those after it begin with the bits 10.
		if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
	}
	return 0;
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array {
	const joined = new Uint8Array(first.length + second.length);
	joined.set(first);
	joined.set(second, first.length);
	return joined;
}
