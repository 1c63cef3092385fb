// Early starts
//
// Reads of a reply that the model still generates. A call may start once its arguments are complete, if every call of a
// lower index is known, a read, and one that may run beside others: what follows something that changes the world must
// see the changed world, what must have the step alone must not find others in it, and only the closed reply can tell
// what else is asked for. What started early reaches the wave only if admission clears the same call; otherwise it is
// stopped and nobody hears of it but the events.
//
// Owns:      which calls start early, how many at once, and throwing them away.
// Does not:  admit or account anything, or know how one call comes to run (early-call.ts).
//
// Invariants:
//   EA1. A call starts early only if every call of a lower index was offered and is a read that may run beside others.
//   EA2. What was started is taken at most once, by the same index, tool and arguments; everything else is discarded.
//
// A budget of its own: no more early starts at once than calls of a wave, and of those on threads no more than there are
// threads and cores. No admitted call waits for one. Slots are the early starts' own; in the threads' line admitted calls
// go first; and where early starts are at work on every thread, another thread is started for the admitted call rather
// than a read thrown away that will most likely be wanted. Taking a running early start back was the alternative: it would
// buy an admitted call half a core at the price of all that the read had done.

import type { ConcurrentInvoke, ToolMeta } from "../admission/concurrent-invoke.js";
import { sameCall, type ToolCall } from "../core/call.js";
import { isRead } from "../core/effect.js";
import type { DiscardReason } from "../core/events.js";
import { invariant } from "../core/invariant.js";
import type { Invocable } from "../core/invocable.js";
import type { LockKeys } from "../core/lock-keys.js";
import { isThenable } from "../core/thenable.js";
import { CallContext, type CallContextParts, type CallServices } from "../execution/call-context.js";
import { CallEvents } from "../execution/call-events.js";
import type { RunLimits } from "../execution/call-limits.js";
import type { RunningCall } from "../execution/running-call.js";
import { Slots } from "../execution/slots.js";
import { EarlyCall, type EarlyKeys, type Standing } from "./early-call.js";
import { EarlyEvents, type EarlyEventsParts } from "./early-events.js";
import type { WaveCalls } from "./early-measure.js";

export interface EarlyParts extends EarlyEventsParts {
	readonly face: ConcurrentInvoke<unknown>;
	/** Most early starts at once. */
	readonly max: number;
	readonly limits: RunLimits;
	readonly locks: EarlyKeys;
	/** A lineage that one call's keys are held as, below the one that the calls of the reply descend from. */
	readonly newHolder: () => Holder;
	/** What the engine that runs the calls keeps open. */
	readonly openIn: object | undefined;
}

type Holder = NonNullable<CallContextParts["parent"]>;

/** What an early start leaves to the admission of its call. */
export interface EarlyKeyed {
	/** Holds the keys for both runs: the early one, which may be taken, and the one that begins in its place. */
	readonly holder: Holder;
	/** Left out: admission works them out. */
	readonly keys?: LockKeys | PromiseLike<LockKeys> | undefined;
}

interface Startable {
	readonly invocable: Invocable;
	readonly meta: ToolMeta;
}

interface Offered {
	readonly call: ToolCall;
	/** Left out while its turn in index order has not come, where it does not start early, and once it is over. */
	early?: EarlyCall;
	/** Both left out for a call without keys that was to start early. */
	holder?: Holder;
	keys?: EarlyKeyed["keys"];
}

/**
 * The reads of one reply that started before it ended. Made by {@link openAhead}; {@link executeConcurrent} takes it.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface EarlyStarts {
	/** Takes a complete call of the reply: it may start now, if it and every call of a lower index only read. */
	offer(index: number, call: ToolCall): void;
	/** The reply has ended: nothing more starts early. What has started stays until it is taken or discarded. */
	close(): void;
	/** The reply did not end well: throws away everything. */
	discard(reason: DiscardReason): void;
}

export class ReplyAhead implements EarlyStarts {
	readonly #parts: EarlyParts;
	readonly #slots: Slots;
	readonly #watch: CallEvents;
	readonly #calls = new Map<number, Offered>();
	readonly #services: CallServices;
	readonly #events: EarlyEvents;
	/** The lowest index that has not been looked at. */
	#next = 0;
	/** Set once nothing may start early any more. */
	#closed = false;

	constructor(parts: EarlyParts) {
		this.#parts = parts;
		this.#slots = new Slots(parts.max);
		this.#watch = new CallEvents(parts.hub, true);
		this.#events = new EarlyEvents(parts);
		const abandon = (context: CallContext): Promise<never> => this.#abandon(context);
		this.#services = { openIn: parts.openIn, lock: abandon, invokeTool: abandon, interrupt: abandon };
	}

	/** An engine's face must have prepared the call. */
	offer(index: number, call: ToolCall): void {
		const known = this.#calls.get(index);
		if (known !== undefined) {
			// Two different calls at one place: whatever the reply turns out to say, nothing more is started on a guess.
			if (!sameCall(known.call, call)) this.#doubt(known);
			return;
		}
		this.#calls.set(index, { call });
		this.#advance();
	}

	/** What was worked out of the admitted call's keys when it was to start early, whatever became of the start. */
	keyedOf(index: number, call: ToolCall): EarlyKeyed | undefined {
		const offered = this.#calls.get(index);
		if (offered?.holder === undefined || !sameCall(offered.call, call)) return undefined;
		return { holder: offered.holder, keys: offered.early?.keys ?? offered.keys };
	}

	/** The wave is about to ask for the call's keys. */
	keysAsked(index: number): void {
		this.#calls.get(index)?.early?.keysAsked();
	}

	/**
	 * Looks whether the early run of the admitted call still stands, and throws it away if not; the wave holds the call's
	 * keys. A promise only where the tool stamps what it reads by one; it never rejects.
	 */
	look(index: number, call: ToolCall): void | Promise<void> {
		const early = this.#sameAt(index, call);
		if (early === undefined) return;
		const standing = early.look();
		if (isThenable(standing)) return standing.then((found) => this.#judge(early, found));
		this.#judge(early, standing);
	}

	/** The early run of the admitted call, if it was looked at and stands; the caller has it from here on. */
	take(index: number, call: ToolCall, services: CallServices): RunningCall | undefined {
		const early = this.#sameAt(index, call);
		const offered = this.#calls.get(index);
		if (early === undefined || offered === undefined) return undefined;
		invariant(sameCall(early.call, call), "EA2", `the early start at ${index} is not of the call that was admitted`);
		delete offered.early;
		if (!early.isStarted) {
			// Started by the wave like any other call.
			early.throwAway("the reply was closed");
			return undefined;
		}
		const running = early.take(services);
		this.#events.used(early);
		return running;
	}

	close(): void {
		this.#events.replyEnded();
		this.#closed = true;
	}

	/** Throws away whatever was not taken. The reply may still end well; then nothing of it has started. */
	stop(reason: DiscardReason): void {
		this.#closed = true;
		for (const offered of [...this.#calls.values()]) this.#throwAway(offered, reason);
	}

	discard(reason: DiscardReason): void {
		this.close();
		this.stop(reason);
		this.#events.over();
	}

	/** The wave of the reply has ended: throws away what it did not admit. */
	finish(calls: WaveCalls): void {
		this.close();
		this.stop("not the admitted call");
		this.#events.over(calls);
	}

	#advance(): void {
		for (;;) {
			const offered = this.#calls.get(this.#next);
			if (this.#closed || offered === undefined) return;
			const { face } = this.#parts;
			const { call } = offered;
			const index = this.#next;
			this.#next += 1;
			const meta = safely(() => face.metaOf(call));
			if (meta === undefined || !isRead(meta.effect) || meta.isConcurrencySafe === false) {
				this.#closed = true;
				return;
			}
			const invocable = safely(() => face.ahead?.(call));
			if (invocable === undefined) continue;
			this.#begin(index, offered, { invocable, meta });
		}
	}

	#begin(index: number, offered: Offered, { invocable, meta }: Startable): void {
		const { runId, step, limits, clock, newHolder, locks } = this.#parts;
		const { call } = offered;
		const follows = this.#calls.size > index && isRead(meta.effect) && meta.isConcurrencySafe !== false;
		invariant(follows, "EA1", `call ${index} would start early and is no read, or one before it was not offered`);
		const identity = { runId, step, index, callId: call.id, name: call.name, path: [index] };
		const holder = newHolder();
		const early = new EarlyCall({
			index,
			call,
			invocable,
			meta,
			context: new CallContext({ identity, read: true, parent: holder, services: this.#services }),
			limits,
			clock,
			watch: this.#watch,
			keys: locks,
			slots: this.#slots,
			mayStart: (one) => !this.#closed && !this.#meetsAnother(one),
			onStart: () => this.#events.started(),
			onAnswer: (one, outcome) => this.#events.settled(one, outcome),
		});
		offered.early = early;
		if (meta.lockKeys !== undefined) offered.holder = holder;
		this.#events.planned(index, call, meta);
		early.begin();
	}

	#meetsAnother(early: EarlyCall): boolean {
		for (const { early: other } of this.#calls.values()) {
			if (other !== undefined && other !== early && early.meets(other)) return true;
		}
		return false;
	}

	/** The early start at the index, if it is of this very call; one of another call is thrown away. */
	#sameAt(index: number, call: ToolCall): EarlyCall | undefined {
		const offered = this.#calls.get(index);
		if (offered?.early === undefined || sameCall(offered.call, call)) return offered?.early;
		this.#throwAway(offered, "not the admitted call");
		return undefined;
	}

	#judge(early: EarlyCall, standing: Standing): void {
		if (standing === "stands" || standing === "nothing started") return;
		const offered = this.#calls.get(early.index);
		if (offered?.early === early) this.#throwAway(offered, standing);
	}

	// What waits for others, or is a call that somebody must admit, cannot happen before admission: the early run is given
	// up, and the call runs from its beginning once it is admitted.
	#abandon(context: CallContext): Promise<never> {
		const offered = this.#calls.get(context.index);
		if (offered !== undefined) this.#throwAway(offered, "needs admission");
		return Promise.reject(context.signal.reason);
	}

	#doubt(known: Offered): void {
		this.#closed = true;
		this.#throwAway(known, "not the admitted call");
	}

	#throwAway(offered: Offered, reason: DiscardReason): void {
		const { early } = offered;
		if (early === undefined) return;
		delete offered.early;
		offered.keys = early.keys;
		const { isStarted } = early;
		early.throwAway(reason);
		if (isStarted) this.#events.discarded(early, reason);
	}
}

// A face that throws about an early start has its say again at admission, where a throw is that call's outcome.
function safely<Value>(ask: () => Value): Value | undefined {
	try {
		return ask();
	} catch {
		return undefined;
	}
}
