// Room for calls
//
// How many threads may run calls at once. A thread whose call waits, for its host or for the world outside, uses no core;
// so it is not counted, and another may run in its place: slow waiting never keeps computing from a thread. Nor is an early
// start counted while admitted calls wait: it holds none of them up. That must not
// turn a flood of waiting calls into a flood of threads: one tool has the host's number of threads and no more, and what
// is lent goes to calls of other tools. A call that waits for its host is left out of that too, for what it waits for may
// be a call of the same tool.
//
// Owns:      that arithmetic, for one look at the threads.
// Does not:  see whether a call waits (waiting-look.ts), start or choose threads (dispatcher.ts).

import { THREADS_LENT_MAX } from "../engine/core/limits.js";

/** What a thread has, as far as it matters here. */
export interface Hands {
	readonly size: number;
	/** Of the call it is on; `undefined`: it has none. */
	readonly lane: object | undefined;
	/** That call waits for the host. */
	readonly isAsking: boolean;
	/** That call waits for something else, and the thread's event loop is idle. */
	readonly isWaiting: boolean;
	/** That call is an early start. */
	readonly isAhead: boolean;
}

export interface Limits {
	readonly threadsMax: number;
	/** Most threads that are at work on early starts. */
	readonly earlyMax: number;
}

interface Candidate {
	readonly lane: object;
	readonly ahead: boolean;
}

export class RoomForCalls {
	/** Most threads that may have a call at present. */
	readonly most: number;
	readonly #limits: Limits;
	#occupied: number;
	#early: number;
	/** How many threads each tool has; kept only while a thread is lent by waiting, for else no tool can have too many. */
	readonly #ofLane: Map<object, number> | undefined;

	/** `countAdmitted` tells how many admitted calls wait, counted up to its argument. */
	constructor(threads: readonly Hands[], limits: Limits, countAdmitted: (max: number) => number) {
		const occupied = threads.filter(({ size }) => size > 0);
		const lent = occupied.filter(({ isAsking, isWaiting }) => isAsking || isWaiting).length;
		this.#limits = limits;
		this.#occupied = occupied.length;
		this.#early = occupied.filter(({ isAhead }) => isAhead).length;
		this.most = limits.threadsMax + Math.min(lent + countAdmitted(this.#early), THREADS_LENT_MAX);
		if (!occupied.some(({ isWaiting }) => isWaiting)) return;
		this.#ofLane = new Map();
		for (const { lane, isAsking } of occupied) if (lane !== undefined && !isAsking) this.#count(lane);
	}

	/** How many more threads may be given a call. */
	get left(): number {
		return this.most - this.#occupied;
	}

	/** J6: whether the call may have a thread of its own beside those that others of its kind have. */
	readonly fits = ({ lane, ahead }: Candidate): boolean => {
		if (ahead && this.#early >= this.#limits.earlyMax) return false;
		return (this.#ofLane?.get(lane) ?? 0) < this.#limits.threadsMax;
	};

	/** A thread was given the call. */
	took({ lane, ahead }: Candidate): void {
		this.#occupied += 1;
		if (ahead) this.#early += 1;
		this.#count(lane);
	}

	#count(lane: object): void {
		this.#ofLane?.set(lane, (this.#ofLane.get(lane) ?? 0) + 1);
	}
}
