// Open calls
//
// Calls of a run that a policy has let pass and that are not accounted yet, each with what the policy holds for it. Both
// halves come in call order; so a call that is still open when a later one is accounted was refused by a policy further
// down, will never be accounted, and is let go. A wave begins with nothing open.
//
// Owns:      that rule, for the policies that reserve or wait between admission and accounting.
// Does not:  know what is held.
//
// Invariants:
//   OC1. Indexes of open calls only rise.

import { invariant } from "../core/invariant.js";
import type { PolicyView } from "./policy.js";

export class OpenCalls<Held> {
	readonly #letGo: (held: Held) => void;
	// A list with a head and no map: entries come and go at its two ends, which a map would never forget.
	#calls: { readonly index: number; readonly held: Held }[] = [];
	#head = 0;
	#at: { readonly step: number; readonly index: number } | undefined;

	/** `letGo` is called once for whatever was held, whether its call was accounted or not. */
	constructor(letGo: (held: Held) => void) {
		this.#letGo = letGo;
	}

	get size(): number {
		return this.#calls.length - this.#head;
	}

	/** Takes the place of a call that comes to admission; says whether it is the first of its wave. */
	enter({ step, index }: PolicyView): boolean {
		const begins = this.#at === undefined || this.#at.step !== step || index <= this.#at.index;
		if (begins) this.settle(Number.POSITIVE_INFINITY);
		this.#at = { step, index };
		return begins;
	}

	hold(index: number, held: Held): void {
		const last = this.#calls.at(-1);
		invariant(last === undefined || index > last.index, "OC1", "a call was let pass after a later one");
		this.#calls.push({ index, held });
	}

	/** Lets go of the call and of all before it; what was held for the call itself. */
	settle(index: number): Held | undefined {
		let own: Held | undefined;
		while (this.#head < this.#calls.length) {
			const open = this.#calls[this.#head];
			if (open === undefined || open.index > index) break;
			this.#head += 1;
			if (open.index === index) own = open.held;
			this.#letGo(open.held);
		}
		if (this.#head === this.#calls.length && this.#head > 0) {
			this.#calls = [];
			this.#head = 0;
		}
		return own;
	}
}
