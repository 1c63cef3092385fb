// Run memory parts
//
// What a policy gives for its memory of runs, and what it is shown of it.
//
// Owns:      the shapes.
// Does not:  remember (run-memory.ts, run-line.ts).

import type { Outcome } from "../core/outcome.js";
import type { PolicyView } from "./policy.js";

/**
 * How a `RunMemory` deals with what it remembers. States are added up: what one holds is put on top of another. Nothing here
 * is waited for: a part that gives a promise fails the call that it was asked for.
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
	/** How many of these share what is left, itself included where it does; at least `1`. */
	readonly sharing: number;
	/** How many of those come before it. */
	readonly rank: number;
}

/**
 * What comes of a call's accounting for the calls that may know of it. Called when the first of them comes, once or more
 * often: for each state that one of them sees. It changes that state and nothing else. One that throws or gives a promise
 * is lost, for all of them that come from there on, and fails the one call that was at admission or accounting then, with an
 * error that names the call it is of.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type RunChange<State, Held> = (state: State, held: Held | undefined) => unknown;

/**
 * What a policy remembers of each run; made by `runMemory`.
 *
 * In `admit` every call enters and is judged by what is seen then; what is reserved for it is held. In `account` it is
 * accounted. A state is changed nowhere else. Forms that middleware made (`view.rewritten`) enter to see, and hold nothing.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface RunMemory<State, Held = never> {
	/**
	 * A call comes to admission: what it is judged by, of the run first, then of each call that it is nested in. A call that
	 * does not enter is taken for one that never ran beside others. For the same view again it only says the same again.
	 *
	 * @throws TypeError for what is no view.
	 */
	enter(view: PolicyView): readonly Seen<State, Held>[];
	/**
	 * The same where most runs have nothing to remember: nothing is made, and only what remembers something is seen. Where
	 * nothing is, the call has not entered, and nothing can be held for it.
	 *
	 * @throws TypeError for what is no view.
	 */
	enterKnown(view: PolicyView): readonly Seen<State, Held>[];
	/**
	 * Holds something for a call that has entered, until it was accounted or is over without.
	 *
	 * @throws TypeError for a call that has not entered or that something is held for, and for a form that middleware made.
	 */
	hold(view: PolicyView, held: Held): void;
	/**
	 * A call was accounted. Without a `change` what was held is let go, and what its calls brought enters. Of a call that is
	 * `STOPPED_BY_ERROR` nothing does, as if it had never begun, which it may have.
	 *
	 * @throws TypeError for what is no view or no outcome, a change that is no function, and a view that was accounted already.
	 */
	accounted(view: PolicyView, outcome: Outcome, change?: RunChange<State, Held>): void;
}
