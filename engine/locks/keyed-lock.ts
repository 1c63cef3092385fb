// Keyed lock
//
// Keeps calls that change the same thing apart. This file is what callers see; the order behind it is lock-table.ts.
//
// Owns:      reading the options, and the two ways to ask: `acquire` for everyone, `request` for the engine, which gets an
//            uncontended hold without a promise.
// Does not:  work out keys (a tool's `lockKeys`), tell what are keys (core/lock-keys.ts) or know files (file-lock-key.ts).

import { type Clock, systemClock } from "../core/clock.js";
import { EngineError } from "../core/errors.js";
import type { KeyBlocker } from "../core/events.js";
import { type KnownFields, strayField } from "../core/known-fields.js";
import { LOCK_MS_DEFAULT, TIMER_MS_MAX } from "../core/limits.js";
import { checkedKeys, type LockKeys } from "../core/lock-keys.js";
import { showValue } from "../core/show-value.js";
import { AbortWaits } from "./abort-waits.js";
import type { Asker, Hold } from "./hold.js";
import { type KeyWatch, KeyWatches } from "./key-watches.js";
import { currentLineage, type Lineage } from "./lineage.js";
import { LockTable } from "./lock-table.js";
import { blockersOf, untilGranted } from "./lock-wait.js";

/**
 * How a caller of {@link KeyedLock.acquire} is known and how long it waits.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface AcquireOptions {
	/** The name that others read when they wait for this holder in vain. */
	readonly holder?: string;
	/**
	 * Longest the caller waits, in milliseconds, from the call of `acquire`. At the limit it gets `LOCK_WAIT_EXPIRED`
	 * and is not let through. Anything over 24.8 days, `Infinity` included, is cut to that: no wait is without a limit.
	 *
	 * @defaultValue the lock's own, 600,000; minimum 1
	 */
	readonly lockMs?: number;
}

/**
 * How {@link KeyedLock.request} is asked.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface LockOptions extends AcquireOptions {
	/** Whose keys are taken again without waiting. Default: that of the code that asks. */
	readonly lineage?: Lineage | undefined;
	/** Gives up the asker's place when it aborts. */
	readonly signal?: AbortSignal | undefined;
}

/**
 * Keys that are held until `release`; a second release does nothing.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface LockGrant {
	/** The keys are held. */
	readonly kind: "granted";
	/** Lets the keys go. */
	release(): void;
}

/**
 * Keys that are waited for.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface LockWaiting {
	/** The keys are waited for. */
	readonly kind: "waiting";
	/** Resolves once the keys are held; rejects with the signal's reason, LOCK_WAIT_EXPIRED or LockCycleError. */
	readonly granted: Promise<LockGrant>;
	/** Who is in the way now, one for each key. */
	blockers(): readonly KeyBlocker[];
}

const ACQUIRE_FIELDS: KnownFields<AcquireOptions> = { holder: true, lockMs: true };

const NO_KEYS: LockGrant = { kind: "granted", release: () => undefined };

/**
 * Locks by key: callers whose keys meet never hold them at the same time, and go in the order they asked.
 *
 * A caller takes its place at all its keys at once, so two callers never wait for each other. Keys may be taken shared
 * (`read`) or exclusively (`write`, or a plain list); readers do not overtake a waiting writer. Inside a tool call, keys
 * that the call or a call around it holds are taken again without waiting, for as long as they are held.
 *
 * @example
 * ```ts
 * const release = await toolLocks.acquire([await fileLockKey('notes.md')], signal);
 * try {
 *   await rewriteNotes();
 * } finally {
 *   release();
 * }
 * ```
 * @remarks Since 0.1.0.
 * @public
 */
export class KeyedLock {
	readonly #watches = new KeyWatches();
	readonly #table = new LockTable(this.#watches);
	readonly #aborts = new AbortWaits();
	readonly #nobody: Asker = { keeper: this.#table, lineage: undefined, holder: undefined };
	readonly #clock: Clock;
	readonly #lockMs: number;

	/**
	 * @param options - `lockMs`: longest a caller waits that does not say so itself, in milliseconds from its asking; 600,000
	 * if left out, 1 at least, 24.8 days at most. `clock`: what the waits are timed by, the system's if left out.
	 * @throws EngineError `INVALID_OPTIONS` for another option, and a `lockMs` that is no number of 1 or more.
	 */
	constructor(options: { readonly lockMs?: number; readonly clock?: Clock } = {}) {
		demandKnown(options, { lockMs: true, clock: true });
		this.#clock = options.clock ?? systemClock;
		this.#lockMs = checkedLockMs(options.lockMs ?? LOCK_MS_DEFAULT);
	}

	/** How many keys are held or waited for. */
	get size(): number {
		return this.#table.size;
	}

	/**
	 * Waits until the caller holds all the keys.
	 *
	 * @param keys - A list is exclusive; a key in both lists is exclusive. No keys are held at once.
	 * @param signal - Gives up the caller's place when it aborts; one that has aborted refuses also free keys.
	 * @returns The function that lets go. It belongs to this grant: calling it again does nothing.
	 * @throws The signal's reason; EngineError `LOCK_WAIT_EXPIRED` naming the holder, `INVALID_OPTIONS`;
	 * {@link LockCycleError} when the wait would close a circle.
	 */
	acquire(keys: LockKeys, signal?: AbortSignal, options?: AcquireOptions): Promise<() => void> {
		const only = options === undefined && signal === undefined ? onlyKey(keys) : undefined;
		// Whoever says nothing but one key, outside every call, is told apart first: there is nothing to read or to refuse.
		if (only !== undefined && currentLineage() === undefined) {
			const hold = this.#table.askOne(this.#nobody, only);
			if (hold.phase === "granted") return promiseOf(hold.release.bind(hold));
			return this.#wait(hold, signal, options).then(() => hold.release.bind(hold));
		}
		return this.#acquireAny(keys, signal, options);
	}

	async #acquireAny(keys: LockKeys, signal?: AbortSignal, options?: AcquireOptions): Promise<() => void> {
		if (options !== undefined) demandKnown(options, ACQUIRE_FIELDS);
		const hold = this.#ask(keys, signal, options);
		if (hold === undefined) return NO_KEYS.release;
		if (hold.phase !== "granted") await this.#wait(hold, signal, options);
		return hold.release.bind(hold);
	}

	/**
	 * The same for the engine: makes a promise only for a wait.
	 *
	 * @param keys - As for `acquire`.
	 * @throws At once what `acquire` rejects with before a wait: the signal's reason, `INVALID_OPTIONS`,
	 * {@link LockCycleError}.
	 */
	request(keys: LockKeys, options: LockOptions = {}): LockGrant | LockWaiting {
		const hold = this.#ask(keys, options.signal, options);
		if (hold === undefined) return NO_KEYS;
		if (hold.phase === "granted") return hold;
		const granted = this.#wait(hold, options.signal, options);
		return { kind: "waiting", granted, blockers: () => blockersOf(hold) };
	}

	/**
	 * Whether the keys would be had without waiting; takes nothing.
	 *
	 * @throws EngineError `INVALID_OPTIONS` for what are no keys.
	 */
	isFree(keys: LockKeys, lineage: Lineage | undefined = currentLineage()): boolean {
		const { write, read } = checkedKeys(keys);
		const free = (exclusive: boolean) => (key: string) => this.#table.isFree(key, exclusive, lineage);
		return write.every(free(true)) && read.every(free(false));
	}

	/**
	 * Watches for exclusive grants of the keys from now on, until it is stopped. Takes nothing and is in nobody's way.
	 *
	 * @throws EngineError `INVALID_OPTIONS` for what are no keys.
	 */
	watch(keys: LockKeys): KeyWatch {
		const { write, read } = checkedKeys(keys);
		return this.#watches.watch([...write, ...read]);
	}

	#ask(keys: LockKeys, signal: AbortSignal | undefined, options: LockOptions | undefined): Hold | undefined {
		if (signal?.aborted) throw signal.reason;
		const asker = this.#askerOf(options?.lineage ?? currentLineage(), options);
		const only = onlyKey(keys);
		if (only !== undefined) return this.#table.askOne(asker, only);
		const { write, read } = checkedKeys(keys);
		return this.#table.ask(asker, write, read);
	}

	#askerOf(lineage: Lineage | undefined, options: LockOptions | undefined): Asker {
		if (options?.lockMs !== undefined) checkedLockMs(options.lockMs);
		return { keeper: this.#table, lineage, holder: options?.holder };
	}

	#wait(hold: Hold, signal: AbortSignal | undefined, options: LockOptions | undefined): Promise<Hold> {
		// A timer holds no more than this, and every wait has a limit, also one that was asked to have none.
		const lockMs = Math.min(options?.lockMs ?? this.#lockMs, TIMER_MS_MAX);
		return untilGranted(hold, { clock: this.#clock, aborts: this.#aborts, signal, lockMs });
	}
}

function checkedLockMs(lockMs: number): number {
	if (typeof lockMs === "number" && lockMs >= 1) return lockMs;
	const problem = `lockMs is ${showValue(lockMs)}, not a number of 1 or more`;
	throw new EngineError("INVALID_OPTIONS", { action: "lock keys", problem });
}

// A promise looks for a `then` in what it is resolved with, along all its prototypes, unless V8 knows what kind of object
// that is. Reading a method makes it known: a quarter of an uncontended acquire.
function promiseOf(release: () => void): Promise<() => void> {
	void release.call;
	return Promise.resolve(release);
}

// The usual case, told apart first because reading keys in general costs as much as having them.
function onlyKey(keys: LockKeys): string | undefined {
	if (!Array.isArray(keys) || keys.length !== 1) return undefined;
	const only: unknown = keys[0];
	return typeof only === "string" ? only : undefined;
}

function demandKnown<Options extends object>(given: Options, known: KnownFields<Options>): void {
	const problem = strayField(given, known);
	if (problem !== undefined) throw new EngineError("INVALID_OPTIONS", { action: "lock keys", problem });
}
