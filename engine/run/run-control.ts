// Run control
//
// What reaches a run from outside while it goes on: steers, an abort of it or of one call, the end of its time. A steer
// waits here until the run comes to a place where it can be written down: before a call that is about to be admitted, or
// after the step.
//
// Owns:      the run's own signal, its total limit, the steers that are not written yet.
// Does not:  write lines (run-loop.ts does, and a wave those of the steers it was told of).
//
// Invariants:
//   RC1. The first reason to halt stands.
//   RC2. A steer is handed on once, in the order in which it came.

import type { Clock } from "../core/clock.js";
import { invariant } from "../core/invariant.js";
import { hearOut } from "../core/thenable.js";
import type { Abortable, CallAborter, StillGoing } from "../wave/wave-options.js";

/** Why the run goes no further. */
export type RunHalt = { readonly kind: "aborted"; readonly reason: unknown } | { readonly kind: "totalMs" };

export interface RunControlParts {
	readonly clock: Clock;
	readonly signal: AbortSignal | undefined;
}

export class RunControl implements Abortable {
	readonly #parts: RunControlParts;
	readonly #controller = new AbortController();
	readonly #steers: string[] = [];
	/** Calls of the step that were aborted before its wave was there. */
	readonly #abortedCalls = new Map<number, unknown>();
	#wave: CallAborter | undefined;
	#halt: RunHalt | undefined;
	#isOver = false;
	#taken = 0;
	#onCancelled: ((reason: unknown) => void) | undefined;
	#cancelTimer: () => void = () => undefined;
	#stopListening: () => void = () => undefined;

	constructor(parts: RunControlParts) {
		this.#parts = parts;
	}

	get signal(): AbortSignal {
		return this.#controller.signal;
	}

	get halt(): RunHalt | undefined {
		return this.#halt;
	}

	/**
	 * The run begins, or goes on. `onCancelled` is told once, when the host wants no more of it; at once where it has said
	 * so already. The total limit is in milliseconds, and `spentMs` of it are gone. A run that was `cancelled` before it went
	 * on stays so, and nobody is told again.
	 */
	open(
		onCancelled: (reason: unknown) => void,
		{ totalMs, spentMs, cancelled }: { totalMs: number; spentMs: number; cancelled?: unknown },
	): void {
		const { signal, clock } = this.#parts;
		if (cancelled !== undefined) {
			this.#stop({ kind: "aborted", reason: cancelled }, cancelled);
			return;
		}
		this.#onCancelled = onCancelled;
		if (this.#halt?.kind === "aborted") onCancelled(this.#halt.reason);
		if (signal?.aborted) this.abort(signal.reason);
		else signal?.addEventListener("abort", this.#onAbort, { once: true });
		this.#stopListening = () => signal?.removeEventListener("abort", this.#onAbort);
		if (!Number.isFinite(totalMs)) return;
		const reason = new DOMException(`The run's totalMs of ${totalMs} ms is over`, "TimeoutError");
		this.#cancelTimer = clock.setTimer(() => this.#stop({ kind: "totalMs" }, reason), Math.max(0, totalMs - spentMs));
	}

	abort(reason: unknown): void {
		if (this.#halt !== undefined || this.#isOver) return;
		this.#onCancelled?.(reason);
		this.#stop({ kind: "aborted", reason }, reason);
	}

	/** Another step begins, or the step's reply anew: its calls are others than those before. */
	stepBegins(): void {
		this.#abortedCalls.clear();
		this.#wave = undefined;
	}

	/** For the wave of the step, once its calls are known. */
	readonly opened = (wave: CallAborter): void => {
		this.#wave = wave;
		for (const [index, reason] of this.#abortedCalls) wave.abortCall(index, reason);
	};

	/** Aborts one call of the step; gives whether it had no outcome yet. */
	abortCall(index: number, reason: unknown): boolean {
		if (this.#isOver || this.#halt !== undefined) return false;
		if (this.#wave !== undefined) return this.#wave.abortCall(index, reason);
		if (!this.#abortedCalls.has(index)) this.#abortedCalls.set(index, reason);
		return true;
	}

	/** The promise's value, or nothing as soon as the run is halted. Rejects as the promise does. */
	async unlessHalted<Value>(promise: Promise<Value>): Promise<Value | undefined> {
		hearOut(promise);
		if (this.signal.aborted) return undefined;
		let onHalt = (): void => undefined;
		const halted = new Promise<undefined>((resolve) => {
			onHalt = (): void => resolve(undefined);
		});
		this.signal.addEventListener("abort", onHalt, { once: true });
		try {
			return await Promise.race([promise, halted]);
		} finally {
			this.signal.removeEventListener("abort", onHalt);
		}
	}

	/** Takes a steer; a run that has ended takes none. */
	steer(text: string): boolean {
		if (this.#isOver || this.#halt !== undefined) return false;
		this.#steers.push(text);
		return true;
	}

	/** For a wave that asks before each call. */
	readonly stillGoing = (): StillGoing => {
		const steer = this.#steers[0];
		if (steer === undefined) return "go";
		this.#take(1);
		return { steer };
	};

	/** Takes what no wave was told of. */
	takeSteers(): readonly string[] {
		return this.#take(this.#steers.length);
	}

	/** For its wave, when that pauses: from here on nothing reaches the run. Gives the steers that are written nowhere. */
	readonly pausing = (): readonly string[] => {
		this.over();
		return [...this.#steers];
	};

	/** The run has ended or paused: nothing reaches it any more. May be said twice. */
	over(): void {
		this.#isOver = true;
		this.#stopListening();
		this.#cancelTimer();
	}

	#take(count: number): readonly string[] {
		const taken = this.#steers.splice(0, count);
		this.#taken += taken.length;
		invariant(taken.length === count, "RC2", `${count} steers were taken after ${this.#taken}`);
		return taken;
	}

	// RC1: later reasons find the halt set.
	#stop(halt: RunHalt, reason: unknown): void {
		if (this.#halt !== undefined) return;
		this.#halt = halt;
		this.#controller.abort(reason);
	}

	readonly #onAbort = (): void => this.abort(this.#parts.signal?.reason);
}
