// Wave state
//
// What the stages of one wave share: where each call stands, the accountant, the slots, and the one thing that can end
// a wave early.
//
// Owns:      the halt, the abort listener, the settling of a call, the wave's result.
// Does not:  admit or run (admit-segment.ts, execute-segment.ts).
//
// Invariants:
//   T1. A wave adds one listener to the host's signal and takes it away when it ends, however it ends.
//   T2. A halt is never taken back: an abort stands over a cancel, the first of a kind over later ones, and a failed
//       ledger ends everything.

import { Accountant, type Accounted, type Settled } from "../accounting/account.js";
import type { ConcurrentInvoke } from "../admission/concurrent-invoke.js";
import { plannedAs } from "../admission/planned-as.js";
import type { EventDraft } from "../core/events.js";
import { invariant } from "../core/invariant.js";
import type { Outcome } from "../core/outcome.js";
import type { CallContext } from "../execution/call-context.js";
import { CallEvents } from "../execution/call-events.js";
import type { HostTurns } from "../execution/host-turns.js";
import { beforeDispatch } from "../execution/interrupted.js";
import { KeyTurns } from "../execution/key-turns.js";
import type { RunningCall } from "../execution/running-call.js";
import { Slots } from "../execution/slots.js";
import type { EntryDraft, Intent } from "../ledger/entry.js";
import type { CallOwner } from "./call-owner.js";
import { ACCOUNTED, type CallState, type Cleared, SETTLED, type Wrapped } from "./call-state.js";
import { leftBy } from "./left-by-call.js";
import type { NestedCalls } from "./nested-calls.js";
import type { Abortable, WaveOptions } from "./wave-options.js";
import { faceFailed, type WavePlan } from "./wave-plan.js";
import type { CallResult, WaveResult } from "./wave-result.js";

/** Why no further call starts. */
export type Halt =
	/** The host's `stillGoing` said so; calls before the one it was asked about run to their end. */
	| { readonly kind: "cancelled" }
	/** The signal, or the wave's total limit; calls that run are stopped. */
	| { readonly kind: "aborted"; readonly reason: unknown };

/** What a wait resolves to when the wave was aborted first. */
export const ABORTED: unique symbol = Symbol("aborted");

export class WaveState<T> implements CallOwner<T> {
	readonly face: ConcurrentInvoke<T>;
	readonly plan: WavePlan<T>;
	readonly options: WaveOptions;
	readonly turns: HostTurns;
	readonly nested: NestedCalls<T>;
	readonly accountant: Accountant;
	readonly slots: Slots;
	readonly keyTurns = new KeyTurns();
	readonly watch: CallEvents;
	readonly steers: string[] = [];
	readonly startedMs: number;
	/** Calls that run, or are in the hands of their middleware. */
	readonly #running = new Set<Abortable>();
	/** Contexts of calls that work out or wait for their keys. */
	readonly #waiting = new Set<CallContext>();
	readonly #abortWaits = new Set<() => void>();
	#halt: Halt | undefined;
	#failure: { readonly error: unknown } | undefined;
	#cancelTotalTimer: () => void = () => undefined;

	constructor(parts: Pick<WaveState<T>, "face" | "plan" | "options" | "turns" | "nested">) {
		const { face, plan, options, turns, nested } = parts;
		this.face = face;
		this.plan = plan;
		this.options = options;
		this.turns = turns;
		this.nested = nested;
		this.slots = new Slots(options.maxParallelToolCalls);
		this.watch = new CallEvents(options.hub, false);
		this.startedMs = options.clock.monotonicMs();
		this.accountant = new Accountant({
			count: plan.states.length,
			runId: options.runId,
			ledger: options.ledger,
			clock: options.clock,
			stopOnError: options.onError === "stop",
			onAccounted: (accounted) => this.#accounted(accounted),
			onLedgerFailure: (error) => this.fail(error),
		});
	}

	get halt(): Halt | undefined {
		return this.#halt;
	}

	get failure(): { readonly error: unknown } | undefined {
		return this.#failure;
	}

	/** Whether calls that were cleared may no longer start. */
	get startsNothing(): boolean {
		return this.#halt?.kind === "aborted" || this.#failure !== undefined || this.accountant.stoppedBy !== undefined;
	}

	open(): void {
		const { signal, timeouts, clock, hub, runId, step, open, early } = this.options;
		open?.add(this);
		early?.close();
		if (!this.#isNested) hub.emit({ kind: "wave_started", runId, step, calls: this.plan.states.length });
		if (hub.watched) for (const state of this.plan.states) this.#emitPlanned(state);
		if (signal?.aborted) this.abort(signal.reason);
		else signal?.addEventListener("abort", this.#onAbort, { once: true });
		if (Number.isFinite(timeouts.totalMs)) {
			const reason = new DOMException(`The wave's totalMs of ${timeouts.totalMs} ms is over`, "TimeoutError");
			this.#cancelTotalTimer = clock.setTimer(() => this.abort(reason), timeouts.totalMs);
		}
	}

	// T1: called on every way out of a wave.
	close(): void {
		const { signal, early, open, hub, runId, step } = this.options;
		open?.delete(this);
		signal?.removeEventListener("abort", this.#onAbort);
		this.#cancelTotalTimer();
		early?.finish({
			segments: this.plan.segments,
			ranMs: (index) => this.plan.states[index]?.ranMs ?? 0,
		});
		if (!this.#isNested) hub.emit({ kind: "wave_finished", runId, step, status: this.#status() });
	}

	record(records: readonly (EntryDraft | Intent)[]): void {
		this.options.ledger.append(records);
	}

	cancel(): void {
		this.#halt ??= { kind: "cancelled" };
	}

	abort(reason: unknown): void {
		// T2: only a cancel gives way.
		if (this.#halt?.kind === "aborted") return;
		this.#halt = { kind: "aborted", reason };
		this.#stopRunning(reason);
		for (const context of this.#waiting) context.stop(reason);
		for (const resolve of this.#abortWaits) resolve();
		this.#abortWaits.clear();
		this.slots.close();
	}

	fail(error: unknown): void {
		this.#failure ??= { error };
		this.abort(error);
	}

	/** The promise's value, or {@link ABORTED} as soon as the wave is aborted. Rejects as the promise does. */
	unlessAborted<Value>(promise: PromiseLike<Value>): Promise<Value | typeof ABORTED> {
		if (this.#halt?.kind === "aborted") return Promise.resolve(ABORTED);
		return new Promise((resolve, reject) => {
			const aborted = (): void => resolve(ABORTED);
			this.#abortWaits.add(aborted);
			const done = (): void => void this.#abortWaits.delete(aborted);
			promise.then(
				(value) => {
					done();
					resolve(value);
				},
				(error: unknown) => {
					done();
					reject(error);
				},
			);
		});
	}

	/** Lets a wait of a call that does not run yet hear of an abort through the call's context. */
	async whileWaiting<Value>(context: CallContext, wait: Promise<Value>): Promise<Value> {
		this.#waiting.add(context);
		if (this.#halt?.kind === "aborted") context.stop(this.#halt.reason);
		try {
			return await wait;
		} finally {
			this.#waiting.delete(context);
		}
	}

	/** Takes a call while it runs. */
	runs(state: CallState<T>, ticket: T, running: RunningCall): void {
		state.move({ kind: "running", ticket, running });
		this.#running.add(running);
	}

	/** Takes a call while it is in the hands of its middleware. */
	wraps(state: CallState<T>, ticket: T, by: Wrapped<T>): void {
		state.move({ kind: "wrapped", ticket, by });
		this.#running.add(by);
	}

	/** Takes a call's outcome to accounting, in whatever order calls settle. */
	settle(state: CallState<T>, outcome: Outcome): void {
		this.emitCall(state, { kind: "call_settled", outcome, ahead: state.ahead });
		this.#arrive(state, { kind: "own", outcome });
	}

	/** Settles a call that the host cancelled the wave before. */
	settleAsCancelled(state: CallState<T>): void {
		const outcome = beforeDispatch();
		this.emitCall(state, { kind: "call_settled", outcome, ahead: false });
		this.#arrive(state, { kind: "cancelled", outcome });
	}

	/** Settles a call as the repeat of an earlier one. */
	settleAsRepeat(state: CallState<T>, of: number): void {
		this.#arrive(state, { kind: "repeat", of });
	}

	#arrive(state: CallState<T>, answer: Settled["answer"]): void {
		const { phase, index, path, call, meta, at, before } = state;
		if (phase.kind === "running") this.#running.delete(phase.running);
		if (phase.kind === "wrapped") this.#running.delete(phase.by);
		const { cleared, children, ranAs } = leftBy(state, this.nested);
		state.move(SETTLED);
		const account = cleared && ((outcome: Outcome) => this.#account(cleared, outcome));
		this.accountant.arrive({ index, call, registration: meta, at, answer, before, children, ranAs, account, path });
	}

	emitCall(state: CallState<T>, what: CallEventDraft): void {
		const { hub, runId, step } = this.options;
		if (!hub.watched) return;
		const { index, path, call } = state;
		const nested = path.length > 1 ? { path } : {};
		hub.emit({ ...what, runId, step, index: path.at(-1) ?? index, name: call.name, ...nested } as EventDraft);
	}

	result(): WaveResult {
		const results = this.plan.states.map((state) => this.#callResult(state));
		const totalMs = this.options.clock.monotonicMs() - this.startedMs;
		const ranMs = results.reduce((sum, { timing }) => sum + timing.ranMs, 0);
		return { status: this.#status(), results, steers: this.steers, timing: { totalMs, ranMs } };
	}

	#account({ call, ticket }: Cleared<T>, outcome: Outcome): Outcome | Promise<Outcome> {
		try {
			return this.face.account(call, ticket, outcome);
		} catch (error) {
			return faceFailed("account", error);
		}
	}

	#accounted({ index, outcome, replayOf, held }: Accounted): void {
		const state = this.plan.states[index];
		invariant(state !== undefined, "WV2", `call ${index} was accounted and is not in the wave`);
		state.move(replayOf === undefined ? ACCOUNTED : { kind: "accounted", replayOf });
		this.emitCall(state, { kind: "call_accounted", outcome, held });
		// What runs beside the call that failed is read-only, and its outcome is decided: stop it.
		if (this.accountant.stoppedBy !== index) return;
		this.#stopRunning(new Error(`call ${index} failed`));
		this.slots.close();
	}

	#stopRunning(reason: unknown): void {
		for (const running of [...this.#running]) running.abort(reason);
	}

	readonly #onAbort = (): void => this.abort(this.options.signal?.reason);

	/** A nested call is a wave only to the engine. */
	get #isNested(): boolean {
		return this.options.path.length > 0;
	}

	#status(): "done" | "aborted" {
		return this.#halt === undefined ? "done" : "aborted";
	}

	#emitPlanned(state: CallState<T>): void {
		this.emitCall(state, { kind: "call_planned", ...plannedAs(state.meta) });
	}

	#callResult(state: CallState<T>): CallResult {
		const { index, call, beganMs, ranMs, overran, lockMs, turnMs, gateMs, wrapMs, ahead, phase } = state;
		const outcome = this.accountant.outcomes[index];
		invariant(outcome !== undefined && phase.kind === "accounted", "WV2", `call ${index} has no outcome`);
		const fromMs = Math.max(beganMs ?? turnMs, this.startedMs);
		const hiddenMs = beganMs === undefined ? 0 : Math.min(ranMs, Math.max(0, this.startedMs - beganMs));
		const timing = {
			gateMs: Math.max(0, turnMs - this.startedMs) + gateMs,
			lockMs,
			slotMs: Math.max(0, fromMs - Math.max(turnMs, this.startedMs) - lockMs - gateMs - wrapMs),
			personMs: 0,
			ranMs,
			...(overran && { overran }),
		};
		const replay = phase.replayOf === undefined ? {} : { replayOf: phase.replayOf };
		return { index, id: call.id, name: call.name, outcome, timing, ...replay, ahead, hiddenMs };
	}
}

type OfCall<Event> = Event extends { index: number } ? Omit<Event, "runId" | "step" | "index" | "name"> : never;
type CallEventDraft = OfCall<EventDraft>;
