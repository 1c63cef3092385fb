// Reorder buffer
//
// Settlements arrive in any order; accounting needs call order. The buffer holds each settlement until every earlier
// call has been released.
//
// Owns:      the gap between the next index to release and what has arrived.
// Does not:  judge a settlement (account.ts) or wait for one (wave/).
//
// Invariants:
//   R1. Index i is released exactly once, and only after every index below i.
//   R2. An index is accepted at most once; a second arrival is a programmer's mistake.
//   R3. Held settlements never outnumber the wave.

import { broken } from "../core/invariant.js";

export class ReorderBuffer<Item> {
	readonly #count: number;
	readonly #items: (Item | undefined)[];
	#next: number;
	#held = 0;

	/** Every index below `from` was released before. */
	constructor(count: number, from = 0) {
		this.#next = from;
		this.#count = count;
		this.#items = new Array(count);
	}

	/** How many arrived and wait for an earlier one. */
	get held(): number {
		return this.#held;
	}

	accept(index: number, item: Item): void {
		if (index < this.#next || index >= this.#count) broken("R1", `index ${index} arrived after its release`);
		if (this.#items[index] !== undefined) broken("R2", `index ${index} arrived twice`);
		this.#items[index] = item;
		this.#held += 1;
		if (this.#held > this.#count) broken("R3", `${this.#held} are held of ${this.#count}`);
	}

	/** The item of the next index if it has arrived; the index after it is next then. */
	release(): Item | undefined {
		const item = this.#items[this.#next];
		if (item === undefined) return undefined;
		this.#items[this.#next] = undefined;
		this.#next += 1;
		this.#held -= 1;
		return item;
	}
}
