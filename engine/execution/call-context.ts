// Call context
//
// The host's side of a tool's context, made for every call; so whatever costs (the signal, the lineage) is made on first
// use.
//
// Owns:      the stop flag and the signal, the hand-over of progress, what the call took with `lock`, whether it has asked,
//            its slot as what it makes of calls sees it.
// Does not:  carry any of it to a thread (workers/host-link.ts), hold keys (locks/) or run calls (wave/nested-calls.ts).
//
// Invariants:
//   CC1. Once the call's work has ended, nothing can be asked of its context, and once the calls that it made have ended
//        too, nothing is held through it.
//   CC2. A call that has asked takes nothing and calls nothing until it runs again; all it may do is ask more.

import { setMaxListeners } from "node:events";
import { type CallMemory, newMemory } from "../core/call-record.js";
import { INVOKED_ON_THREAD, type InvokedCall, type ServesThreads } from "../core/invoked-on-thread.js";
import { copyJson, type JsonValue } from "../core/json-value.js";
import type { LockKeys } from "../core/lock-keys.js";
import { CallPaused } from "../core/pause.js";
import { heard } from "../core/thenable.js";
import type { ToolContext, ToolValue } from "../core/tool-context.js";
import type { LockGrant } from "../locks/keyed-lock.js";
import { isWaiting, type Lineage, type LineageCall, newLineage } from "../locks/lineage.js";
import type { CallIdentity } from "./call-identity.js";
import { CallSlot } from "./call-slot.js";
import { MadeCalls } from "./made-calls.js";
import type { SlotSource } from "./slots.js";

/** What a call may ask of whoever runs it. */
export interface CallServices {
	/** What the engine that runs the call keeps open; tells one engine from another. */
	readonly openIn: object | undefined;
	lock(context: CallContext, keys: LockKeys): Promise<LockGrant>;
	invokeTool(context: CallContext, call: InvokedCall): Promise<ToolValue>;
	/** Registers the question, or rejects because nobody can be asked. */
	interrupt(context: CallContext, question: JsonValue, number: number): Promise<never>;
}

export interface CallContextParts {
	readonly identity: CallIdentity;
	/** Whether the call only reads. */
	readonly read: boolean;
	/** The lineage of the call that this one is nested in. */
	readonly parent: Lineage | undefined;
	readonly services: CallServices;
	/** What it kept of its runs before this one. */
	readonly memory?: CallMemory | undefined;
}

type Standing =
	| { readonly kind: "going" }
	| { readonly kind: "stopped"; readonly reason: unknown }
	| { readonly kind: "ended" };

const GOING: Standing = { kind: "going" };
const ENDED: Standing = { kind: "ended" };
/** What of the call runs, as far as its context must tell it something. */
export interface ContextOwner {
	progressed(update: JsonValue): void;
	/** The call waits for one that it made, so that its silence says nothing; or does so no more. */
	waitsForOwn(isWaiting: boolean): void;
	/** The call has no slot, because something of it waits for keys; or it has one again. */
	away(isAway: boolean): void;
}

export class CallContext implements ToolContext, ServesThreads, LineageCall {
	readonly #identity: CallIdentity;
	readonly #read: boolean;
	readonly #parent: Lineage | undefined;
	#services: CallServices;
	/** Set by the running call. */
	running: ContextOwner | undefined;
	/** Told of keys taken with `lock`, where somebody must know them all. */
	onTook: ((keys: LockKeys) => void) | undefined;
	#standing: Standing = GOING;
	#lineage: Lineage | undefined;
	#controller: AbortController | undefined;
	#grants: Set<LockGrant> | undefined;
	#memory: CallMemory | undefined;
	/** How many times the call has asked in this run of it. */
	#interrupts = 0;
	#hasAsked = false;
	#made: MadeCalls | undefined;
	/** Where the slot is from that the call runs with. */
	#slots: SlotSource | undefined;
	#slot: CallSlot | undefined;

	constructor(parts: CallContextParts) {
		const { identity, read, parent, services, memory } = parts;
		this.#identity = identity;
		this.#read = read;
		this.#parent = parent;
		this.#services = services;
		this.#memory = memory;
	}

	get identity(): CallIdentity {
		return this.#identity;
	}

	get read(): boolean {
		return this.#read;
	}

	get services(): CallServices {
		return this.#services;
	}

	/** An early start that became an admitted call asks its wave from here on. */
	servedBy(services: CallServices): void {
		this.#services = services;
	}

	get callId(): string {
		return this.identity.callId;
	}

	get runId(): string {
		return this.identity.runId;
	}

	get index(): number {
		return this.identity.index;
	}

	get idempotencyKey(): string {
		const { runId, step, path } = this.identity;
		return `${runId}/${step}/${path.join(".")}`;
	}

	/** What the call's keys are held as, and what its own calls descend from. */
	get lineage(): Lineage {
		this.#lineage ??= newLineage(this.#parent, this);
		return this.#lineage;
	}

	get signal(): AbortSignal {
		if (this.#controller === undefined) {
			this.#controller = new AbortController();
			// Each call that this one makes listens while it runs, and a tool may make any number at once.
			setMaxListeners(0, this.#controller.signal);
			if (this.#standing.kind === "stopped") this.#controller.abort(this.#standing.reason);
		}
		return this.#controller.signal;
	}

	/** Made on first use: most calls make none, and wait for no keys while they run. */
	get slot(): CallSlot | undefined {
		if (this.#slots === undefined) return undefined;
		this.#slot ??= new CallSlot({
			source: this.#slots,
			isWaiting: () => isWaiting(this.#lineage),
			onAway: (isAway) => this.running?.away(isAway),
		});
		return this.#slot;
	}

	/** The call runs with a slot from there, from now until it leaves it. */
	runsIn(slots: SlotSource): void {
		this.#slots = slots;
		// An early start, or code that told the keys, may wait for some already.
		if (isWaiting(this.#lineage)) this.onWaiting();
	}

	/** The call was answered. Gives whether it has its slot. */
	leaveSlot(): boolean {
		const isHeld = this.#slot?.leave() ?? true;
		this.#slots = undefined;
		return isHeld;
	}

	onWaiting(): void {
		// Later, because whoever is given the slot may come to the lock that tells this.
		if (this.#slots !== undefined) queueMicrotask(() => this.slot?.look());
	}

	/** Made on first use: most calls neither ask nor have asked. */
	get memory(): CallMemory {
		this.#memory ??= newMemory();
		return this.#memory;
	}

	/** What it kept, where it kept anything. */
	get remembered(): CallMemory | undefined {
		return this.#memory;
	}

	/** Whether the call, or one that it made, has asked a person and must run again. */
	get hasAsked(): boolean {
		return this.#hasAsked;
	}

	get hasEnded(): boolean {
		return this.#standing.kind === "ended";
	}

	// Bound functions and not methods, because tools take the context apart: `execute: (args, { cancelled }) => ...`.
	get cancelled(): () => boolean {
		return () => this.#standing.kind !== "going";
	}

	get progress(): (update: JsonValue) => void {
		return (update) => {
			if (this.hasEnded) return;
			const copied = copyJson(update);
			if (!copied.ok) throw new TypeError(`A progress update is not data at ${copied.path}: ${copied.problem}.`);
			this.running?.progressed((copied.value ?? null) as JsonValue);
		};
	}

	get lock(): (keys: LockKeys) => Promise<() => void> {
		return heard(async (keys) => {
			this.#demandGoing("take keys");
			this.#demandNotAsked();
			const grant = await this.services.lock(this, keys);
			// CC1: the work may have ended while the keys were waited for.
			if (this.hasEnded) grant.release();
			this.#demandGoing("take keys");
			this.onTook?.(keys);
			this.#grants ??= new Set();
			this.#grants.add(grant);
			return () => {
				this.#grants?.delete(grant);
				grant.release();
			};
		});
	}

	get invokeTool(): (name: string, args: unknown) => Promise<ToolValue> {
		return heard((name, args) => this[INVOKED_ON_THREAD]({ name, args }));
	}

	async [INVOKED_ON_THREAD](call: InvokedCall): Promise<ToolValue> {
		this.#demandGoing("invoke a tool");
		this.#demandNotAsked();
		this.#made ??= new MadeCalls((isWaiting) => this.running?.waitsForOwn(isWaiting));
		return this.#made.during(this.services.invokeTool(this, call));
	}

	get interrupt(): (question: JsonValue) => Promise<JsonValue> {
		return heard((question) => this.#interrupt(question));
	}

	// Until the first wait it runs at once, so that questions are numbered and registered in the order they are asked.
	async #interrupt(question: JsonValue): Promise<JsonValue> {
		this.#demandGoing("ask a person");
		const copied = copyJson(question);
		if (!copied.ok) throw new TypeError(`A question is not data at ${copied.path}: ${copied.problem}.`);
		this.#interrupts += 1;
		const answer = this.#memory?.answers[this.#interrupts];
		if (answer !== undefined) return structuredClone(answer);
		return this.services.interrupt(this, (copied.value ?? null) as JsonValue, this.#interrupts);
	}

	/** The call has asked; the result is what unwinds it. */
	pause(): CallPaused {
		this.#hasAsked = true;
		return new CallPaused();
	}

	/** Resolves once no call that this one made runs any more; nothing where none does. */
	whenQuiet(): Promise<void> | undefined {
		return this.#made?.whenQuiet();
	}

	/** Tells the tool to stop, and the calls that it made. The first reason stands. */
	stop(reason: unknown): void {
		if (this.#standing.kind === "stopped" || (this.hasEnded && this.#made?.isQuiet !== false)) return;
		if (!this.hasEnded) this.#standing = { kind: "stopped", reason };
		this.#controller?.abort(reason);
		this.#slot?.stop();
	}

	/** CC1: the call's own work has ended; calls that it made may still run. */
	close(): void {
		this.#standing = ENDED;
	}

	/** Nothing of the call's work runs any more. */
	end(): void {
		this.#standing = ENDED;
		for (const grant of this.#grants ?? []) grant.release();
		this.#grants = undefined;
	}

	// CC2: what a call did after its question it would do again in its next run.
	#demandNotAsked(): void {
		if (this.#hasAsked) throw new CallPaused();
	}

	#demandGoing(action: string): void {
		if (this.hasEnded) throw new Error(`Could not ${action}: the call ${this.identity.name} has ended.`);
	}
}
