// Abort waits
//
// Thousands of waits may share one signal. A listener for each makes Node walk all of them at every add and remove, and
// leaves a host's signal with thousands of listeners; so each signal gets one listener, for as long as anything waits.
//
// Owns:      the one listener a signal, and who is told when it fires.
// Does not:  look at a signal that fired before the wait began; the caller does.
//
// Invariants:
//   AW1. A signal has a listener exactly while something waits on it here.

/** What is told that its signal fired. */
export interface AbortWait {
	onAbort(reason: unknown): void;
}

interface Watched {
	readonly waits: Set<AbortWait>;
	readonly listener: () => void;
}

export class AbortWaits {
	readonly #bySignal = new WeakMap<AbortSignal, Watched>();

	add(signal: AbortSignal, wait: AbortWait): void {
		const watched = this.#bySignal.get(signal) ?? this.#watch(signal);
		watched.waits.add(wait);
	}

	/** Does nothing for a wait that was told or was removed already. */
	remove(signal: AbortSignal, wait: AbortWait): void {
		const watched = this.#bySignal.get(signal);
		if (watched === undefined || !watched.waits.delete(wait) || watched.waits.size > 0) return;
		// AW1: the last wait takes the listener along; a signal that fired has dropped it itself.
		this.#bySignal.delete(signal);
		signal.removeEventListener("abort", watched.listener);
	}

	#watch(signal: AbortSignal): Watched {
		const waits = new Set<AbortWait>();
		const listener = (): void => {
			this.#bySignal.delete(signal);
			for (const wait of waits) wait.onAbort(signal.reason);
		};
		signal.addEventListener("abort", listener, { once: true });
		const watched = { waits, listener };
		this.#bySignal.set(signal, watched);
		return watched;
	}
}
