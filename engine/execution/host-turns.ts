// Host turns
//
// Ten thousand cheap calls on the host's own thread would keep its event loop from turning for as long as they last. A
// loop that may be long asks here, and waits for a turn once it has held the thread for the limit.
//
// Owns:      when a turn is due.
// Does not:  interrupt a tool that blocks by itself; such a tool belongs on a thread.

import type { Clock } from "../core/clock.js";
import { HOST_TURN_MS_MAX } from "../core/limits.js";

// A clock reading is dearer than a cheap call, so the clock is read once in this many questions.
const QUESTIONS_A_READING = 32;

export class HostTurns {
	readonly #clock: Clock;
	#questions = 0;
	#turnedMs: number;

	constructor(clock: Clock) {
		this.#clock = clock;
		this.#turnedMs = clock.monotonicMs();
	}

	/** Whether the loop has held the thread for the limit. */
	get due(): boolean {
		this.#questions += 1;
		if (this.#questions % QUESTIONS_A_READING !== 0) return false;
		return this.#clock.monotonicMs() - this.#turnedMs >= HOST_TURN_MS_MAX;
	}

	async take(): Promise<void> {
		await this.#clock.nextTurn();
		this.#turnedMs = this.#clock.monotonicMs();
	}
}
