// Dispatch gate
//
// The step gate of calls that run beside each other and of which any may turn out, late, to be not safe: middleware
// rewrote its arguments. Such a call waits until every call before it is accounted and every call that runs beside it has
// left, and then has the step alone until it settles. Calls after it that have not begun wait for it, as they would for a
// call that was not safe to begin with.
//
// A call asks at each attempt, and holds a share only while an attempt runs: what waits for anything else is in nobody's
// way.
//
// Owns:      the order in which calls of one segment enter their step's gate.
// Does not:  know middleware, slots or keys. Keys are asked for inside, so nobody who waits here holds any.
//
// Invariants:
//   DG1. Calls that have the step alone have it in call order.
//   DG2. A call does not enter while one of a lower index wants the step alone or has it.
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

interface Alone {
	readonly left: Promise<void>;
	readonly leave: () => void;
}

export class DispatchGate {
	readonly #gate = new StepGate();
	readonly #whenAccounted: (upTo: number) => Promise<void> | undefined;
	/** Calls that want the step alone or have it, by index. */
	readonly #alone = new Map<number, Alone>();
	#lastAlone = -1;

	/** @param whenAccounted - Resolves once every call below an index is accounted; nothing where it is so already. */
	constructor(whenAccounted: (upTo: number) => Promise<void> | undefined) {
		this.#whenAccounted = whenAccounted;
	}

	/** Whether a call before this one wants the step alone or has it. */
	isTaken(index: number): boolean {
		return this.#aloneBefore(index) !== undefined;
	}

	/** Resolves once none does. */
	async whenOpen(index: number): Promise<void> {
		// Asked again after each wait, because another one may want the step alone by then.
		for (let before = this.#aloneBefore(index); before !== undefined; before = this.#aloneBefore(index))
			await before.left;
	}

	/** A share of the step. */
	async share(index: number): Promise<Share> {
		while (this.isTaken(index)) await this.whenOpen(index);
		// DG2: nothing was awaited since, and the step gate lets in at once: those before this call want no more of it.
		return { alone: false, leave: await this.#gate.share() };
	}

	/** The step for the call alone. */
	async exclusive(index: number): Promise<Share> {
		const { leave } = this.#wantAlone(index);
		await this.#whenAccounted(index);
		const release = await this.#gate.exclusive();
		invariant(this.#lastAlone < index, "DG1", `call ${index} has the step after call ${this.#lastAlone}`);
		this.#lastAlone = index;
		const leaveAll = (): void => {
			release();
			this.#alone.delete(index);
			leave();
		};
		return { alone: true, leave: leaveAll };
	}

	#wantAlone(index: number): Alone {
		let leave: () => void = () => undefined;
		const left = new Promise<void>((resolve) => {
			leave = resolve;
		});
		const alone = { left, leave };
		this.#alone.set(index, alone);
		return alone;
	}

	#aloneBefore(index: number): Alone | undefined {
		for (const [other, alone] of this.#alone) if (other < index) return alone;
		return undefined;
	}
}
