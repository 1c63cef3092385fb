// Early events
//
// What whoever watches is told of the early starts of one reply, and the sum of it at the reply's end.
//
// Owns:      the events, and feeding the measure with the same moments.
// Does not:  decide anything (early-starts.ts).

import type { ToolMeta } from "../admission/concurrent-invoke.js";
import { plannedAs } from "../admission/planned-as.js";
import type { ToolCall } from "../core/call.js";
import type { Clock } from "../core/clock.js";
import type { CallPlace, DiscardReason, EventHub } from "../core/events.js";
import type { Outcome } from "../core/outcome.js";
import type { RunningCall } from "../execution/running-call.js";
import { EarlyMeasure, type WaveCalls } from "./early-measure.js";

export interface EarlyEventsParts {
	readonly runId: string;
	readonly step: number;
	readonly clock: Clock;
	readonly hub: EventHub;
}

/** An early start, as far as events tell of it. */
export interface EarlyRun {
	readonly index: number;
	readonly call: ToolCall;
	readonly running: RunningCall;
}

export class EarlyEvents {
	readonly #parts: EarlyEventsParts;
	readonly #measure = new EarlyMeasure();
	#isOver = false;

	constructor(parts: EarlyEventsParts) {
		this.#parts = parts;
	}

	/** A call whose arguments are whole may start early. */
	planned(index: number, call: ToolCall, meta: ToolMeta): void {
		const { hub, clock, runId, step } = this.#parts;
		this.#measure.mayStart(index, clock.monotonicMs());
		if (hub.watched) hub.emit({ kind: "call_planned", runId, step, index, name: call.name, ...plannedAs(meta) });
	}

	started(): void {
		this.#measure.started(this.#parts.clock.monotonicMs());
	}

	settled(run: EarlyRun, outcome: Outcome): void {
		const { ranMs } = run.running;
		this.#parts.hub.emit({ kind: "ahead_settled", ...this.#placeOf(run), outcome, ranMs });
	}

	used(run: EarlyRun): void {
		this.#measure.used(run.running);
		this.#parts.hub.emit({ kind: "ahead_used", ...this.#placeOf(run), hiddenMs: run.running.ranMs });
	}

	discarded(run: EarlyRun, reason: DiscardReason): void {
		const { ranMs } = run.running;
		this.#measure.discarded(reason, ranMs);
		this.#parts.hub.emit({ kind: "ahead_discarded", ...this.#placeOf(run), reason, ranMs });
	}

	replyEnded(): void {
		this.#measure.replyEnded(this.#parts.clock.monotonicMs());
	}

	/** Once a reply; `calls` is left out for one that did not end well. */
	over(calls?: WaveCalls): void {
		const { runId, step, hub, clock } = this.#parts;
		if (!this.#isOver && this.#measure.anythingStarted && hub.watched) {
			hub.emit({ kind: "ahead_measured", runId, step, ...this.#measure.measure(clock.monotonicMs(), calls) });
		}
		this.#isOver = true;
	}

	#placeOf({ index, call }: EarlyRun): CallPlace {
		const { runId, step } = this.#parts;
		return { runId, step, index, name: call.name };
	}
}
