// Early measure
//
// What starting early was worth to one reply: how early it began, how much of the work lay under the reply, what was
// thrown away, and how far the wait was from the least that any lawful schedule could have waited.
//
// The bound: each call runs for as long as it ran here (`d`), from the first moment that the laws allow (`a`), with a
// slot for every call. A call that may start early might have begun when its arguments were whole; any other call of
// the first segment when the reply ended; a call of a later segment when every call before the segment had ended. The
// bound is `max(0, max(a + d) - T)`, with T the end of the reply. Waiting for keys is not in it: a bound may be too low.
//
// Owns:      the counting and the bound.
// Does not:  start or throw away anything (early-starts.ts).

import type { AheadMeasure, DiscardedWork, DiscardReason } from "../core/events.js";
import type { RunningCall } from "../execution/running-call.js";
import type { Segment } from "../execution/schedule.js";

/** What the wave of the reply knows of its calls. */
export interface WaveCalls {
	readonly segments: readonly Segment[];
	/** How long the call ran; 0 for one that did not. */
	readonly ranMs: (index: number) => number;
}

export class EarlyMeasure {
	/** When the calls that may start early were whole, by index. */
	readonly #wholeMs = new Map<number, number>();
	readonly #used: RunningCall[] = [];
	readonly #discarded = new Map<DiscardReason, DiscardedWork>();
	#started = 0;
	#firstMs: number | undefined;
	#endedMs: number | undefined;

	get anythingStarted(): boolean {
		return this.#started > 0;
	}

	mayStart(index: number, atMs: number): void {
		this.#wholeMs.set(index, atMs);
	}

	started(atMs: number): void {
		this.#started += 1;
		this.#firstMs ??= atMs;
	}

	used(running: RunningCall): void {
		this.#used.push(running);
	}

	discarded(reason: DiscardReason, runMs: number): void {
		const before = this.#discarded.get(reason) ?? { reason, calls: 0, ranMs: 0 };
		this.#discarded.set(reason, { reason, calls: before.calls + 1, ranMs: before.ranMs + runMs });
	}

	/** The reply has ended. The first end stands. */
	replyEnded(atMs: number): void {
		this.#endedMs ??= atMs;
	}

	/** `calls` is left out for a reply that did not end well. */
	measure(nowMs: number, calls?: WaveCalls): AheadMeasure {
		const endedMs = this.#endedMs ?? nowMs;
		const hiddenMs = this.#used.reduce((sum, { beganMs = endedMs, ranMs }) => {
			return sum + Math.max(0, Math.min(beganMs + ranMs, endedMs) - beganMs);
		}, 0);
		return {
			started: this.#started,
			used: this.#used.length,
			leadMs: Math.max(0, endedMs - (this.#firstMs ?? endedMs)),
			hiddenMs,
			discarded: [...this.#discarded.values()],
			...(calls !== undefined && { waitedMs: nowMs - endedMs, boundMs: this.#boundMs(calls, endedMs) }),
		};
	}

	#boundMs({ segments, ranMs }: WaveCalls, endedMs: number): number {
		let doneMs = endedMs;
		for (const { from, to } of segments) {
			const mayBeginMs = doneMs;
			for (let index = from; index < to; index += 1) {
				const beginMs = Math.min(this.#wholeMs.get(index) ?? mayBeginMs, mayBeginMs);
				doneMs = Math.max(doneMs, beginMs + ranMs(index));
			}
		}
		return doneMs - endedMs;
	}
}
