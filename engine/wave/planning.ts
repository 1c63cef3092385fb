// Planning
//
// A wave from the moment it is asked for until its stages begin. Planning may wait: for schemas, for what a step was
// preparing. An abort by then, of the host or of a closing engine, finds the wave here, and its stages begin aborted.
//
// Owns:      hearing of an abort before the stages do.
// Does not:  plan (wave-plan.ts), or hear of an abort later (wave-state.ts).
//
// Invariants:
//   PN1. From the call that asks for a wave until the wave has ended there is no moment at which an abort is not heard.

import type { Abortable, WaveOptions } from "./wave-options.js";

export class Planning implements Abortable {
	readonly #controller = new AbortController();
	readonly #options: Pick<WaveOptions, "signal" | "open">;

	constructor(options: Pick<WaveOptions, "signal" | "open">) {
		const { signal, open } = options;
		this.#options = options;
		open?.add(this);
		if (signal?.aborted) this.abort(signal.reason);
		else signal?.addEventListener("abort", this.#onAbort, { once: true });
	}

	get signal(): AbortSignal {
		return this.#controller.signal;
	}

	abort(reason: unknown): void {
		this.#controller.abort(reason);
	}

	/** PN1: nothing may be awaited between this and the wave's own hearing. */
	end(): void {
		const { signal, open } = this.#options;
		open?.delete(this);
		signal?.removeEventListener("abort", this.#onAbort);
	}

	readonly #onAbort = (): void => this.abort(this.#options.signal?.reason);
}
