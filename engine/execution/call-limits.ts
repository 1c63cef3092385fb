// Call limits
//
// The time limits of one running call: of its whole run, and of its silence, which every progress report breaks. Nothing
// counts before the work began: waiting in a queue is not running.
//
// Owns:      the two timers.
// Does not:  decide what a limit does to the call (running-call.ts).

import type { Clock } from "../core/clock.js";
import type { Interruption } from "./interrupted.js";

export interface RunLimits {
	/** Longest the work may run, from its beginning. */
	readonly toolMs: number;
	/** Longest between its beginning or one progress report and the next. */
	readonly idleMs: number;
	/** How long a thread may go on after it was asked to stop. */
	readonly graceMs: number;
}

type TimedOut = Interruption & { readonly kind: "timed-out" };

const nothing = (): void => undefined;

export class CallLimits {
	readonly #limits: RunLimits;
	readonly #clock: Clock;
	readonly #expire: (why: TimedOut) => void;
	#lastSignMs = 0;
	#cancelToolTimer = nothing;
	#cancelIdleTimer = nothing;

	constructor(limits: RunLimits, clock: Clock, expire: (why: TimedOut) => void) {
		this.#limits = limits;
		this.#clock = clock;
		this.#expire = expire;
	}

	/** When the work began or reported progress last, by the clock's monotonic reading. */
	get lastSignMs(): number {
		return this.#lastSignMs;
	}

	began(nowMs: number): void {
		this.#lastSignMs = nowMs;
	}

	/** The work has reported progress. */
	sign(): void {
		this.#lastSignMs = this.#clock.monotonicMs();
	}

	/** For work that began and did not answer at once. */
	arm(): void {
		const { toolMs, idleMs } = this.#limits;
		if (Number.isFinite(toolMs)) {
			const expired = (): void => this.#expire({ kind: "timed-out", limit: "toolMs", limitMs: toolMs });
			this.#cancelToolTimer = this.#clock.setTimer(expired, toolMs);
		}
		if (Number.isFinite(idleMs)) this.#watchIdle(idleMs);
	}

	disarm(): void {
		this.#cancelToolTimer();
		this.#cancelIdleTimer();
	}

	// One timer that looks again when it fires, rather than one timer a progress report.
	#watchIdle(delayMs: number): void {
		const { idleMs } = this.#limits;
		this.#cancelIdleTimer = this.#clock.setTimer(() => {
			const leftMs = this.#lastSignMs + idleMs - this.#clock.monotonicMs();
			if (leftMs > 0) this.#watchIdle(leftMs);
			else this.#expire({ kind: "timed-out", limit: "idleMs", limitMs: idleMs });
		}, delayMs);
	}
}
