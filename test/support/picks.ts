// Picks
//
// The order of a random wave's settlements: a short list of numbers, played round and round. Each says which of the
// waiting settles next, or that the event loop turns first, so that a case replays exactly and shrinks well.
//
// Owns:      the order, and the judgement that a wave is stuck.
// Does not:  know what waits (held-work.ts).

import type { HeldWork } from "./held-work.js";
import { settled } from "./manual-clock.js";

/** Turns of the event loop without anything to settle after which a wave is stuck. */
const IDLE_TURNS_MAX = 50;

export class Picks {
	readonly #picks: readonly number[];
	readonly #held: HeldWork;
	#played = 0;
	#idle = false;

	constructor(picks: readonly number[], held: HeldWork) {
		this.#picks = picks;
		this.#held = held;
	}

	/** One pick: something settles, the event loop turns, or both. Says whether anything settled. */
	async once(): Promise<boolean> {
		const pick = this.#picks[this.#played % this.#picks.length] ?? 0;
		this.#played += 1;
		// Never two idle picks in a row, or a case of idle picks alone would settle nothing.
		this.#idle = pick % 4 === 3 && !this.#idle;
		const released = this.#idle ? undefined : this.#held.releaseAt(pick >> 1);
		if (pick % 2 === 1 || released === undefined) await settled(1);
		return released !== undefined;
	}

	async drive<Value>(work: Promise<Value>): Promise<Value> {
		let done = false;
		const finished = work.finally(() => {
			done = true;
		});
		finished.catch(() => undefined);
		for (let idle = 0; !done; ) {
			idle = (await this.once()) ? 0 : idle + 1;
			if (idle > IDLE_TURNS_MAX) throw new Error("the wave is stuck: nothing settles and nothing waits");
		}
		return finished;
	}

	/** Lets what was started and thrown away come to its end. */
	async drain(): Promise<void> {
		this.#held.releaseAll();
		await settled();
		this.#held.releaseAll();
	}
}
