// Step gate
//
// Lets the safe calls of a step run beside each other and a call that is not safe run alone. A call may find out late
// that it is not safe (a middleware rewrote its arguments): it gives up its share and asks for the step again, alone.
//
// Owns:      who is inside, and the order of those who wait.
// Does not:  know calls, limit how many share (slots.ts) or how long anyone waits: whoever is inside has limits of its own.
//
// Invariants:
//   SG1. Inside are any number of shares, or one exclusive and nothing else.
//   SG2. First come, first served: a share asked for after a waiting exclusive goes after it.

import { invariant } from "../core/invariant.js";
import { type AbortWait, AbortWaits } from "../locks/abort-waits.js";
import { LinkedList } from "../locks/linked-list.js";

type Release = () => void;

/** What is inside now. */
type Inside =
	| { readonly kind: "empty" }
	| { readonly kind: "shared"; readonly count: number }
	| { readonly kind: "exclusive" };

interface Waiter extends AbortWait {
	readonly exclusive: boolean;
	readonly signal: AbortSignal | undefined;
	readonly resolve: (release: Release) => void;
	previous: Waiter | undefined;
	next: Waiter | undefined;
}

const EMPTY: Inside = { kind: "empty" };

/**
 * The gate of one step, for code that runs calls of its own: calls that share run beside each other, an exclusive one
 * runs alone.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export class StepGate {
	#inside: Inside = EMPTY;
	readonly #waiting = new LinkedList<Waiter>();
	readonly #aborts = new AbortWaits();

	/**
	 * Waits for a share of the step.
	 *
	 * @returns The function that lets go. It belongs to this share: calling it again does nothing.
	 * @throws The signal's reason, when it aborts before or while waiting; the place in the queue is given up.
	 */
	share(signal?: AbortSignal): Promise<() => void> {
		return this.#enter(false, signal);
	}

	/**
	 * Waits until nobody else is inside. Shares asked for later wait behind it.
	 *
	 * @returns The function that lets go. It belongs to this entry: calling it again does nothing.
	 * @throws The signal's reason, when it aborts before or while waiting; the place in the queue is given up.
	 */
	exclusive(signal?: AbortSignal): Promise<() => void> {
		return this.#enter(true, signal);
	}

	#enter(exclusive: boolean, signal: AbortSignal | undefined): Promise<Release> {
		if (signal?.aborted) return Promise.reject(signal.reason);
		// SG2: nobody goes past those who wait, also where the step would admit it.
		if (this.#waiting.first === undefined && this.#admits(exclusive)) return Promise.resolve(this.#letIn(exclusive));
		return new Promise((resolve, reject) => {
			const onAbort = (reason: unknown): void => {
				this.#waiting.remove(waiter);
				reject(reason);
				// An exclusive one that gave up may have been all that held the shares behind it back.
				this.#admitNext();
			};
			const waiter: Waiter = { exclusive, signal, resolve, onAbort, previous: undefined, next: undefined };
			this.#waiting.add(waiter);
			if (signal !== undefined) this.#aborts.add(signal, waiter);
		});
	}

	#admits(exclusive: boolean): boolean {
		return this.#inside.kind === "empty" || (this.#inside.kind === "shared" && !exclusive);
	}

	#admitNext(): void {
		for (let first = this.#waiting.first; first !== undefined; first = this.#waiting.first) {
			if (!this.#admits(first.exclusive)) return;
			this.#waiting.remove(first);
			if (first.signal !== undefined) this.#aborts.remove(first.signal, first);
			first.resolve(this.#letIn(first.exclusive));
		}
	}

	#letIn(exclusive: boolean): Release {
		invariant(this.#admits(exclusive), "SG1", "a call entered a step that was taken");
		const count = this.#inside.kind === "shared" ? this.#inside.count + 1 : 1;
		this.#inside = exclusive ? { kind: "exclusive" } : { kind: "shared", count };
		let left = false;
		return () => {
			if (left) return;
			left = true;
			this.#leave();
		};
	}

	#leave(): void {
		invariant(this.#inside.kind !== "empty", "SG1", "a call left a step that nobody was in");
		const count = this.#inside.kind === "shared" ? this.#inside.count - 1 : 0;
		this.#inside = count > 0 ? { kind: "shared", count } : EMPTY;
		this.#admitNext();
	}
}
