// Abortable waits
//
// What a wave waits for that an abort must not wait for: a policy, keys, a slot, a person.
//
// Owns:      ending those waits, all at once or those of one call.
// Does not:  abort what runs (wave-state.ts).

import type { CallContext } from "../execution/call-context.js";
import { EndableWaits } from "./endable-waits.js";

/** What a wait resolves to when the wave was aborted first. */
export const ABORTED: unique symbol = Symbol("aborted");

export class AbortableWaits {
	/** Contexts of calls that work out or wait for their keys. */
	readonly #contexts = new Set<CallContext>();
	readonly #waits = new EndableWaits<typeof ABORTED>(ABORTED);
	#aborted: { readonly reason: unknown } | undefined;

	abort(reason: unknown): void {
		this.#aborted = { reason };
		for (const context of this.#contexts) context.stop(reason);
		this.#waits.end(() => true);
	}

	/** The same for the waits of one call. */
	abortCall(index: number, reason: unknown): void {
		for (const context of this.#contexts) if (context.index === index) context.stop(reason);
		this.#waits.end((waiting) => waiting === index);
	}

	/**
	 * The promise's value, or {@link ABORTED} as soon as the wave is aborted, or the call of the index by itself. Rejects as
	 * the promise does.
	 */
	unlessAborted<Value>(promise: PromiseLike<Value>, index?: number): Promise<Value | typeof ABORTED> {
		if (this.#aborted !== undefined) return Promise.resolve(ABORTED);
		return this.#waits.unlessEnded(promise, index);
	}

	/** Lets a wait of a call that does not run yet hear of an abort through the call's context. */
	async whileWaiting<Value>(context: CallContext, wait: Promise<Value>): Promise<Value> {
		this.#contexts.add(context);
		if (this.#aborted !== undefined) context.stop(this.#aborted.reason);
		try {
			return await wait;
		} finally {
			this.#contexts.delete(context);
		}
	}
}
