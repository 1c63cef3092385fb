// Call limits
//
// The time of one running call, and its two limits: of its whole run, and of its silence, which every progress report
// breaks. Nothing counts before the work began, nor while the call has no slot because something of it waits for keys:
// waiting is not running.
//
// Owns:      the two timers, and what counts.
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

export type TimedOut = Interruption & { readonly kind: "timed-out" };

/** What is told that a limit is over. */
export interface Limited {
	expired(why: TimedOut): void;
}

const nothing = (): void => undefined;

export class CallLimits {
	readonly #limits: RunLimits;
	readonly #clock: Clock;
	readonly #limited: Limited;
	#beganMs: number | undefined;
	#endedMs: number | undefined;
	#lastSignMs = 0;
	/** Since when it waits without a slot. */
	#leftMs: number | undefined;
	#awayMs = 0;
	#waitsForOwn = false;
	#cancelToolTimer = nothing;
	#cancelIdleTimer = nothing;

	constructor(limits: RunLimits, clock: Clock, limited: Limited) {
		this.#limits = limits;
		this.#clock = clock;
		this.#limited = limited;
	}

	/** When the work began, by the clock's monotonic reading; `undefined` before. */
	get beganMs(): number | undefined {
		return this.#beganMs;
	}

	/** How long it has waited without a slot since it began. */
	get awayMs(): number {
		return this.#awayMs + (this.#leftMs === undefined ? 0 : this.#nowMs - this.#leftMs);
	}

	/** How long the work ran until it was over, or has run so far. */
	get ranMs(): number {
		return this.#beganMs === undefined ? 0 : this.#nowMs - this.#beganMs - this.awayMs;
	}

	/** How long before that it reported progress last, or began. */
	get silentMs(): number {
		return this.#waitsForOwn ? 0 : (this.#leftMs ?? this.#nowMs) - this.#lastSignMs;
	}

	/** Whether its time is over. */
	get isOver(): boolean {
		return this.#endedMs !== undefined;
	}

	/** The work begins; its time counts from here. */
	began(): void {
		this.#beganMs = this.#nowMs;
		this.#lastSignMs = this.#beganMs;
	}

	/** The work has reported progress. */
	progressed(): void {
		this.#lastSignMs = this.#leftMs ?? this.#nowMs;
	}

	/** For work that began and did not answer at once. */
	arm(): void {
		const { toolMs, idleMs } = this.#limits;
		if (Number.isFinite(toolMs)) {
			const expired = (): void => this.#limited.expired({ kind: "timed-out", limit: "toolMs", limitMs: toolMs });
			this.#cancelToolTimer = this.#clock.setTimer(expired, toolMs - this.ranMs);
		}
		if (Number.isFinite(idleMs) && !this.#waitsForOwn) this.#watchIdle(idleMs - this.silentMs);
	}

	/** The call goes on without a slot because something of it waits for keys, or has one again. */
	away(isAway: boolean): void {
		if (this.#beganMs === undefined || this.#endedMs !== undefined) return;
		if (isAway) {
			this.#disarm();
			this.#leftMs ??= this.#nowMs;
		} else if (this.#leftMs !== undefined) {
			const tookMs = this.#nowMs - this.#leftMs;
			this.#awayMs += tookMs;
			this.#lastSignMs += tookMs;
			this.#leftMs = undefined;
			this.arm();
		}
	}

	/** A call that waits for one it made is not silent: the other one has limits of its own. */
	waitsForOwn(isWaiting: boolean): void {
		this.#waitsForOwn = isWaiting;
		if (this.#beganMs === undefined || this.isOver) return;
		this.#cancelIdleTimer();
		if (isWaiting) return;
		this.progressed();
		if (this.#leftMs === undefined && Number.isFinite(this.#limits.idleMs)) this.#watchIdle(this.#limits.idleMs);
	}

	/** The call was answered, or will run again: its time is over. */
	over(): void {
		this.#disarm();
		this.#endedMs ??= this.#clock.monotonicMs();
	}

	get #nowMs(): number {
		return this.#endedMs ?? this.#clock.monotonicMs();
	}

	#disarm(): void {
		this.#cancelToolTimer();
		this.#cancelIdleTimer();
	}

	// One timer that looks again when it fires, rather than one timer a progress report.
	#watchIdle(delayMs: number): void {
		const { idleMs } = this.#limits;
		this.#cancelIdleTimer = this.#clock.setTimer(() => {
			const leftMs = idleMs - this.silentMs;
			if (leftMs > 0) this.#watchIdle(leftMs);
			else this.#limited.expired({ kind: "timed-out", limit: "idleMs", limitMs: idleMs });
		}, delayMs);
	}
}
