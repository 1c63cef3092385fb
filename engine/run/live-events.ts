// Live events
//
// What happens in a run, for whoever iterates over it: the engine's events of that run, what is seen of the model's
// replies, and what came from outside. A watcher that is slower than the run loses the oldest events and is told how many;
// the run never waits for one. Nothing is kept for a run that nobody watches.
//
// Owns:      the watchers of one run and their buffers.
// Does not:  emit what the engine sees (core/events.ts does), or promise call order (the ledger does).
//
// Invariants:
//   LE1. A watcher holds no more than RUN_EVENTS_MAX events; what it loses is counted where it stood.
//   LE2. After the run's end nothing of the engine is listened to.

import type { Clock } from "../core/clock.js";
import type { EngineEvent, Listener } from "../core/events.js";
import { invariant } from "../core/invariant.js";
import { RUN_EVENTS_MAX } from "../core/limits.js";
import type { ReplyEvent } from "../report/reply-event.js";

/**
 * One thing that happened in a run. `atMs` is the engine clock's monotonic reading.
 *
 * `'events_missed'`: so many older events were let go, because nobody took them in time.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type RunEvent =
	| EngineEvent
	| ReplyEvent
	| ({ readonly atMs: number } & (
			| { readonly kind: "model_called"; readonly step: number }
			| { readonly kind: "steer_received"; readonly text: string }
			| { readonly kind: "events_missed"; readonly missed: number }
	  ));

type WithoutTime<Event> = Event extends unknown ? Omit<Event, "atMs"> : never;

/** An event as the run that saw it writes it. */
export type RunEventDraft = WithoutTime<Exclude<RunEvent, EngineEvent>>;

export interface LiveEventsParts {
	readonly runId: string;
	readonly clock: Pick<Clock, "monotonicMs">;
	/** Listens to the engine; the result ends it. */
	readonly subscribe: (listener: Listener) => () => void;
}

export class LiveEvents implements AsyncIterable<RunEvent> {
	readonly #parts: LiveEventsParts;
	readonly #watchers = new Set<Watcher>();
	#unsubscribe: (() => void) | undefined;
	#ended = false;

	constructor(parts: LiveEventsParts) {
		this.#parts = parts;
	}

	/** Everything from now on; ends with the run. */
	[Symbol.asyncIterator](): AsyncIterator<RunEvent, undefined> {
		const { clock, runId, subscribe } = this.#parts;
		const watcher = new Watcher(clock, () => this.#leave(watcher));
		if (this.#ended) watcher.end();
		else {
			this.#watchers.add(watcher);
			this.#unsubscribe ??= subscribe((event) => {
				if ("runId" in event && event.runId === runId) this.#hand(event);
			});
		}
		return watcher;
	}

	emit(draft: RunEventDraft): void {
		if (this.#watchers.size === 0) return;
		this.#hand({ ...draft, atMs: this.#parts.clock.monotonicMs() } as RunEvent);
	}

	end(): void {
		this.#ended = true;
		for (const watcher of [...this.#watchers]) watcher.end();
		invariant(this.#unsubscribe === undefined, "LE2", "a run that has ended still listens");
	}

	#hand(event: RunEvent): void {
		for (const watcher of this.#watchers) watcher.take(event);
	}

	// LE2: the last watcher takes the subscription with it.
	#leave(watcher: Watcher): void {
		this.#watchers.delete(watcher);
		if (this.#watchers.size > 0) return;
		this.#unsubscribe?.();
		this.#unsubscribe = undefined;
	}
}

type Taken = IteratorResult<RunEvent, undefined>;

class Watcher implements AsyncIterator<RunEvent, undefined> {
	readonly #clock: Pick<Clock, "monotonicMs">;
	readonly #onLeft: () => void;
	#held: RunEvent[] = [];
	#missed = 0;
	#waiting: ((taken: Taken) => void)[] = [];
	#ended = false;

	constructor(clock: Pick<Clock, "monotonicMs">, onLeft: () => void) {
		this.#clock = clock;
		this.#onLeft = onLeft;
	}

	take(event: RunEvent): void {
		const waiting = this.#waiting.shift();
		if (waiting !== undefined) {
			waiting({ done: false, value: event });
			return;
		}
		this.#held.push(event);
		if (this.#held.length <= RUN_EVENTS_MAX) return;
		// LE1: half at once, so that a slow watcher does not cost a move of the whole buffer an event.
		const kept = this.#held.slice(-Math.floor(RUN_EVENTS_MAX / 2));
		this.#missed += this.#held.length - kept.length;
		this.#held = kept;
	}

	end(): void {
		this.#ended = true;
		for (const waiting of this.#waiting.splice(0)) waiting({ done: true, value: undefined });
		this.#onLeft();
	}

	async next(): Promise<Taken> {
		if (this.#missed > 0) {
			const missed = this.#missed;
			this.#missed = 0;
			return { done: false, value: { kind: "events_missed", missed, atMs: this.#clock.monotonicMs() } };
		}
		const value = this.#held.shift();
		if (value !== undefined) return { done: false, value };
		if (this.#ended) return { done: true, value: undefined };
		return new Promise((resolve) => this.#waiting.push(resolve));
	}

	async return(): Promise<Taken> {
		this.#held = [];
		this.#missed = 0;
		this.end();
		return { done: true, value: undefined };
	}
}
