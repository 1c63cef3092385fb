// Clock
//
// The one door through which time, randomness and the event loop's turn enter. Tests move a clock by hand; nothing else
// in engine/ or workers/ reads one.
//
// Owns:      the port, the system's clock, fresh ids.
// Does not:  decide how long anything lasts (limits.ts).

import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import { TIMER_MS_MAX } from "./limits.js";

/**
 * How a timer stands to the process it runs in.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface TimerOptions {
	/** `false`: the timer alone does not keep the process alive. Left out: it does. */
	readonly holdsProcess?: boolean;
}

/**
 * Where the engine reads time and sets timers. Give your own to move time by hand in tests.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface Clock {
	/** Milliseconds since 1970, for stamps. */
	now(): number;
	/** Milliseconds that never go back, for durations. */
	monotonicMs(): number;
	/** Calls back once after `delayMs`; the result cancels it. Infinity never fires. */
	setTimer(callback: () => void, delayMs: number, options?: TimerOptions): () => void;
	/** Resolves once the host's event loop has turned. */
	nextTurn(): Promise<void>;
	/** A fresh id for a run. */
	newId(): string;
}

const nothing = (): void => undefined;

/**
 * The real time, and the timers of Node.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export const systemClock: Clock = {
	now: () => Date.now(),
	monotonicMs: () => performance.now(),
	setTimer(callback, delayMs, options) {
		if (delayMs === Number.POSITIVE_INFINITY) return nothing;
		const timer = setTimeout(callback, Math.min(delayMs, TIMER_MS_MAX));
		if (options?.holdsProcess === false) timer.unref();
		return () => clearTimeout(timer);
	},
	nextTurn: () => nextTurn(),
	newId: () => randomUUID(),
};
