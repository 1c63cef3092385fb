// Run line member
//
// A call as one of those that stand beside each other in a line, from its admission until what it brought is in the line's
// state.
//
// Owns:      what is kept of the call there.
// Does not:  say who sees it (run-line-states.ts).

import type { NumberRange } from "../core/number-ranges.js";
import type { RunChange, RunMemoryParts, SeenMaker } from "./run-memory-parts.js";
import type { Past } from "./run-past.js";

/** The line of the calls that a call makes, as far as their maker's own line asks. */
export interface LineBelow<State> {
	readonly state: State;
	/** Puts everything into the state: no call of the line runs any more. */
	close(): void;
}

/** The segment of calls that were admitted before there was a line. */
export const UNSEEN = -1;

export class Member<State, Held, Line extends LineBelow<State>> implements Past {
	readonly segment: number;
	readonly unanswered?: readonly NumberRange[];
	held: Held | undefined;
	/** Nothing of it comes any more: it was accounted, or a policy further down has refused it and a later call knows. */
	isOver = false;
	#change: RunChange<State, Held> | undefined;
	#isDiscarded = false;
	/** What the calls that it makes have brought. */
	line: Line | undefined;
	/** Worked out once it makes a call. */
	asMaker: SeenMaker<Held> | undefined;
	/** What the calls that it makes see of its own line, once that is the same for all of them. */
	before: State | undefined;

	/** `past` is left out where the line was made after the call's admission: then it knows nothing of the line. */
	constructor(past: Past = { segment: UNSEEN }) {
		this.segment = past.segment;
		if (past.unanswered !== undefined) this.unanswered = past.unanswered;
	}

	get wasSeen(): boolean {
		return this.segment !== UNSEEN;
	}

	/** The call is over, and all calls that it made: of those nothing else is kept than the state that they left. */
	bring(change: RunChange<State, Held> | undefined): void {
		this.isOver = true;
		this.#change = change;
		this.before = undefined;
		this.line?.close();
	}

	/** It counts as a call that never began: what its calls brought, and still bring, does not enter. */
	discard(): void {
		this.isOver = true;
		this.#isDiscarded = true;
		this.line = undefined;
	}

	/** What the call and its own calls brought is put into a state of its line; nothing is held for it any more. */
	addTo(state: State, { absorb, letGo }: MemberParts<State, Held>): void {
		const { line, held } = this;
		try {
			if (line !== undefined && !this.#isDiscarded) {
				line.close();
				absorb(state, line.state, held);
			}
			if (held !== undefined) letGo?.(state, held);
		} finally {
			// The host's code may throw; what the call itself brought is not lost by that.
			this.#change?.(state, held);
		}
	}
}

type MemberParts<State, Held> = Pick<RunMemoryParts<State, Held>, "absorb" | "letGo">;
