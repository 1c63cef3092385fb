// Step place
//
// What a call in the hands of its middleware holds of its wave: a slot, and its share of the step where it may run beside
// others. It comes with the slot that the pool took for it.
//
// Owns:      having both or giving them back while the call waits for anything else.
// Does not:  order the calls of a step (dispatch-gate.ts), count slots (execution/slots.ts), or say when a call needs which
//            (attempts.ts).
//
// Invariants:
//   SP1. A call that waits for its turn, its judgement or the gate holds no slot.

import { invariant } from "../core/invariant.js";
import { type Ending, OWN_SLOT } from "../execution/run-in-order.js";
import { ABORTED } from "./abortable-waits.js";
import type { CallState } from "./call-state.js";
import type { DispatchGate, Share } from "./dispatch-gate.js";
import { HELD_UP } from "./hold-ups.js";
import type { WaveState } from "./wave-state.js";

export interface StepPlaceParts<T> {
	readonly wave: WaveState<T>;
	readonly state: CallState<T>;
	/** Where it may run beside others. */
	readonly gate: DispatchGate | undefined;
}

export class StepPlace<T> {
	readonly #parts: StepPlaceParts<T>;
	#share: Share | undefined;
	#holdsSlot = true;
	#slotMs = 0;
	#isHeldUp = false;

	constructor(parts: StepPlaceParts<T>) {
		this.#parts = parts;
	}

	/** How long it has waited for a slot. */
	get slotMs(): number {
		return this.#slotMs;
	}

	/** Whether it waited for a call before it that asks a person: it must begin anew after the answer. */
	get isHeldUp(): boolean {
		return this.#isHeldUp;
	}

	/** Resolves once no call before this one claims the step, or the wave is aborted; nothing where none does. */
	whenOpen(): Promise<void> | undefined {
		const { gate, state } = this.#parts;
		return gate?.isTaken(state.index)
			? this.#atGate(gate.whenOpen(state.index)).then(() => this.#takeSlot())
			: undefined;
	}

	/** The call will need the step alone. */
	claim(): void {
		this.#parts.gate?.claim(this.#parts.state.index);
	}

	/** Waits for the gate, then for a slot. Takes neither where the wave is aborted, or the call settles, meanwhile. */
	async enter(alone: boolean, isWanted: () => boolean): Promise<void> {
		const { gate, state } = this.#parts;
		if (gate !== undefined && this.#share === undefined) {
			const entering = alone ? gate.exclusive(state.index, isWanted) : gate.share(state.index);
			const entered = alone || gate.isTaken(state.index) ? await this.#atGate(entering) : await entering;
			if (entered === ABORTED || entered === HELD_UP) void entering.then((share) => share?.leave());
			else this.#share = entered;
		}
		if (isWanted()) await this.#takeSlot();
	}

	/** Leaves the step until the next attempt; a call that has it alone keeps it until it settles. */
	leaveShare(): void {
		if (this.#share?.alone !== false) return;
		this.#share.leave();
		this.#share = undefined;
	}

	/** Waits for calls before it, no longer than until one of them asks a person. */
	async forThoseBefore<Value>(wait: Promise<Value>): Promise<Value | typeof ABORTED | typeof HELD_UP> {
		const { wave, state } = this.#parts;
		const waited = await this.#withoutSlot(wave.holdUps.unless(state.index, wait));
		if (waited === HELD_UP) this.#isHeldUp = true;
		return waited;
	}

	/** Takes over how an attempt left the slot that it was started with. */
	leftBy(ending: Ending): void {
		if (ending === OWN_SLOT) this.#holdsSlot = false;
	}

	/** Nothing of the call is under way. One that runs again keeps its claim, or those behind would go before it. */
	leave(runsAgain: boolean): Ending {
		const { gate, state } = this.#parts;
		this.#share?.leave();
		if (!runsAgain) gate?.drop(state.index);
		return this.#holdsSlot ? undefined : OWN_SLOT;
	}

	/** SP1: waits, no longer than until the wave is aborted, while others run. */
	#withoutSlot<Value>(wait: Promise<Value>): Promise<Value | typeof ABORTED> {
		const { wave } = this.#parts;
		if (this.#holdsSlot) wave.slots.give();
		this.#holdsSlot = false;
		return wave.unlessAborted(wait);
	}

	/** Takes a slot where the call has none. None once the wave starts nothing, or the call must begin anew. */
	async #takeSlot(): Promise<void> {
		const { wave, state } = this.#parts;
		if (this.#holdsSlot || wave.startsNothing || this.#isHeldUp) return;
		const sinceMs = wave.options.clock.monotonicMs();
		this.#holdsSlot = await wave.slots.whenTaken();
		invariant(this.#holdsSlot || wave.startsNothing, "SP1", `call ${state.index} goes on without a slot`);
		this.#slotMs += wave.options.clock.monotonicMs() - sinceMs;
	}

	async #atGate<Value>(wait: Promise<Value>): Promise<Value | typeof ABORTED | typeof HELD_UP> {
		const { wave, state } = this.#parts;
		const { clock } = wave.options;
		const sinceMs = clock.monotonicMs();
		const entered = await this.forThoseBefore(wait);
		state.gateMs += clock.monotonicMs() - sinceMs;
		return entered;
	}
}
