// Dispatch gate
//
// The step gate of calls that run beside each other and of which any may turn out, late, to be not safe: middleware
// rewrote its arguments. Such a call waits until every call before it is accounted and every call that runs beside it has
// left, and then has the step alone until it settles. Calls after it that have not begun wait for it, as they would for a
// call that was not safe to begin with.
//
// A call claims the step the moment it turns out to need it alone, and asks at each attempt; it holds a share only while an
// attempt runs. So what waits for anything else is in nobody's way.
//
// Owns:      the order in which calls of one segment enter their step's gate.
// Does not:  know middleware, slots or keys. Keys are asked for inside, so nobody who waits here holds any.
//
// Invariants:
//   DG1. Calls that have the step alone have it in call order.
//   DG2. A call does not enter while one of a lower index claims the step or has it.
//
// Why nobody waits for ever: of the calls that have not settled, the one of the lowest index waits only for calls that are
// inside, and those wait for no call outside.

import { invariant } from "../core/invariant.js";
import { StepGate } from "../execution/step-gate.js";

/** What a call holds of the step. */
export interface Share {
	readonly alone: boolean;
	/** Lets go; does nothing a second time. */
	leave(): void;
}

interface Claim {
	readonly dropped: Promise<void>;
	readonly drop: () => void;
}

export class DispatchGate {
	readonly #gate = new StepGate();
	readonly #whenAccounted: (upTo: number) => Promise<void> | undefined;
	/** Calls that need the step alone, by index, until they have settled. */
	readonly #claims = new Map<number, Claim>();
	#lastAlone = -1;

	/** @param whenAccounted - Resolves once every call below an index is accounted; nothing where it is so already. */
	constructor(whenAccounted: (upTo: number) => Promise<void> | undefined) {
		this.#whenAccounted = whenAccounted;
	}

	/** Whether a call before this one claims the step or has it. */
	isTaken(index: number): boolean {
		return this.#claimBefore(index) !== undefined;
	}

	/** Resolves once none does. */
	async whenOpen(index: number): Promise<void> {
		// Asked again after each wait, because another one may claim the step by then.
		for (let before = this.#claimBefore(index); before !== undefined; before = this.#claimBefore(index)) {
			await before.dropped;
		}
	}

	/** Says that the call needs the step alone, from now until it has settled. */
	claim(index: number): void {
		if (this.#claims.has(index)) return;
		let drop: () => void = () => undefined;
		const dropped = new Promise<void>((resolve) => {
			drop = resolve;
		});
		this.#claims.set(index, { dropped, drop });
	}

	/** The call has settled. */
	drop(index: number): void {
		const claim = this.#claims.get(index);
		this.#claims.delete(index);
		claim?.drop();
	}

	/** A share of the step. */
	async share(index: number): Promise<Share> {
		while (this.isTaken(index)) await this.whenOpen(index);
		// DG2: nothing was awaited since, and the step gate lets in at once: those before this call want no more of it.
		return { alone: false, leave: await this.#gate.share() };
	}

	/**
	 * The step for the call alone; nothing where the call settled before those before it were accounted. An abort settles
	 * all at once, and then nobody is let in: they would come in no order.
	 */
	async exclusive(index: number, isWanted: () => boolean): Promise<Share | undefined> {
		this.claim(index);
		await this.#whenAccounted(index);
		if (!isWanted()) return undefined;
		const leave = await this.#gate.exclusive();
		invariant(this.#lastAlone < index, "DG1", `call ${index} has the step after call ${this.#lastAlone}`);
		this.#lastAlone = index;
		return { alone: true, leave };
	}

	#claimBefore(index: number): Claim | undefined {
		for (const [other, claim] of this.#claims) if (other < index) return claim;
		return undefined;
	}
}
