// Lent slots
//
// What a nested wave takes its slots from: its parent's one slot, which all of its calls share, for no more of them at
// once than any wave runs. So a call first finds room among them, then waits until the slot is there.
//
// Owns:      the room, and giving it back with the slot.
// Does not:  give the slot back or take it again (call-slot.ts).

import type { CallSlot } from "./call-slot.js";
import { type SlotSource, Slots, type SlotWaiter, taken } from "./slots.js";

export class LentSlots implements SlotSource {
	readonly #slot: CallSlot;
	readonly #room: Slots;
	/** Calls that have room and wait until the slot is there. */
	readonly #waiting = new Set<SlotWaiter>();

	constructor(slot: CallSlot, max: number) {
		this.#slot = slot;
		this.#room = new Slots(max);
	}

	take(waiter: SlotWaiter): boolean {
		const inRoom = (granted: boolean): void => {
			if (!granted) waiter(false);
			else if (this.#lendTo(waiter)) waiter(true);
		};
		return this.#room.take(inRoom) && this.#lendTo(waiter);
	}

	whenTaken(): Promise<boolean> {
		return taken(this);
	}

	give(): void {
		this.#slot.takeBack();
		this.#room.give();
	}

	close(): void {
		this.#room.close();
		for (const waiter of [...this.#waiting]) this.#slot.refuse(waiter);
	}

	#lendTo(waiter: SlotWaiter): boolean {
		const own: SlotWaiter = (granted) => {
			this.#waiting.delete(own);
			if (!granted) this.#room.give();
			waiter(granted);
		};
		this.#waiting.add(own);
		const isLent = this.#slot.lend(own);
		if (isLent) this.#waiting.delete(own);
		return isLent;
	}
}
