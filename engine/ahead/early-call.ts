// Early call
//
// One read on its way to running before its reply has ended. It asks for nothing that an admitted call may want: it waits
// for a slot of the early starts alone, takes no lock, and starts only if its keys are free at that moment. What it saw
// may move before it is admitted; so its keys are watched and what it reads is stamped, both from before its start.
//
//   offered ──▶ waiting ──▶ stamping ──▶ started ──▶ taken
//                  └───────────┴────────────┴──────▶ thrown away, or never started
//
// Owns:      that sequence for one call, its keys, its watch and its stamps.
// Does not:  choose which calls start early, or tell anyone (early-starts.ts).
//
// Invariants:
//   EC1. Keys are worked out once; admission gets what an early start worked out.
//   EC2. Before a run is taken its keys were seen untouched and its stamp unmoved, in that order.

import type { ToolMeta } from "../admission/concurrent-invoke.js";
import type { ToolCall } from "../core/call.js";
import type { Clock } from "../core/clock.js";
import { invariant } from "../core/invariant.js";
import type { Invocable } from "../core/invocable.js";
import { DISCARDED_GRACE_MS_MAX } from "../core/limits.js";
import { checkedKeys, type LockKeys } from "../core/lock-keys.js";
import type { Outcome } from "../core/outcome.js";
import { isThenable } from "../core/thenable.js";
import type { CallContext, CallServices } from "../execution/call-context.js";
import type { CallEvents } from "../execution/call-events.js";
import type { RunLimits } from "../execution/call-limits.js";
import { ASKED, RunningCall } from "../execution/running-call.js";
import type { Slots } from "../execution/slots.js";
import { keysMeet } from "./keys-meet.js";
import { type Stamp, stampOf } from "./stamp.js";

/** The locks, as far as a call that takes none needs them. */
export interface EarlyKeys {
	/** Whether the keys would be had without waiting. */
	isFree(keys: LockKeys, lineage: CallContext["lineage"]): boolean;
	/** Tells afterwards whether any of the keys was granted exclusively since. */
	watch(keys: LockKeys): { readonly changed: boolean; stop(): void };
}

export interface EarlyCallParts {
	readonly index: number;
	readonly call: ToolCall;
	readonly invocable: Invocable;
	readonly meta: ToolMeta;
	readonly context: CallContext;
	readonly limits: RunLimits;
	readonly clock: Clock;
	readonly watch: CallEvents;
	readonly keys: EarlyKeys;
	/** Those of the early starts. */
	readonly slots: Slots;
	/** Asked last, holding a slot. */
	readonly mayStart: (early: EarlyCall) => boolean;
	/** Told right before the run begins, and once it is answered while it is still the early starts'. */
	readonly onStart: (early: EarlyCall) => void;
	readonly onAnswer: (early: EarlyCall, outcome: Outcome) => void;
}

type Phase =
	| { readonly kind: "waiting" }
	| { readonly kind: "stamping" }
	/** `looked`: everything it saw was looked at again for admission, and stood. */
	| { readonly kind: "started"; readonly stamp: Stamp; readonly looked: boolean }
	| { readonly kind: "gone" };

const GONE: Phase = { kind: "gone" };

export class EarlyCall {
	readonly running: RunningCall;
	readonly #parts: EarlyCallParts;
	#phase: Phase = { kind: "waiting" };
	#keys: LockKeys | PromiseLike<LockKeys> | undefined;
	/** The keys, once they are known. */
	#known: LockKeys | undefined;
	#keyWatch: ReturnType<EarlyKeys["watch"]> | undefined;
	#holdsSlot = false;

	constructor(parts: EarlyCallParts) {
		this.#parts = parts;
		const { call, invocable, context, meta, limits, clock, watch } = parts;
		const own = { ...limits, toolMs: meta.timeoutMs ?? limits.toolMs };
		this.running = new RunningCall({ call, invocable, context, read: true, limits: own, clock, watch });
	}

	get index(): number {
		return this.#parts.index;
	}

	get call(): ToolCall {
		return this.#parts.call;
	}

	get isStarted(): boolean {
		return this.#phase.kind === "started";
	}

	/** EC1: nothing where they were not asked for, or could not be told: then admission asks, and gets the failure. */
	get keys(): LockKeys | PromiseLike<LockKeys> | undefined {
		return this.#keys;
	}

	/** Whether it and another early start would, as admitted calls, hold their keys one after the other. */
	meets(other: EarlyCall): boolean {
		const isAtWork = other.isStarted && other.running.answer === undefined;
		return isAtWork && keysMeet(this.#known, other.#known);
	}

	/** Works out the keys and goes for a slot. */
	begin(): void {
		const { meta, context } = this.#parts;
		if (meta.lockKeys === undefined) {
			this.#goForSlot();
			return;
		}
		try {
			const keys = meta.lockKeys(context);
			this.#keys = keys;
			if (isThenable(keys))
				void Promise.resolve(keys).then(
					(known) => this.#keysKnown(known),
					() => this.#forgetKeys(),
				);
			else this.#keysKnown(keys);
		} catch {
			this.#forgetKeys();
		}
	}

	/** The wave is about to ask for the keys. From then on its own grant is no reason to run again. */
	keysAsked(): void {
		const { keys, context } = this.#parts;
		if (this.#keyWatch === undefined || this.#known === undefined || this.#keyWatch.changed) return;
		// Free keys are granted at once, so nobody can come in between. Keys that are waited for stay watched; then the wave's
		// own exclusive grant counts as well, and the call runs again for nothing rather than once too seldom.
		if (keys.isFree(this.#known, context.lineage)) this.#keyWatch.stop();
	}

	/** Whether what the run saw still stands; the wave holds the call's keys. */
	look(): Standing | Promise<Standing> {
		const phase = this.#phase;
		if (phase.kind !== "started") return "nothing started";
		if (this.#keyWatch?.changed) return "keys were granted";
		const { meta, clock } = this.#parts;
		if (meta.observed === undefined) return this.#looked(phase.stamp);
		const now = stampOf(meta.observed, clock);
		return isThenable(now) ? now.then((stamp) => this.#looked(stamp)) : this.#looked(now);
	}

	/** The run is the admitted call's from here on. */
	take(services: CallServices): RunningCall {
		const phase = this.#phase;
		invariant(phase.kind === "started" && phase.looked, "EC2", `call ${this.index} was taken unseen (${phase.kind})`);
		this.#end();
		this.#parts.context.servedBy(services);
		this.running.admitted();
		return this.running;
	}

	/** It is not wanted any more: stops its work, if it has any, and gives its slot back at once. */
	throwAway(why: string): void {
		const wasStarted = this.isStarted;
		this.#end();
		if (!wasStarted) return;
		const graceMs = Math.min(this.#parts.limits.graceMs, DISCARDED_GRACE_MS_MAX);
		this.running.abort(new DOMException(`The early start was discarded: ${why}`, "AbortError"), graceMs);
	}

	#keysKnown(known: LockKeys): void {
		try {
			checkedKeys(known);
		} catch {
			// What are no keys cannot be compared with others'; admission gets them too, and tells.
			this.#end();
			return;
		}
		this.#known = known;
		this.#goForSlot();
	}

	#forgetKeys(): void {
		this.#keys = undefined;
		this.#end();
	}

	#goForSlot(): void {
		if (this.#phase.kind !== "waiting") return;
		const granted = (): void => {
			this.#holdsSlot = true;
			this.#stamp();
		};
		if (this.#parts.slots.take(granted)) granted();
	}

	#stamp(): void {
		const { meta, clock, keys, context, mayStart } = this.#parts;
		if (this.#phase.kind !== "waiting" || !mayStart(this)) {
			this.#end();
			return;
		}
		if (this.#known !== undefined && !this.#watchKeys(this.#known, keys, context)) return;
		if (meta.observed === undefined) {
			this.#start(undefined);
			return;
		}
		// Stamped first and started then: a stamp from during the run would vouch for what the run had not read.
		this.#phase = { kind: "stamping" };
		const stamp = stampOf(meta.observed, clock);
		if (isThenable(stamp)) void stamp.then((seen) => this.#startStamped(seen));
		else this.#startStamped(stamp);
	}

	#watchKeys(known: LockKeys, keys: EarlyKeys, context: CallContext): boolean {
		try {
			// Nothing runs between the question and the watch.
			if (keys.isFree(known, context.lineage)) {
				this.#keyWatch = keys.watch(known);
				return true;
			}
		} catch {
			// A list that was changed since, and is none of keys any more, is told at admission.
		}
		this.#end();
		return false;
	}

	#startStamped(stamp: Stamp): void {
		if (this.#phase.kind !== "stamping") return;
		if (stamp === undefined || this.#keyWatch?.changed || !this.#parts.mayStart(this)) this.#end();
		else this.#start(stamp);
	}

	#start(stamp: Stamp): void {
		const { onStart, onAnswer } = this.#parts;
		this.#phase = { kind: "started", stamp, looked: false };
		this.running.onAnswer((answer) => {
			this.#leaveSlot();
			// A question before admission abandons the start, and one after it is the wave's to hear.
			if (this.isStarted && answer !== ASKED) onAnswer(this, answer);
		});
		onStart(this);
		this.running.start();
	}

	#looked(now: Stamp): Standing {
		const phase = this.#phase;
		if (phase.kind !== "started") return "nothing started";
		if (now !== phase.stamp) return "what it read moved";
		this.#phase = { ...phase, looked: true };
		return "stands";
	}

	#end(): void {
		this.#phase = GONE;
		this.#keyWatch?.stop();
		this.#leaveSlot();
	}

	#leaveSlot(): void {
		if (!this.#holdsSlot) return;
		this.#holdsSlot = false;
		this.#parts.slots.give();
	}
}

/** How an early start stands at its admission. */
export type Standing = "stands" | "nothing started" | "keys were granted" | "what it read moved";
