// Slots
//
// How many calls of one wave run at once. Who finds no slot leaves a callback, and callbacks are served first come,
// first served; a call that must wait for something else gives its slot back meanwhile.
//
// Callbacks and not promises: a wave of ten thousand cheap reads would otherwise pay a promise and a turn of the
// microtask queue a call.
//
// Owns:      the count and the queue.
// Does not:  know what runs in a slot.
//
// Invariants:
//   SL1. Slots in use never exceed the cap.
//   SL2. A slot that is given back goes to the longest waiting callback.
//   SL3. After a close nobody gets a slot, and nobody goes on waiting for one.

import { invariant } from "../core/invariant.js";

/** Told whether it got a slot; `false` where there is none to be had any more. */
export type SlotWaiter = (granted: boolean) => void;

/** Where the calls of a wave get their slots: from the wave, or from the call that the wave is nested in. */
export interface SlotSource {
	/** Takes a slot now, or leaves the waiter to be told once one is free; the answer says which. */
	take(waiter: SlotWaiter): boolean;
	/** The same as a promise of whether there is a slot. */
	whenTaken(): Promise<boolean>;
	give(): void;
	/** Slots in use are still given back; nobody gets another. */
	close(): void;
}

export class Slots implements SlotSource {
	readonly #max: number;
	#used = 0;
	#waiting: (SlotWaiter | undefined)[] = [];
	#head = 0;
	#serving = false;
	#closed = false;

	constructor(max: number) {
		this.#max = max;
	}

	take(waiter: SlotWaiter): boolean {
		if (this.#closed) {
			waiter(false);
			return false;
		}
		if (this.#used < this.#max && this.#head === this.#waiting.length) {
			this.#used += 1;
			return true;
		}
		this.#waiting.push(waiter);
		return false;
	}

	whenTaken(): Promise<boolean> {
		return taken(this);
	}

	// SL3: slots in use are still given back, and go to nobody.
	close(): void {
		this.#closed = true;
		const waiting = this.#waiting.slice(this.#head);
		this.#waiting = [];
		this.#head = 0;
		for (const waiter of waiting) waiter?.(false);
	}

	give(): void {
		this.#used -= 1;
		invariant(this.#used >= 0, "SL1", "a slot was given back twice");
		this.#serve();
	}

	// A granted callback may finish at once and give its slot back; the loop takes that up, so the stack stays flat.
	#serve(): void {
		if (this.#serving) return;
		this.#serving = true;
		try {
			while (this.#used < this.#max && this.#head < this.#waiting.length) {
				// SL2: the head of the queue has waited longest.
				const waiter = this.#waiting[this.#head];
				this.#waiting[this.#head] = undefined;
				this.#head += 1;
				this.#used += 1;
				waiter?.(true);
			}
		} finally {
			this.#serving = false;
		}
		if (this.#head > 0 && this.#head === this.#waiting.length) {
			this.#waiting = [];
			this.#head = 0;
		}
	}
}

/** Taking a slot as a promise. */
export function taken(slots: Pick<SlotSource, "take">): Promise<boolean> {
	return new Promise((resolve) => {
		if (slots.take(resolve)) resolve(true);
	});
}
