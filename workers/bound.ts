// Bound
//
// A wait that has a limit, or none at present.
//
// Owns:      one timer at a time.
// Does not:  decide what happens at the limit.

import type { Clock } from "../engine/core/clock.js";

export class Bound {
	readonly #clock: Clock;
	#cancel: (() => void) | undefined;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	get isSet(): boolean {
		return this.#cancel !== undefined;
	}

	/** Calls back once at the limit, unless it is set anew or cleared before. */
	set(limitMs: number, onLimit: () => void): void {
		this.clear();
		this.#cancel = this.#clock.setTimer(() => {
			this.#cancel = undefined;
			onLimit();
		}, limitMs);
	}

	clear(): void {
		this.#cancel?.();
		this.#cancel = undefined;
	}
}
