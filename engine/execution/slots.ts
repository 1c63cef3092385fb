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

import { invariant } from "../core/invariant.js";

export class Slots {
	readonly #max: number;
	#used = 0;
	#waiting: ((() => void) | undefined)[] = [];
	#head = 0;
	#serving = false;

	constructor(max: number) {
		this.#max = max;
	}

	/** Takes a slot now, or leaves `granted` to be called once one is free; the answer says which. */
	take(granted: () => void): boolean {
		if (this.#used < this.#max && this.#head === this.#waiting.length) {
			this.#used += 1;
			return true;
		}
		this.#waiting.push(granted);
		return false;
	}

	/** The same as a promise. */
	whenTaken(): Promise<void> {
		return new Promise((resolve) => {
			if (this.take(resolve)) resolve();
		});
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
				const granted = this.#waiting[this.#head];
				this.#waiting[this.#head] = undefined;
				this.#head += 1;
				this.#used += 1;
				granted?.();
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
