// Lock wait
//
// What a hold costs more because it has to wait: a promise, a timer for its limit and an ear for its signal. All three
// end together, on whichever way the wait ends.
//
// Owns:      the three, and the error at the limit.
// Does not:  decide who goes next (lock-table.ts).

import type { Clock } from "../core/clock.js";
import { EngineError } from "../core/errors.js";
import type { KeyBlocker } from "../core/events.js";
import type { AbortWait, AbortWaits } from "./abort-waits.js";
import type { Hold, Place, Wait } from "./hold.js";

export interface LockWaitParts {
	readonly clock: Clock;
	readonly aborts: AbortWaits;
	readonly signal: AbortSignal | undefined;
	readonly lockMs: number;
}

interface Settle {
	readonly resolve: (hold: Hold) => void;
	readonly reject: (reason: unknown) => void;
}

/** Resolves to the waiting hold once it is granted; rejects when it fails, with the signal's reason after an abort. */
export function untilGranted(hold: Hold, parts: LockWaitParts): Promise<Hold> {
	return new Promise((resolve, reject) => {
		hold.wait = new LockWait(hold, parts, { resolve, reject });
	});
}

class LockWait implements Wait, AbortWait {
	readonly #hold: Hold;
	readonly #parts: LockWaitParts;
	readonly #settle: Settle;
	readonly #cancelTimer: () => void;

	constructor(hold: Hold, parts: LockWaitParts, settle: Settle) {
		this.#hold = hold;
		this.#parts = parts;
		this.#settle = settle;
		this.#cancelTimer = parts.clock.setTimer(() => this.#expire(), parts.lockMs);
		if (parts.signal !== undefined) parts.aborts.add(parts.signal, this);
	}

	get isAborted(): boolean {
		return this.#parts.signal?.aborted === true;
	}

	granted(): void {
		this.#stop();
		this.#settle.resolve(this.#hold);
	}

	failed(reason: unknown): void {
		this.#stop();
		this.#settle.reject(reason);
	}

	onAbort(reason: unknown): void {
		this.#hold.keeper.giveUp(this.#hold, reason);
	}

	#stop(): void {
		const { signal, aborts } = this.#parts;
		this.#cancelTimer();
		if (signal !== undefined) aborts.remove(signal, this);
		this.#hold.wait = undefined;
	}

	#expire(): void {
		const kept = blockersOf(this.#hold).map(({ key, holder }) => `${JSON.stringify(key)} is still kept by ${holder}`);
		const problem = `after ${this.#parts.lockMs} ms ${kept.join(", ")}`;
		this.#hold.keeper.giveUp(
			this.#hold,
			new EngineError("LOCK_WAIT_EXPIRED", { action: "get the lock keys", problem }),
		);
	}
}

/** The first in the way at each key the hold is blocked at. */
export function blockersOf(hold: Hold): readonly KeyBlocker[] {
	const blockers: KeyBlocker[] = [];
	for (let place: Place | undefined = hold; place !== undefined; place = place.sibling) {
		if (place.state !== "blocked" || place.meeting === undefined) continue;
		for (const blocker of place.meeting.inTheWay(place)) {
			blockers.push({ key: place.key, holder: blocker.name });
			break;
		}
	}
	return blockers;
}
