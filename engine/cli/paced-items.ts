// Paced items
//
// The items of a recording, as fast as a model would have written them. An item comes when all its tokens would have been
// generated, counted from the start: counting from the item before would add up every timer's lateness. What counts is
// what the items carry, so that every format that can be read has a pace; pacing the lines of the recording would need
// to know where each format keeps the model's text, and some have no lines.
//
// Owns:      the pace, and how much the model wrote for an item.
// Does not:  read the recording (the engine's stream reader).

import type { CallDelta, Clock, StreamItem } from "../index.js";
import { wait } from "./wait.js";

/** About how many characters of a reply are one token. */
const TOKEN_CHARS = 4;

/** A recording is read in pieces of so many bytes, between which the host's event loop may turn. */
const PIECE_BYTES = 4 * 1024;

type Item = StreamItem | CallDelta;

export interface Pace {
	/** 0 is as fast as it is read. */
	readonly tokensPerSecond: number;
	readonly clock: Clock;
	readonly signal: AbortSignal;
}

/** The items, each in its time. Ends early, without an error, when the signal aborts. */
export async function* pacedItems(items: AsyncIterable<Item>, pace: Pace): AsyncGenerator<Item, void, undefined> {
	const { tokensPerSecond, clock, signal } = pace;
	const startMs = clock.monotonicMs();
	const written = new WrittenChars();
	for await (const item of items) {
		written.add(item);
		if (tokensPerSecond > 0) {
			const dueMs = startMs + (written.chars / TOKEN_CHARS / tokensPerSecond) * 1_000;
			await wait(clock, dueMs - clock.monotonicMs(), signal);
		}
		if (signal.aborted) return;
		yield item;
	}
}

/** A recording as a source of pieces. Read at once, a long one would hold up Ctrl-C and the threads' answers. */
export async function* recordedPieces(bytes: Uint8Array, clock: Clock): AsyncGenerator<Uint8Array, void, undefined> {
	for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
		yield bytes.subarray(from, from + PIECE_BYTES);
		await clock.nextTurn();
	}
}

/** How many characters a model wrote for the items so far. */
class WrittenChars {
	chars = 0;
	/** Of the arguments of each call: the pieces of one that streams are the beginning of its whole text. */
	#ofArguments = new Map<number, number>();

	add(item: Item): void {
		switch (item.kind) {
			case "text":
				this.chars += item.text.length;
				break;
			case "call-started":
				this.chars += item.name.length;
				break;
			case "call-delta":
				this.#argumentsGrow(item.index, this.#argumentChars(item.index) + item.delta.length);
				break;
			case "call-complete":
			case "call-closed":
				this.#argumentsGrow(item.index, item.argsText.length);
				break;
			case "restart":
				this.#ofArguments = new Map();
				break;
			case "end":
				break;
		}
	}

	#argumentChars(index: number): number {
		return this.#ofArguments.get(index) ?? 0;
	}

	#argumentsGrow(index: number, chars: number): void {
		this.chars += Math.max(0, chars - this.#argumentChars(index));
		this.#ofArguments.set(index, chars);
	}
}
