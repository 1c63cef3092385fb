// Endable waits
//
// Promises that are waited for no longer than until something of the wave makes the wait pointless. What was waited for
// goes on, and nobody looks at how it ends.
//
// Owns:      the waits that are not over.
// Does not:  know what ends them (abortable-waits.ts, hold-ups.ts).

export class EndableWaits<End extends symbol> {
	readonly #end: End;
	/** Each with the index of the call that waits, where it is one call's wait. */
	readonly #waits = new Map<() => void, number | undefined>();

	/** `end` is what a wait resolves to that was ended. */
	constructor(end: End) {
		this.#end = end;
	}

	/** The promise's value, or the end where that comes first. Rejects as the promise does. */
	unlessEnded<Value>(promise: PromiseLike<Value>, index?: number): Promise<Value | End> {
		return new Promise((resolve, reject) => {
			const end = (): void => resolve(this.#end);
			this.#waits.set(end, index);
			promise.then(
				(value) => {
					this.#waits.delete(end);
					resolve(value);
				},
				(error: unknown) => {
					this.#waits.delete(end);
					reject(error);
				},
			);
		});
	}

	/** Ends the waits of those indexes. */
	end(isMeant: (index: number | undefined) => boolean): void {
		for (const [end, index] of this.#waits) {
			if (!isMeant(index)) continue;
			this.#waits.delete(end);
			end();
		}
	}
}
