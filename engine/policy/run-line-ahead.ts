// Run line ahead
//
// A call that goes on and on keeps what came after it from the state of its line, because what it brings comes first. So
// that not every later call puts all of that on top of the state anew, those that know of all but the ones that go on see
// a copy of the state that has it already.
//
// A call that ends after all makes the copy void, and making it anew takes as long as there are calls in it. Where that is
// dearer than what the copy saves, more calls have to wait before they come into one.
//
// Owns:      that copy, the calls whose changes are in it and not in the line's state yet, how many have to wait.
// Does not:  put changes into it (run-line-states.ts).

import { LINE_WAITING_MIN } from "../core/limits.js";
import { type Past, unansweredUpTo } from "./run-past.js";

export class Ahead<State, Member> {
	readonly state: State;
	readonly members = new Map<number, Member>();
	/** The last of them. */
	last = -1;

	constructor(state: State) {
		this.state = state;
	}

	add(index: number, member: Member): void {
		this.members.set(index, member);
		this.last = index;
	}

	/** Whether each of its calls is known to one who knows that much. */
	isKnownTo(past: Past): boolean {
		if (past.segment <= this.last) return false;
		for (const index of unansweredUpTo(past, this.last)) if (this.members.has(index)) return false;
		return true;
	}
}

/** How many calls have to wait behind one that goes on. */
export class AheadPace {
	#waiting = LINE_WAITING_MIN;
	#admitted = 0;

	get waiting(): number {
		return this.#waiting;
	}

	admitted(): void {
		this.#admitted += 1;
	}

	/** A copy is void that had so many calls in it. Every admission since the last one was put on top of those that waited. */
	isVoid(size: number): void {
		if (this.#admitted * this.#waiting < size) this.#waiting *= 2;
		this.#admitted = 0;
	}
}
