// Code row
//
// What is said of each code that a call or a function can fail with. The type asks for all of it, so that no code can
// join a table without a meaning and a way on.
//
// Owns:      the shape of a row.
// Does not:  list codes (call-codes.ts, engine-codes.ts).
//
// Invariants:
//   E1. Every code of both tables has a meaning and a recovery sentence.

/**
 * Whether what failed may be tried again: never, after a change, as it was at a later time, or only after looking
 * whether it has happened already.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type Retry = "no" | "changed" | "later" | "check first";

/** E1: the type demands both texts. */
export interface CodeRow {
	readonly meaning: string;
	readonly retry: Retry;
	/** Ends with a full stop: the type cannot ask for more of a sentence. */
	readonly recovery: `${string}.`;
}
