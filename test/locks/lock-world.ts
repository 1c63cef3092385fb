// Lock world
//
// A lock beside a plain list of who asked for what. The list knows nothing of queues: it says, by looking at every pair,
// what must be true of a lock at any moment.
//
// Owns:      one step at a time on the real lock, and the checks after it.
// Does not:  choose the steps (the tests do).

import { type Clock, systemClock } from "../../engine/core/clock.js";
import { isEngineError } from "../../engine/core/errors.js";
import { LOCK_MS_DEFAULT } from "../../engine/core/limits.js";
import type { LockGrant } from "../../engine/locks/keyed-lock.js";
import { KeyedLock } from "../../engine/locks/keyed-lock.js";
import { isWithin, type Lineage, newLineage } from "../../engine/locks/lineage.js";

/** A clock whose timers fire within `pass`, without a turn of the event loop: hundreds of thousands of steps need that. */
class StepClock implements Clock {
	#nowMs = 0;
	readonly timers = new Map<() => void, number>();

	readonly now = (): number => this.#nowMs;
	readonly monotonicMs = this.now;
	readonly nextTurn = systemClock.nextTurn;
	readonly newId = systemClock.newId;

	setTimer(callback: () => void, delayMs: number): () => void {
		this.timers.set(callback, this.#nowMs + delayMs);
		return () => void this.timers.delete(callback);
	}

	tick(): void {
		this.#nowMs += 1;
		for (const [callback, dueMs] of this.timers) {
			if (dueMs > this.#nowMs) continue;
			this.timers.delete(callback);
			callback();
		}
	}
}

// Plain throws: a check of vitest's costs more than the step it checks.
function must(holds: boolean, what: () => string): void {
	if (!holds) throw new Error(what());
}

/** The first and third share a slot of the table of keys. */
export const KEYS = ["a", "b", "i", "d"];

const LISTS = Array.from({ length: 1 << KEYS.length }, (_, bits) => KEYS.filter((_key, bit) => bits & (1 << bit)));

export interface Asking {
	readonly lineage: number;
	/** Keys as bits of {@link KEYS}. */
	readonly write: number;
	readonly read: number;
	readonly lockMs: number;
	/** Whether it waits on the signal that all such share until that is aborted. */
	readonly shares: boolean;
}

interface Asked {
	readonly order: number;
	readonly lineage: Lineage | undefined;
	readonly write: number;
	readonly read: number;
	/** None for one that asked without a signal. */
	readonly abort: AbortController | undefined;
	readonly dueMs: number;
	state: "held" | "waiting" | "over";
	grant: LockGrant | undefined;
}

export interface Counts {
	granted: number;
	waited: number;
	aborted: number;
	expired: number;
	circles: number;
	nested: number;
	stale: number;
	/** Free keys that were taken without a word. */
	taken: number;
}

export class LockWorld {
	readonly clock = new StepClock();
	readonly lock = new KeyedLock({ clock: this.clock });
	readonly counts: Counts = {
		granted: 0,
		waited: 0,
		aborted: 0,
		expired: 0,
		circles: 0,
		nested: 0,
		stale: 0,
		taken: 0,
	};
	/** Calls that nested ones may descend from; the first is code outside every call. */
	readonly lineages: (Lineage | undefined)[] = [undefined];
	readonly #all: Asked[] = [];
	readonly #ended: Asked[] = [];
	/** Failed checks of what a promise told; thrown at the next step. */
	readonly #faults: unknown[] = [];
	#orders = 0;
	#shared = new AbortController();

	/** How many hold or wait. */
	get alive(): number {
		return this.#all.length;
	}

	get held(): Asked[] {
		return this.#all.filter((one) => one.state === "held");
	}

	get waiting(): Asked[] {
		return this.#all.filter((one) => one.state === "waiting");
	}

	call(parent: number): void {
		if (this.lineages.length > 8) this.lineages.splice(1, 1);
		this.lineages.push(newLineage(this.lineages[parent % this.lineages.length]));
	}

	ask(asking: Asking): void {
		const lineage = this.lineages[asking.lineage % this.lineages.length];
		const { write } = asking;
		const read = asking.read & ~write;
		if (this.#shared.signal.aborted) this.#shared = new AbortController();
		const abort = asking.shares ? this.#shared : new AbortController();
		const dueMs = this.clock.now() + asking.lockMs;
		const grant = undefined;
		const one: Asked = { order: this.#orders++, lineage, write, read, abort, dueMs, state: "waiting", grant };
		const nested = this.held.some((held) => isWithin(lineage, held.lineage));
		if (nested) this.counts.nested += 1;
		const before = this.waiting;
		const overtaken = (): Asked[] => before.filter((other) => meets(one, other) && !this.#waitsFor(other, one));
		const unfairly = overtaken();
		try {
			const options = { signal: abort.signal, lockMs: asking.lockMs, holder: `h${one.order}`, lineage };
			const answer = this.lock.request({ write: LISTS[write] ?? [], read: LISTS[asking.read] ?? [] }, options);
			this.#all.push(one);
			if (answer.kind === "granted") {
				must(unfairly.length === 0, () => `h${one.order} overtook h${unfairly[0]?.order}, which does not wait for it`);
				this.#grant(one, answer);
			} else {
				this.counts.waited += 1;
				const told = answer.granted.then(
					(late) => this.#grant(one, late),
					(error) => this.#fail(one, error),
				);
				told.catch((fault) => this.#faults.push(fault));
			}
		} catch (error) {
			if (!isEngineError(error) || error.errorCode !== "TOOL_LOCK_CYCLE") throw error;
			this.counts.circles += 1;
			must(this.#waitsFor(one, one), () => `h${one.order} failed as a circle and closes none`);
		}
	}

	/** Asks for one key as code outside every call does: without a word, and with a promise also for a free key. */
	take(pick: number): void {
		const at = pick % KEYS.length;
		const dueMs = this.clock.now() + LOCK_MS_DEFAULT;
		const asked = { order: this.#orders++, lineage: undefined, write: 1 << at, read: 0, dueMs };
		const one: Asked = { ...asked, abort: undefined, state: "waiting", grant: undefined };
		this.counts[this.#all.some((other) => meets(one, other)) ? "waited" : "taken"] += 1;
		this.#all.push(one);
		const told = this.lock.acquire(LISTS[one.write] ?? []).then(
			(release) => this.#grant(one, { kind: "granted", release }),
			(error) => this.#fail(one, error),
		);
		told.catch((fault) => this.#faults.push(fault));
	}

	release(pick: number): void {
		const held = this.held;
		const one = held[pick % held.length];
		if (one === undefined) return;
		one.state = "over";
		one.grant?.release();
		this.#ended.push(one);
		this.#all.splice(this.#all.indexOf(one), 1);
	}

	tick(): void {
		this.clock.tick();
	}

	releaseAgain(pick: number): void {
		const one = this.#ended[pick % this.#ended.length];
		if (one === undefined) return;
		this.counts.stale += 1;
		one.grant?.release();
	}

	abort(pick: number): void {
		const waiting = this.waiting.filter((one) => one.abort !== undefined);
		const one = waiting[pick % waiting.length];
		one?.abort?.abort(new Error("enough"));
	}

	check(): void {
		if (this.#faults.length > 0) throw this.#faults[0];
		const { held, waiting } = this;
		for (const [place, one] of held.entries()) {
			for (const other of held.slice(0, place)) {
				if (!meets(one, other)) continue;
				const related = isWithin(one.lineage, other.lineage) || isWithin(other.lineage, one.lineage);
				must(related, () => `h${one.order} and h${other.order} hold a key at once`);
			}
		}
		for (const one of waiting) {
			must(
				this.#all.some((other) => this.#isInTheWay(one, other)),
				() => `h${one.order} waits for nobody`,
			);
			must(one.dueMs > this.clock.now(), () => `h${one.order} waits past its limit`);
		}
		if (this.lineages.length === 1) this.#checkExactly();
		if (waiting.length > 0) {
			const free = held.filter((one) => !waiting.some((other) => isWithin(other.lineage, one.lineage)));
			must(free.length > 0, () => "every holder waits for another");
		}
		must(this.clock.timers.size === waiting.length, () => "a timer is left of a wait that ended");
		let used = 0;
		for (const one of this.#all) used |= one.write | one.read;
		const keys = LISTS[used]?.length;
		must(this.lock.size === keys, () => `${this.lock.size} keys have an entry, ${keys} are in use`);
	}

	// Without nested calls the whole state follows from the order of asking: behind nobody it meets, or waiting.
	#checkExactly(): void {
		for (const one of this.#all) {
			const behind = this.#all.some((other) => other.order < one.order && meets(one, other));
			must(
				one.state === (behind ? "waiting" : "held"),
				() => `h${one.order} is ${one.state}, behind somebody: ${behind}`,
			);
		}
	}

	#grant(one: Asked, grant: LockGrant): void {
		if (one.state === "over") return;
		must(one.abort?.signal.aborted !== true, () => `h${one.order} was granted although it was aborted`);
		this.counts.granted += 1;
		one.state = "held";
		one.grant = grant;
	}

	#fail(one: Asked, error: unknown): void {
		this.#all.splice(this.#all.indexOf(one), 1);
		one.state = "over";
		if (isEngineError(error) && error.code === "LOCK_WAIT_EXPIRED") {
			this.counts.expired += 1;
			must(one.dueMs === this.clock.now(), () => `h${one.order} expired at ${this.clock.now()}, not ${one.dueMs}`);
			must(/is still kept by (h\d+|a holder without a name)/.test(error.message), () => error.message);
		} else if (isEngineError(error)) {
			must(error.code === "TOOL_LOCK_CYCLE", () => error.message);
			this.counts.circles += 1;
		} else {
			this.counts.aborted += 1;
			must(error === one.abort?.signal.reason, () => String(error));
		}
	}

	// One that waits may be behind holders that are no calls of its own lineage, and behind whoever asked before it or may
	// overtake it.
	#isInTheWay(one: Asked, other: Asked): boolean {
		if (other === one || !meets(one, other)) return false;
		if (other.state === "held") return !isWithin(one.lineage, other.lineage);
		return other.order < one.order || other.lineage !== undefined;
	}

	#waitsFor(start: Asked, target: Asked): boolean {
		const seen = new Set<Asked>([start]);
		for (const one of seen) {
			for (const other of this.#all) {
				if (!this.#isInTheWay(one, other)) continue;
				if (other.state === "held" && isWithin(target.lineage, other.lineage)) return true;
				const next = other.state === "held" ? this.waiting.filter((w) => isWithin(w.lineage, other.lineage)) : [other];
				for (const further of next) seen.add(further);
			}
		}
		return false;
	}
}

function meets(one: Asked, other: Asked): boolean {
	return ((one.write & (other.write | other.read)) | (one.read & other.write)) !== 0;
}
