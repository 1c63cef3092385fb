// Tee stream
//
// One source, read twice: a host shows the model's text while the engine reads the same bytes. The source is asked for a
// piece when one side wants it and no side lags too far behind, so that the slower side holds the faster one back, and
// both the provider. `ReadableStream.tee()` lost here: it keeps without bound what the slower side has not taken.
//
// Owns:      the pieces that one side has taken and the other has not, the waits of both sides.
// Does not:  look into a piece.
//
// Invariants:
//   TE1. Each side has every piece of the source, in order, then its end or what it threw, until it stops.
//   TE2. No side is more than TEE_PIECES_MAX pieces ahead of the other, and the source is asked for one piece at a time.
//   TE3. The source is released once, when both sides have stopped; a side that stops changes nothing for the other.

import { TEE_PIECES_MAX } from "../core/limits.js";
import { iterate, type Pieces, release, unreadable } from "./source.js";

/**
 * Reads one stream twice, for instance to show it and to run it.
 *
 * Both sides are to be read at the same time, or stopped: a side that is 16 pieces ahead waits for the other. A side that
 * stops early (`break`, `return`) leaves the other its whole stream; the source is released when both have stopped.
 *
 * @param source - What the provider sends, such as the `body` of a response.
 * @throws EngineError `STREAM_UNREADABLE` at once, for a source that cannot be iterated: also for the `null` that a
 * response without a body has in its place.
 * @remarks Since 0.1.0.
 * @public
 */
export function teeStream<Piece>(
	source: Iterable<Piece> | AsyncIterable<Piece>,
): readonly [AsyncIterableIterator<Piece, undefined, void>, AsyncIterableIterator<Piece, undefined, void>] {
	const pieces = iterate(source);
	if (pieces === undefined) throw unreadable(source, "read the stream twice");
	const tee = new Tee(pieces as Pieces<Piece>);
	return [tee.side(0), tee.side(1)];
}

interface Request<Piece> {
	resolve(result: IteratorResult<Piece, undefined>): void;
	reject(cause: unknown): void;
}

interface SideState<Piece> {
	/** Pieces that the other side has been given and this one has not. */
	ahead: Piece[];
	/** Asked for and not answered. */
	requests: Request<Piece>[];
	stopped: boolean;
}

type SourceState =
	| { readonly kind: "idle" }
	| { readonly kind: "asked" }
	| { readonly kind: "over" }
	/** Each side is told once what the source threw. */
	| { readonly kind: "failed"; readonly cause: unknown };

class Tee<Piece> {
	readonly #pieces: Pieces<Piece>;
	readonly #sides: readonly [SideState<Piece>, SideState<Piece>] = [newSide(), newSide()];
	#source: SourceState = { kind: "idle" };

	constructor(pieces: Pieces<Piece>) {
		this.#pieces = pieces;
	}

	side(place: 0 | 1): AsyncIterableIterator<Piece, undefined, void> {
		const side = this.#sides[place];
		const iterator: AsyncIterableIterator<Piece, undefined, void> = {
			[Symbol.asyncIterator]: () => iterator,
			next: () =>
				new Promise((resolve, reject) => {
					side.requests.push({ resolve, reject });
					this.#move();
				}),
			return: () => {
				side.stopped = true;
				this.#move();
				return Promise.resolve(DONE);
			},
		};
		return iterator;
	}

	/** Answers what can be answered, then asks the source if some side wants more than there is. */
	#move(): void {
		for (const side of this.#sides) this.#answer(side);
		const { kind } = this.#source;
		if (kind === "over" || kind === "failed") return;
		// TE2: what one side has not taken is what the other is ahead by.
		const wanted = this.#sides.some(({ requests }) => requests.length > 0);
		const held = this.#sides.some(({ ahead }) => ahead.length >= TEE_PIECES_MAX);
		if (this.#sides.every(({ stopped }) => stopped)) this.#release();
		else if (kind === "idle" && wanted && !held) void this.#ask();
	}

	#answer(side: SideState<Piece>): void {
		if (side.stopped) {
			side.ahead = [];
			for (const { resolve } of side.requests.splice(0)) resolve(DONE);
			return;
		}
		while (side.requests.length > 0) {
			// TE1: what is ahead comes before the end, also before what the source threw.
			if (side.ahead.length > 0) side.requests.shift()?.resolve({ done: false, value: side.ahead.shift() as Piece });
			else if (this.#source.kind === "failed") {
				side.stopped = true;
				side.requests.shift()?.reject(this.#source.cause);
				this.#answer(side);
			} else if (this.#source.kind === "over") side.requests.shift()?.resolve(DONE);
			else return;
		}
	}

	async #ask(): Promise<void> {
		this.#source = { kind: "asked" };
		try {
			const { done, value } = await this.#pieces.next();
			// Both sides may have stopped while the source was slow.
			if (this.#source.kind !== "asked") return;
			this.#source = done === true ? { kind: "over" } : { kind: "idle" };
			if (done !== true) for (const side of this.#sides) if (!side.stopped) side.ahead.push(value);
		} catch (cause) {
			this.#source = { kind: "failed", cause };
		}
		this.#move();
	}

	// TE3: the source is neither over nor released before, and is over from now on. It is let go at once, also while it
	// was asked: what it still delivers is for nobody.
	#release(): void {
		this.#source = { kind: "over" };
		release(this.#pieces);
	}
}

function newSide<Piece>(): SideState<Piece> {
	return { ahead: [], requests: [], stopped: false };
}

const DONE = Object.freeze({ done: true, value: undefined });
