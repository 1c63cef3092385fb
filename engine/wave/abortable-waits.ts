// Abortable waits
//
// What a wave waits for that an abort must not wait for: a policy, keys, a slot, a person.
//
// Owns:      those waits, and ending them all at once.
// Does not:  abort what runs (wave-state.ts).

import type { CallContext } from "../execution/call-context.js";

/** What a wait resolves to when the wave was aborted first. */
export const ABORTED: unique symbol = Symbol("aborted");

export class AbortableWaits {
	/** Contexts of calls that work out or wait for their keys. */
	readonly #contexts = new Set<CallContext>();
	/** Each with the index of the call that waits, where it is one call's wait. */
	readonly #waits = new Map<() => void, number | undefined>();
	#aborted: { readonly reason: unknown } | undefined;

	abort(reason: unknown): void {
		this.#aborted = { reason };
		for (const context of this.#contexts) context.stop(reason);
		for (const resolve of this.#waits.keys()) resolve();
		this.#waits.clear();
	}

	/** The same for the waits of one call. */
	abortCall(index: number, reason: unknown): void {
		for (const context of this.#contexts) if (context.index === index) context.stop(reason);
		for (const [resolve, waiting] of this.#waits) if (waiting === index) resolve();
	}

	/**
	 * The promise's value, or {@link ABORTED} as soon as the wave is aborted, or the call of the index by itself. Rejects as
	 * the promise does.
	 */
	unlessAborted<Value>(promise: PromiseLike<Value>, index?: number): Promise<Value | typeof ABORTED> {
		if (this.#aborted !== undefined) return Promise.resolve(ABORTED);
		return new Promise((resolve, reject) => {
			const aborted = (): void => resolve(ABORTED);
			this.#waits.set(aborted, index);
			const done = (): void => void this.#waits.delete(aborted);
			promise.then(
				(value) => {
					done();
					resolve(value);
				},
				(error: unknown) => {
					done();
					reject(error);
				},
			);
		});
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
