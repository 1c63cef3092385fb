// Line chain
//
// What a line must be, given the lines before it: chained to the last one by its hash, and numbered on from the last
// entry. The lines of a file and the rows of a database are held to the same chain.
//
// Owns:      whether a line may stand where it stands.
// Does not:  say what a line that may not means: torn or damaged (line-scanner.ts, sqlite-reader.ts).
//
// Invariants:
//   S1. A line is taken only if its hash fits the bytes of every line before it.
//   S2. Entries are numbered from 0 without a gap.

import { FIRST_HASH, fittingHash, isNumbered, markedBytes, seqOf } from "./line-format.js";

/** What the next line is held to. */
export interface ChainPlace {
	/** Counts from 1, as editors do. */
	readonly line: number;
	/** The number that the next entry has. */
	readonly seq: number;
	readonly hash: string;
}

/** Before the first record. */
export const CHAIN_START: ChainPlace = { line: 1, seq: 0, hash: FIRST_HASH };

export type Link =
	| { readonly kind: "record"; readonly place: ChainPlace }
	| { readonly kind: "mark"; readonly place: ChainPlace; readonly bytes: number }
	/** Not what was written after the lines before. */
	| { readonly kind: "unfit" }
	/** Under a hash that fits, so it was written so. */
	| { readonly kind: "wrong"; readonly reason: string };

/** Holds a line (given without its LF) to its place. */
export function linkOf(line: string, { line: number, seq: due, hash: previous }: ChainPlace): Link {
	// S1: the hash covers the one before it, and so everything before.
	const hash = fittingHash(line, previous);
	if (hash === undefined) return { kind: "unfit" };
	if (isNumbered(line, due)) return { kind: "record", place: { line: number + 1, seq: due + 1, hash } };
	const seq = seqOf(line);
	// S2: an intent takes no number.
	if (seq === "intent") return { kind: "record", place: { line: number + 1, seq: due, hash } };
	if (seq !== undefined) return { kind: "wrong", reason: `it is number ${seq} where ${due} is due` };
	const bytes = markedBytes(line);
	if (bytes === undefined) return { kind: "wrong", reason: "it is no record" };
	return { kind: "mark", place: { line: number + 1, seq: due, hash }, bytes };
}
