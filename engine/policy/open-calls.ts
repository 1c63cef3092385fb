// Open calls
//
// Calls of a run that a policy has let pass and that are not accounted yet, each with what the policy holds for it. Both
// halves come in call order; so a call that is still open when a later one is accounted was refused by a policy further
// down, will never be accounted, and is let go. A wave begins with nothing open.
//
// Calls that a call makes come and go while it is open, in whatever order it makes them. They are held by their lineage,
// end no wave of the model's, and one that nobody accounts is let go with the call that made it.
//
// Owns:      that rule, for the policies that reserve or wait between admission and accounting.
// Does not:  know what is held.
//
// Invariants:
//   OC1. Indexes of open calls that no call made only rise.
//   OC2. No call is open that was made by one that is not.

import { isPathWithin } from "../core/call-path.js";
import { invariant } from "../core/invariant.js";
import type { PolicyView } from "./policy.js";

type Place = Pick<PolicyView, "index" | "lineage">;

interface Nested<Held> {
	readonly lineage: readonly number[];
	readonly held: Held;
}

const NONE: readonly never[] = [];

export class OpenCalls<Held> {
	readonly #letGo: (held: Held) => void;
	// A list with a head and no map: entries come and go at its two ends, which a map would never forget.
	#calls: { readonly index: number; readonly held: Held }[] = [];
	#head = 0;
	#nested: Nested<Held>[] = [];
	#at: { readonly step: number; readonly index: number } | undefined;

	/** `letGo` is called once for whatever was held, whether its call was accounted or not. */
	constructor(letGo: (held: Held) => void) {
		this.#letGo = letGo;
	}

	get size(): number {
		return this.#calls.length - this.#head + this.#nested.length;
	}

	/** Takes the place of a call that comes to admission; says whether it is the first of its wave, if no call made it. */
	enter({ step, index, lineage }: PolicyView): boolean {
		if (lineage !== undefined) {
			// The call that makes it has begun anew, and made another one here before.
			this.#settleBelow((other) => isPathWithin(other, lineage));
			return false;
		}
		const begins = this.#at === undefined || this.#at.step !== step || index <= this.#at.index;
		if (begins) this.#settleUpTo(Number.POSITIVE_INFINITY);
		this.#at = { step, index };
		return begins;
	}

	/** What is held for the calls that the call is nested in. */
	makersOf({ lineage }: Pick<PolicyView, "lineage">): readonly Held[] {
		if (lineage === undefined) return NONE;
		const [root] = lineage;
		const above = this.#nested.filter(
			(one) => one.lineage.length < lineage.length && isPathWithin(lineage, one.lineage),
		);
		const outermost = this.#calls.slice(this.#head).filter(({ index }) => index === root);
		return [...outermost, ...above].map(({ held }) => held);
	}

	hold({ index, lineage }: Place, held: Held): void {
		if (lineage !== undefined) {
			this.#nested.push({ lineage, held });
			return;
		}
		const last = this.#calls.at(-1);
		invariant(last === undefined || index > last.index, "OC1", "a call was let pass after a later one");
		this.#calls.push({ index, held });
	}

	/** Lets go of the call, of all before it and of what they made; what was held for the call itself. */
	settle({ index, lineage }: Place): Held | undefined {
		if (lineage === undefined) return this.#settleUpTo(index);
		const own = this.#nested.find((one) => isSame(one.lineage, lineage))?.held;
		this.#settleBelow((other) => isPathWithin(other, lineage));
		return own;
	}

	#settleUpTo(index: number): Held | undefined {
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
		this.#settleBelow(([root = 0]) => root <= index);
		const [first] = this.#nested;
		invariant(first === undefined || (first.lineage[0] ?? 0) > index, "OC2", "a call is open whose maker is not");
		return own;
	}

	#settleBelow(isOver: (lineage: readonly number[]) => boolean): void {
		if (this.#nested.length === 0) return;
		const over = this.#nested.filter(({ lineage }) => isOver(lineage));
		if (over.length === 0) return;
		this.#nested = this.#nested.filter(({ lineage }) => !isOver(lineage));
		for (const { held } of over) this.#letGo(held);
	}
}

function isSame(one: readonly number[], other: readonly number[]): boolean {
	return one.length === other.length && isPathWithin(one, other);
}
