// Manual clock
//
// A clock that stands still until a test moves it. Timers fire in the order of their due times, then of their setting;
// the event loop is the real one, so promises settle as they do in a host.
//
// Owns:      the hand-moved time and its timers.
// Does not:  wait for anything by itself.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../../engine/core/clock.js";

interface Timer {
	readonly dueMs: number;
	readonly callback: () => void;
}

export class ManualClock implements Clock {
	#nowMs: number;
	#ids = 0;
	readonly #startMs: number;
	readonly #timers = new Set<Timer>();

	constructor(startMs = 1_700_000_000_000) {
		this.#startMs = startMs;
		this.#nowMs = startMs;
	}

	/** How many timers are set and have neither fired nor been cancelled. */
	get timersSet(): number {
		return this.#timers.size;
	}

	now(): number {
		return this.#nowMs;
	}

	monotonicMs(): number {
		return this.#nowMs - this.#startMs;
	}

	setTimer(callback: () => void, delayMs: number): () => void {
		if (delayMs === Number.POSITIVE_INFINITY) return () => undefined;
		const timer = { dueMs: this.#nowMs + delayMs, callback };
		this.#timers.add(timer);
		return () => void this.#timers.delete(timer);
	}

	nextTurn(): Promise<void> {
		return nextTurn();
	}

	newId(): string {
		this.#ids += 1;
		return `id-${this.#ids}`;
	}

	/** Moves time on without letting anything happen meanwhile, as a host's thread that is held does. */
	leap(ms: number): void {
		this.#nowMs += ms;
	}

	/** Lets what can settle do so, then moves time on, firing what falls due on the way and settling after each. */
	async pass(ms: number): Promise<void> {
		await settled();
		const untilMs = this.#nowMs + ms;
		for (let timer = this.#nextDue(untilMs); timer !== undefined; timer = this.#nextDue(untilMs)) {
			this.#timers.delete(timer);
			this.#nowMs = Math.max(this.#nowMs, timer.dueMs);
			timer.callback();
			await settled();
		}
		this.#nowMs = untilMs;
		await settled();
	}

	#nextDue(untilMs: number): Timer | undefined {
		let next: Timer | undefined;
		for (const timer of this.#timers) {
			if (timer.dueMs <= untilMs && (next === undefined || timer.dueMs < next.dueMs)) next = timer;
		}
		return next;
	}
}

/** Resolves once everything that can settle without outside help has: a few turns of the event loop. */
export async function settled(turns = 3): Promise<void> {
	for (let turn = 0; turn < turns; turn += 1) await nextTurn();
}
