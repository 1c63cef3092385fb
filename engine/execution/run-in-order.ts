// Run in order
//
// The pool under every schedule: starts calls in index order, no more at once than there are slots, and lets the
// host's event loop turn when starting them takes long.
//
// Owns:      the order of starts.
// Does not:  know segments (schedule.ts), nor what a call does.
//
// Invariants:
//   I1. Calls start in index order, so those that started are a dense prefix.

import { broken } from "../core/invariant.js";
import { isThenable } from "../core/thenable.js";
import type { HostTurns } from "./host-turns.js";
import type { SlotSource } from "./slots.js";

export interface InOrder {
	readonly from: number;
	/** The first index that is not started. */
	readonly to: number;
	readonly slots: SlotSource;
	readonly turns: HostTurns;
	/**
	 * Starts a call, holding a slot. A promise keeps the slot until it resolves; it must not reject. A call that gives its
	 * slot back itself, because it waits for something else or outlives its answer, resolves to {@link OWN_SLOT}. One that
	 * says {@link LATER} keeps its slot until it calls `ended`, once and not before this has returned.
	 */
	readonly run: (index: number, ended: (ending: Ending) => void) => Started | Promise<Started>;
	/** Asked before each start, with the index that would start; once true nothing starts any more. */
	readonly halted: (next: number) => boolean;
}

export const OWN_SLOT = "sees to its slot itself";

/** How a call leaves its slot. */
// biome-ignore lint/suspicious/noConfusingVoidType: a call that has nothing to say returns nothing
export type Ending = void | typeof OWN_SLOT;

/** A call that has started and tells its ending by itself: a promise of it would cost more than a cheap call does. */
export const LATER = "tells its ending later";

export type Started = Ending | typeof LATER;

/** Resolves once every call that started has ended and no other will start. */
export function runInOrder(plan: InOrder): Promise<void> {
	return new Promise((resolve) => new Starts(plan, resolve).startAll());
}

class Starts {
	readonly #plan: InOrder;
	readonly #resolve: () => void;
	#next: number;
	/** Calls that run, and the turn of the event loop that is waited for. */
	#running = 0;

	constructor(plan: InOrder, resolve: () => void) {
		this.#plan = plan;
		this.#resolve = resolve;
		this.#next = plan.from;
	}

	startAll(): void {
		const { to, slots, turns, halted } = this.#plan;
		while (this.#next < to && !halted(this.#next)) {
			if (turns.due) {
				this.#running += 1;
				void turns.take().then(this.#afterTurn);
				return;
			}
			if (!slots.take(this.#granted)) return;
			this.#startOne();
		}
		this.#finishIfDone();
	}

	readonly #afterTurn = (): void => {
		this.#running -= 1;
		this.startAll();
	};

	readonly #granted = (granted: boolean): void => {
		if (!granted || this.#plan.halted(this.#next)) {
			if (granted) this.#plan.slots.give();
			this.#finishIfDone();
			return;
		}
		this.#startOne();
		this.startAll();
	};

	#startOne(): void {
		const index = this.#next;
		this.#next += 1;
		if (index >= this.#plan.to) broken("I1", `call ${index} started past the end of its plan`);
		this.#running += 1;
		const started = this.#plan.run(index, this.#ended);
		if (isThenable(started)) void started.then(this.#started);
		else this.#started(started);
	}

	readonly #started = (started: Started): void => {
		if (started !== LATER) this.#ended(started);
	};

	readonly #ended = (ending: Ending): void => {
		this.#running -= 1;
		if (ending !== OWN_SLOT) this.#plan.slots.give();
		this.#finishIfDone();
	};

	#finishIfDone(): void {
		if (this.#running === 0 && (this.#next >= this.#plan.to || this.#plan.halted(this.#next))) this.#resolve();
	}
}
