// Kept output
//
// The beginning and the end of a command's output, in memory that does not grow with it. A gigabyte without a line end
// costs what a screenful does.
//
// Owns:      what is kept, the count of what is not, and that no character is cut in two.
// Does not:  read from a process (command-process.ts).
//
// Invariants:
//   KO1. What is kept is never more than the head's and the tail's bytes, whatever arrives.

import { invariant } from "../core/invariant.js";
import { COMMAND_HEAD_BYTES, COMMAND_TAIL_BYTES } from "../core/tool-limits.js";
import { wholeEnd, wholeStart } from "./utf8-edges.js";

const EMPTY = Buffer.alloc(0);

export interface OutputText {
	/** The output, or its head and its tail with a line between them that says how much is missing. */
	readonly text: string;
	readonly droppedBytes: number;
}

export class KeptOutput {
	readonly #headMax: number;
	readonly #tailMax: number;
	#head = EMPTY;
	#headBytes = 0;
	/** A ring: the oldest byte is at `#tailStart`. */
	#tail = EMPTY;
	#tailStart = 0;
	#tailBytes = 0;
	#bytes = 0;

	constructor({ headMax = COMMAND_HEAD_BYTES, tailMax = COMMAND_TAIL_BYTES } = {}) {
		this.#headMax = headMax;
		this.#tailMax = tailMax;
	}

	/** All that arrived. */
	get bytes(): number {
		return this.#bytes;
	}

	take(piece: Uint8Array): void {
		this.#bytes += piece.length;
		const toHead = Math.min(piece.length, this.#headMax - this.#headBytes);
		if (toHead > 0) {
			if (this.#head === EMPTY) this.#head = Buffer.allocUnsafe(this.#headMax);
			this.#head.set(piece.subarray(0, toHead), this.#headBytes);
			this.#headBytes += toHead;
		}
		if (toHead < piece.length) this.#takeTail(piece.subarray(toHead).subarray(-this.#tailMax));
		invariant(this.#headBytes <= this.#headMax && this.#tailBytes <= this.#tailMax, "KO1", "kept too much");
	}

	text(): OutputText {
		const head = this.#head.subarray(0, this.#headBytes);
		const tail = Buffer.concat([
			this.#tail.subarray(this.#tailStart, this.#tailStart + this.#tailBytes),
			this.#tail.subarray(0, Math.max(0, this.#tailStart + this.#tailBytes - this.#tailMax)),
		]);
		if (this.#bytes === head.length + tail.length) {
			return { text: Buffer.concat([head, tail]).toString(), droppedBytes: 0 };
		}
		const shown = [head.subarray(0, wholeEnd(head)), tail.subarray(wholeStart(tail))] as const;
		const droppedBytes = this.#bytes - shown[0].length - shown[1].length;
		return {
			text: `${shown[0].toString()}\n[… ${droppedBytes} bytes left out …]\n${shown[1].toString()}`,
			droppedBytes,
		};
	}

	#takeTail(piece: Uint8Array): void {
		if (this.#tail === EMPTY) this.#tail = Buffer.allocUnsafe(this.#tailMax);
		const end = (this.#tailStart + this.#tailBytes) % this.#tailMax;
		const toEnd = Math.min(piece.length, this.#tailMax - end);
		this.#tail.set(piece.subarray(0, toEnd), end);
		this.#tail.set(piece.subarray(toEnd), 0);
		const over = Math.max(0, this.#tailBytes + piece.length - this.#tailMax);
		this.#tailStart = (this.#tailStart + over) % this.#tailMax;
		this.#tailBytes += piece.length - over;
	}
}
