// Events
//
// What happens while it happens, for whoever watches: a live view, a trace, a test. Events come in the order things
// happened, not in call order; the ledger is where order is promised. They are also published on the
// `node:diagnostics_channel` named `wavetrain:event`.
//
// Owns:      the closed union of events and the hub that hands them out.
// Does not:  write history (ledger/) or make a picture (report/).
//
// Invariants:
//   V1. A listener that throws, whatever it throws, changes nothing for the engine or for the other listeners.

import { channel } from "node:diagnostics_channel";
import type { Effect } from "./effect.js";
import type { JsonValue } from "./json-value.js";
import type { Outcome } from "./outcome.js";
import { showValue } from "./show-value.js";

/**
 * Why an early start was thrown away.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type DiscardReason =
	| "length"
	| "filtered"
	| "failed"
	| "restarted"
	| "cancelled"
	| "not the admitted call"
	| "needs admission"
	| "keys were granted"
	| "what it read moved";

/**
 * Early starts of one reply that were thrown away for one reason.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface DiscardedWork {
	/** Why they were thrown away. */
	readonly reason: DiscardReason;
	/** How many early starts. */
	readonly calls: number;
	/** What they had run, added up. */
	readonly ranMs: number;
}

/**
 * What starting early was worth to one reply.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface AheadMeasure {
	/** How many calls started before the reply had ended, and how many of those were used. */
	readonly started: number;
	/** Early starts whose answer an admitted call took. */
	readonly used: number;
	/** From the first early start to the end of the reply. */
	readonly leadMs: number;
	/** What the used ones ran before the end of the reply, added up. */
	readonly hiddenMs: number;
	/** By reason, in the order in which the reasons came up. */
	readonly discarded: readonly DiscardedWork[];
	/** From the end of the reply to the end of its wave; left out for a reply that did not end well. */
	readonly waitedMs?: number;
	/**
	 * The least that any schedule could have waited that keeps the order of segments and starts nothing early but what may,
	 * with a slot for every call: each call from the first moment it might have begun, for as long as it ran here. Left out
	 * with `waitedMs`; the difference between the two is the distance to the bound.
	 */
	readonly boundMs?: number;
}

/**
 * Who keeps a waiting caller from a key: a holder, or one that waits ahead of it.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface KeyBlocker {
	/** The key that is waited for. */
	readonly key: string;
	/** Who holds it, or is ahead. */
	readonly holder: string;
}

/**
 * Where a call stands: its run, its step, and its path of indexes (one number, more for a nested call).
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface CallPlace {
	/** The run of its wave. */
	readonly runId: string;
	/** The run's step, from 0. */
	readonly step: number;
	/** The call's place in its wave, from 0. */
	readonly index: number;
	/** The tool's name. */
	readonly name: string;
	/** For a nested call alone: the indexes of the calls it is nested in, outermost first, and its own. */
	readonly path?: readonly number[];
}

/**
 * One event, told apart by `kind`. `atMs` is the engine clock's monotonic reading.
 *
 * A call's own, in this order: `call_planned` (its arguments were read), `call_admitted` (it was cleared), `call_waiting` and
 * `call_holds_keys` (for and with its keys), `call_began` (its work began; clocks of its limits start), `call_progress`,
 * `call_settled` (it has an outcome, in whatever order), `call_accounted` (in call order; the policies have seen the outcome,
 * and `held` settlements behind it wait for their turn), `call_released_keys` (its work has ended).
 *
 * Now and then: `call_asked` and `call_answered` (a person), `call_ended_late` (the work of a call that was answered before
 * has ended, and how), `call_overran` (a limit could not be enforced in time). Of an early start: `ahead_settled`, then
 * `ahead_used` (an admitted call took its answer) or `ahead_discarded`. Of the engine: `thread_started` and `thread_ended` with
 * the number of threads there are then, `stray_error` (code that no call waits for failed).
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type EngineEvent = { readonly atMs: number } & (
	| { readonly kind: "wave_started"; readonly runId: string; readonly step: number; readonly calls: number }
	| { readonly kind: "wave_finished"; readonly runId: string; readonly step: number; readonly status: string }
	| ({ readonly kind: "call_planned"; readonly effect?: Effect; readonly title?: string } & CallPlace)
	| ({ readonly kind: "call_admitted" } & CallPlace)
	| ({ readonly kind: "call_waiting"; readonly for: "keys"; readonly blockers?: readonly KeyBlocker[] } & CallPlace)
	| ({
			readonly kind: "call_holds_keys";
			readonly write: readonly string[];
			readonly read: readonly string[];
	  } & CallPlace)
	| ({
			readonly kind: "call_released_keys";
			readonly write: readonly string[];
			readonly read: readonly string[];
	  } & CallPlace)
	| ({ readonly kind: "call_began"; readonly ahead: boolean; readonly thread?: number } & CallPlace)
	| ({ readonly kind: "call_progress"; readonly update: JsonValue } & CallPlace)
	| ({ readonly kind: "call_asked"; readonly id: string; readonly question: JsonValue } & CallPlace)
	| ({ readonly kind: "call_answered"; readonly id: string } & CallPlace)
	| ({ readonly kind: "call_settled"; readonly outcome: Outcome; readonly ahead: boolean } & CallPlace)
	| ({ readonly kind: "call_accounted"; readonly outcome: Outcome; readonly held: number } & CallPlace)
	| ({ readonly kind: "call_ended_late"; readonly outcome: Outcome } & CallPlace)
	| ({
			readonly kind: "call_overran";
			readonly limit: "toolMs" | "idleMs";
			readonly limitMs: number;
			readonly ranMs: number;
			readonly note: string;
	  } & CallPlace)
	| ({ readonly kind: "ahead_settled"; readonly outcome: Outcome; readonly ranMs: number } & CallPlace)
	| ({ readonly kind: "ahead_used"; readonly hiddenMs: number } & CallPlace)
	| ({ readonly kind: "ahead_discarded"; readonly reason: DiscardReason; readonly ranMs: number } & CallPlace)
	/** Once for a reply of which anything started early, at its end. */
	| ({ readonly kind: "ahead_measured"; readonly runId: string; readonly step: number } & AheadMeasure)
	| { readonly kind: "thread_started"; readonly thread: number; readonly threads: number }
	| { readonly kind: "thread_ended"; readonly thread: number; readonly threads: number; readonly reason: string }
	| { readonly kind: "stray_error"; readonly message: string }
);

type WithoutTime<Event> = Event extends unknown ? Omit<Event, "atMs"> : never;

/** An event as the part of the engine that saw it writes it. */
export type EventDraft = WithoutTime<EngineEvent>;

/**
 * Told of each event as it happens. What it throws is reported as a warning and changes nothing.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type Listener = (event: EngineEvent) => void;

const everyEngine = channel("wavetrain:event");

export class EventHub {
	readonly #monotonicMs: () => number;
	readonly #listeners = new Set<Listener>();

	constructor(monotonicMs: () => number) {
		this.#monotonicMs = monotonicMs;
	}

	/** Whether anybody watches; nothing builds an event for nobody. */
	get watched(): boolean {
		return this.#listeners.size > 0 || everyEngine.hasSubscribers;
	}

	/** Adds a listener; the result takes it away again. */
	subscribe(listener: Listener): () => void {
		const own: Listener = (event) => listener(event);
		this.#listeners.add(own);
		return () => void this.#listeners.delete(own);
	}

	emit(draft: EventDraft): void {
		if (!this.watched) return;
		const event = { ...draft, atMs: this.#monotonicMs() } as EngineEvent;
		everyEngine.publish(event);
		for (const listener of this.#listeners) {
			try {
				listener(event);
			} catch (error) {
				// V1: the listener's own fault is reported where Node reports such faults, once, without stopping anyone.
				process.emitWarning(`A listener threw on ${event.kind}: ${showValue(error)}`, "WavetrainListenerWarning");
			}
		}
	}
}
