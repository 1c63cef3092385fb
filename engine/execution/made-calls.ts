// Made calls
//
// The calls that a running call has made and that have not ended. It may not wait for them itself; whoever ends it does.
//
// Owns:      their number, and the wait until there are none.
// Does not:  run them (wave/nested-calls.ts).

export class MadeCalls {
	#underWay = 0;
	#quiet: { readonly come: Promise<void>; readonly resolve: () => void } | undefined;

	get isQuiet(): boolean {
		return this.#underWay === 0;
	}

	async during<Value>(call: Promise<Value>): Promise<Value> {
		this.#underWay += 1;
		try {
			return await call;
		} finally {
			this.#underWay -= 1;
			if (this.isQuiet) this.#quiet?.resolve();
		}
	}

	/** Resolves once none runs any more; nothing where none does. */
	whenQuiet(): Promise<void> | undefined {
		if (this.isQuiet) return undefined;
		if (this.#quiet === undefined) {
			let resolve = (): void => undefined;
			const come = new Promise<void>((done) => {
				resolve = done;
			});
			this.#quiet = { come, resolve };
		}
		return this.#quiet.come;
	}
}
