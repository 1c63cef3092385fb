// Hold-ups
//
// A call that asks a person is accounted only after the answer, and so is everything behind it. Whoever waits for the calls
// before it to be accounted, or to leave the step, would then wait for a person too, and the wave could neither pause nor
// ask. So such a wait ends with the question, and the call begins anew once it was answered.
//
// Owns:      who is held up, and ending those waits.
// Does not:  ask, or put calls back (wave-state.ts).
//
// Invariants:
//   HU1. Nobody waits inside a wave for a call that waits for a person.

import type { Accountant } from "../accounting/account.js";
import type { CallState } from "./call-state.js";
import { EndableWaits } from "./endable-waits.js";

/** What a wait resolves to when a call before waits for a person. */
export const HELD_UP: unique symbol = Symbol("held up");

export class HoldUps<T> {
	readonly #wave: { readonly accountant: Accountant; readonly asking: ReadonlySet<CallState<T>> };
	readonly #waits = new EndableWaits<typeof HELD_UP>(HELD_UP);

	constructor(wave: { readonly accountant: Accountant; readonly asking: ReadonlySet<CallState<T>> }) {
		this.#wave = wave;
	}

	/** Whether what comes at this index must wait for a person: what is not accounted, or held back from it, is before it. */
	isHeldUp(index: number): boolean {
		const { accountant, asking } = this.#wave;
		if (accountant.held && accountant.accounted < index) return true;
		for (const { index: asked } of asking) if (asked < index) return true;
		return false;
	}

	/** The value of a wait for the calls before an index, or {@link HELD_UP}. Rejects as the promise does. */
	unless<Value>(index: number, promise: PromiseLike<Value>): Promise<Value | typeof HELD_UP> {
		if (this.isHeldUp(index)) return Promise.resolve(HELD_UP);
		return this.#waits.unlessEnded(promise, index);
	}

	/** HU1: the call of this index waits for a person from now on. */
	heldUpBy(asked: number): void {
		this.#waits.end((waiting) => waiting !== undefined && waiting > asked);
	}
}
