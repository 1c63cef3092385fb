// Run memory parts
//
// What a policy gives for its memory of runs, and what it is shown of it.
//
// Owns:      the shapes.
// Does not:  remember (run-memory.ts, run-line.ts).

import type { PolicyView } from "./policy.js";

/**
 * How a `RunMemory` deals with what it remembers. States are added up: what one holds is put on top of another.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface RunMemoryParts<State, Held> {
	/** A state that remembers nothing. */
	readonly make: () => State;
	/**
	 * Puts what `from` holds on top of `into`, and leaves `from` as it is. `maker`: what is held for the call whose calls
	 * brought it, where it is that.
	 */
	readonly absorb: (into: State, from: State, maker?: Held) => void;
	/** Adds to the state what is held for a call. Left out: nothing. */
	readonly hold?: (state: State, held: Held, view: PolicyView) => void;
	/** Takes it out of the state again, whether the call was accounted or not. Left out: nothing. */
	readonly letGo?: (state: State, held: Held) => void;
	/** Whether the call is one of those among which what is left is shared. Left out: each that has something held. */
	readonly shares?: (held: Held) => boolean;
	/** A wave of the run begins with this call, and nothing is held any more. Left out: nothing. */
	readonly wave?: (state: State, view: PolicyView) => void;
	/** How many runs are remembered; the one touched least recently is forgotten. Default `10_000`; minimum `1`. */
	readonly runsMax?: number;
}

/**
 * What a call is judged by: what a line remembers, as the call may know it.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface Seen<State, Held> {
	/** To be read, and changed in no other way than by `hold` and `accounted`. */
	readonly state: State;
	/** The call of this line that the rest is nested in. Left out for the call's own line. */
	readonly maker?: SeenMaker<Held>;
}

/**
 * A call that makes calls, among those of its line that were not over when its segment had been admitted.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface SeenMaker<Held> {
	readonly held: Held | undefined;
	/** How many of them have something held, itself included; at least `1`. */
	readonly beside: number;
	/** How many of these share what is left, and how many of those come before it. */
	readonly of: number;
	readonly rank: number;
}

/**
 * What comes of a call's accounting for the calls that may know of it. Called when the first of them comes, once or more
 * often: for each state that one of them sees.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type RunChange<State, Held> = (state: State, held: Held | undefined) => unknown;
