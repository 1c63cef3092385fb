// Room for calls
//
// How many threads may run calls at once. A thread whose call waits, for its host or for the world outside, uses no core;
// so it is not counted, and another may run in its place: slow waiting never keeps computing from a thread. That must not
// turn a flood of waiting calls into a flood of threads: one tool has the host's number of threads and no more, and what
// is lent goes to calls of other tools. A call that waits for its host is left out of that too, for what it waits for may
// be a call of the same tool.
//
// Owns:      that arithmetic, for one look at the threads.
// Does not:  see whether a call waits (waiting-look.ts), start or choose threads (dispatcher.ts).

import { THREADS_LENT_MAX } from "../engine/core/limits.js";

/** A thread as far as it matters here. */
export interface OccupiedThread {
	/** Of the call it is on; `undefined`: it has none. */
	readonly lane: object | undefined;
	/** Its call waits for the host. */
	readonly isLent: boolean;
	/** Its call waits for something else, and its event loop is idle. */
	readonly isWaiting: boolean;
}

export class RoomForCalls {
	/** Most threads that may have a call at present. */
	readonly most: number;
	readonly #threadsMax: number;
	#occupied: number;
	/** How many threads each tool has; kept only while a thread is lent by waiting, for else no tool can have too many. */
	readonly #ofLane: Map<object, number> | undefined;

	constructor(threads: readonly OccupiedThread[], threadsMax: number) {
		const occupied = threads.filter(({ lane }) => lane !== undefined);
		const lent = occupied.filter(({ isLent, isWaiting }) => isLent || isWaiting).length;
		this.#threadsMax = threadsMax;
		this.most = threadsMax + Math.min(lent, THREADS_LENT_MAX);
		this.#occupied = occupied.length;
		if (!occupied.some(({ isWaiting }) => isWaiting)) return;
		this.#ofLane = new Map();
		for (const { lane, isLent } of occupied) if (lane !== undefined && !isLent) this.#count(lane);
	}

	/** How many more threads may be given a call. */
	get left(): number {
		return this.most - this.#occupied;
	}

	/** Whether the call's tool may have another thread. */
	readonly fits = ({ lane }: { readonly lane: object }): boolean => {
		return (this.#ofLane?.get(lane) ?? 0) < this.#threadsMax;
	};

	/** A thread was given the call. */
	took({ lane }: { readonly lane: object }): void {
		this.#occupied += 1;
		this.#count(lane);
	}

	#count(lane: object): void {
		this.#ofLane?.set(lane, (this.#ofLane.get(lane) ?? 0) + 1);
	}
}
