// Call slot
//
// The slot of a call that runs, as long as it runs. The calls that it makes run with this slot, for it waits for them. Once
// something of the call waits for keys and nothing that it made runs, the slot goes back: whoever has those keys may be
// waiting for it.
//
//   held ──keys are waited for──▶ away ──wanted again──▶ asked ──granted──▶ held
//
// Why nobody waits in a circle of slots and keys: who has a slot waits for no keys, so it comes to its end and gives the
// slot on; who has keys waits at most for a slot.
//
// Owns:      when the slot is given back and taken again while the call runs, and lending it meanwhile.
// Does not:  know keys (its owner says whether they are waited for), take the slot that the call begins with, or count
//            who borrows it at once (lent-slots.ts).
//
// Invariants:
//   CS1. While something of the call waits for keys and nothing that it made runs, the slot is not held.
//   CS2. What the call made runs only while the slot is held.

import { invariant } from "../core/invariant.js";
import type { SlotSource, SlotWaiter } from "./slots.js";

export interface CallSlotParts {
	/** Where the slot is from, and goes back to. */
	readonly source: SlotSource;
	/** Whether anything of the call waits for keys. */
	readonly isWaiting: () => boolean;
	/** Told when the slot goes and comes back. */
	readonly onAway: (isAway: boolean) => void;
}

/** `gone`: the call has ended, or nobody gets slots any more. */
type Phase = "held" | "away" | "asked" | "gone";

export class CallSlot {
	readonly #parts: CallSlotParts;
	#phase: Phase = "held";
	/** Calls that run with the slot, or are to. */
	#borrowers = 0;
	/** Those of them that wait until it is there. */
	readonly #waiting = new Set<SlotWaiter>();
	/** Told once the call may go on. */
	#goOn: (() => void)[] = [];

	constructor(parts: CallSlotParts) {
		this.#parts = parts;
	}

	/** Gives the slot back or asks for it, as what the call does now wants. */
	look(): void {
		if (this.#phase === "held" && !this.#isWanted) this.#giveBack();
		else if (this.#phase === "away" && this.#isWanted) this.#ask();
		if (this.#mayGoOn) for (const resolve of this.#goOn.splice(0)) resolve();
	}

	/**
	 * For what the call has waited for without its slot. Resolves once the slot is back, or at once where more is waited
	 * for: then the call goes on without it, as whoever has those keys may need it.
	 */
	async whenBack(): Promise<void> {
		this.look();
		if (!this.#mayGoOn) await new Promise<void>((resolve) => void this.#goOn.push(resolve));
	}

	/** For a call that this one makes. */
	lend(waiter: SlotWaiter): boolean {
		if (this.#phase === "gone") {
			waiter(false);
			return false;
		}
		this.#borrowers += 1;
		this.look();
		// CS2: one that comes while the slot is away waits for it as its parent does.
		if (this.#phase === "held") return true;
		this.#waiting.add(waiter);
		return false;
	}

	/** A call that has the slot ends, or waits without it. */
	takeBack(): void {
		this.#borrowers -= 1;
		invariant(this.#borrowers >= 0, "CS2", "a lent slot was given back twice");
		this.look();
	}

	/** A call that waits for the slot waits no more. */
	refuse(waiter: SlotWaiter): void {
		if (!this.#waiting.delete(waiter)) return;
		this.#borrowers -= 1;
		waiter(false);
		this.look();
	}

	/** The call was stopped: a slot that is away does not come back. */
	stop(): void {
		if (this.#phase !== "held") this.#go();
	}

	/** The call has ended. Gives whether it has its slot; where it has not, nothing need be given back. */
	leave(): boolean {
		const isHeld = this.#phase === "held";
		this.#go();
		return isHeld;
	}

	get #isWanted(): boolean {
		return this.#borrowers > 0 || !this.#parts.isWaiting();
	}

	get #mayGoOn(): boolean {
		return this.#phase === "held" || this.#phase === "gone" || !this.#isWanted;
	}

	// CS1: whoever is given the slot may come here again before this returns; nothing is read after it.
	#giveBack(): void {
		const { source, onAway } = this.#parts;
		this.#phase = "away";
		onAway(true);
		source.give();
	}

	#ask(): void {
		this.#phase = "asked";
		if (this.#parts.source.take(this.#granted)) this.#granted(true);
	}

	readonly #granted = (granted: boolean): void => {
		if (this.#phase !== "asked") {
			if (granted) this.#parts.source.give();
		} else if (granted) {
			this.#phase = "held";
			this.#parts.onAway(false);
			// It stays held meanwhile: each of those who are told borrows it.
			for (const waiter of [...this.#waiting]) if (this.#waiting.delete(waiter)) waiter(true);
			this.look();
		} else {
			this.#go();
		}
	};

	#go(): void {
		this.#phase = "gone";
		for (const waiter of [...this.#waiting]) this.refuse(waiter);
		this.look();
	}
}
