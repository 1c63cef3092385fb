// Source
//
// What a host may hand over as a stream, and how its next piece is asked for.
//
// Owns:      the kinds of sources, refusing what is none, and letting one go.
// Does not:  look into a piece (wire.ts).

import { EngineError } from "../core/errors.js";

/**
 * What `readStream` reads: bytes, text or parsed events, in pieces of any size; a whole text or byte array; the
 * `body` of a response.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type StreamSource =
	| string
	| Uint8Array
	| Iterable<Uint8Array | string | object>
	| AsyncIterable<Uint8Array | string | object>;

export type Pieces<Piece = unknown> = Iterator<Piece> | AsyncIterator<Piece>;

/** The pieces of a source; undefined if it has none to iterate. */
export function piecesOf(source: unknown): Pieces | undefined {
	if (typeof source === "string" || source instanceof Uint8Array) return [source][Symbol.iterator]();
	return iterate(source);
}

/** What an iterable iterates; undefined for anything else. Text is one piece, not one a character. */
export function iterate(source: unknown): Pieces | undefined {
	if (typeof source !== "object" || source === null) return undefined;
	const { [Symbol.asyncIterator]: async, [Symbol.iterator]: sync } = source as Partial<
		AsyncIterable<unknown> & Iterable<unknown>
	>;
	return async === undefined ? sync?.call(source) : async.call(source);
}

/** What a host is told that handed over something without pieces. */
export function unreadable(source: unknown, action: string): EngineError {
	const isMissing = source === undefined || source === null;
	const problem = `the source ${isMissing ? `is ${source}, which ` : ""}cannot be iterated${isMissing ? ": the response has no body" : ""}`;
	const recovery = isMissing
		? "Check the status of the response and that it has a `body` before reading that."
		: "Pass an iterable of bytes, text or events, such as the `body` of a response.";
	return new EngineError("STREAM_UNREADABLE", { action, problem, recovery });
}

/** Lets the source go. Not awaited: a source that is slow to let go must not hold up its reader. */
export function release(pieces: Pieces): void {
	void (async () => pieces.return?.())().catch(() => undefined);
}
