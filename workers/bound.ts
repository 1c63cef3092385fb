// Bound
//
// A wait that has a limit, or none at present.
//
// Owns:      one timer at a time.
// Does not:  decide what happens at the limit.

import type { Clock, TimerOptions } from "../engine/core/clock.js";

export class Bound {
	readonly #clock: Clock;
	readonly #options: TimerOptions | undefined;
	#cancel: (() => void) | undefined;

	constructor(clock: Clock, options?: TimerOptions) {
		this.#clock = clock;
		this.#options = options;
	}

	get isSet(): boolean {
		return this.#cancel !== undefined;
	}

	/** Calls back once at the limit, unless it is set anew or cleared before. */
	set(limitMs: number, onLimit: () => void): void {
		this.clear();
		this.#cancel = this.#clock.setTimer(
			() => {
				this.#cancel = undefined;
				onLimit();
			},
			limitMs,
			this.#options,
		);
	}

	clear(): void {
		this.#cancel?.();
		this.#cancel = undefined;
	}
}
