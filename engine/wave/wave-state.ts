// Wave state
//
// What the stages of one wave share: where each call stands, the accountant, the slots, and the one thing that can end
// a wave early.
//
// Owns:      the halt, the abort listener, the settling of a call and its waiting for a person.
// Does not:  admit or run (admit-segment.ts, execute-segment.ts).
//
// Invariants:
//   T1. A wave adds one listener to the host's signal and takes it away when it ends, however it ends.
//   T2. A halt is never taken back: an abort stands over a cancel, the first of a kind over later ones, and a failed
//       ledger ends everything.
//   T3. A call that waits for a person holds no slot, no keys, no thread, and is asked about by nobody else.

import { AsyncResource } from "node:async_hooks";
import { Accountant, type Accounted, type Settled } from "../accounting/account.js";
import type { Admitted, ConcurrentInvoke } from "../admission/concurrent-invoke.js";
import { accountedOutcomes } from "../core/call-record.js";
import { broken, invariant } from "../core/invariant.js";
import type { Outcome } from "../core/outcome.js";
import type { CallContext } from "../execution/call-context.js";
import { CallEvents } from "../execution/call-events.js";
import type { HostTurns } from "../execution/host-turns.js";
import { beforeDispatch } from "../execution/interrupted.js";
import { KeyTurns } from "../execution/key-turns.js";
import type { RunningCall } from "../execution/running-call.js";
import { type SlotSource, Slots } from "../execution/slots.js";
import type { EntryDraft, Intent } from "../ledger/entry.js";
import { type ABORTED, AbortableWaits } from "./abortable-waits.js";
import type { CallOwner, LeftForNext } from "./call-owner.js";
import { ACCOUNTED, type CallState, type Cleared, SETTLED, type Wrapped } from "./call-state.js";
import { timingOf } from "./call-timing.js";
import { HoldUps } from "./hold-ups.js";
import { type LeftByCall, leftBy, takeTimes } from "./left-by-call.js";
import type { NestedCalls } from "./nested-calls.js";
import { hasRun, settledMemory } from "./pending.js";
import { WaveEvents } from "./wave-events.js";
import type { Abortable, Halt, WaveOptions } from "./wave-options.js";
import { faceFailed, segmentsOfWave, type WavePlan } from "./wave-plan.js";
import type { WaveResult } from "./wave-result.js";

export class WaveState<T> implements CallOwner<T> {
	readonly face: ConcurrentInvoke<T>;
	readonly plan: WavePlan<T>;
	readonly options: WaveOptions;
	readonly turns: HostTurns;
	readonly nested: NestedCalls<T>;
	readonly accountant: Accountant;
	readonly slots: SlotSource;
	readonly keyTurns = new KeyTurns();
	readonly events: WaveEvents;
	readonly watch: CallEvents;
	readonly steers: string[] = [];
	readonly startedMs: number;
	/** Where the wave was called from, for code of its calls that somebody else sets going. */
	readonly place = new AsyncResource("wavetrain.wave");
	/** Calls that wait for a person, in the order they came to it. */
	readonly asking = new Set<CallState<T>>();
	/** Whether the wave ends with questions. */
	paused = false;
	readonly holdUps: HoldUps<T>;
	/** Calls that run, or are in the hands of their middleware. */
	readonly #running = new Set<Abortable>();
	readonly waitsOfCalls = new AbortableWaits();
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
		this.slots = options.slots ?? new Slots(options.maxParallelToolCalls);
		this.events = new WaveEvents(options);
		this.watch = new CallEvents(options.hub, false);
		this.startedMs = options.clock.monotonicMs();
		this.accountant = new Accountant({
			count: plan.states.length,
			runId: options.runId,
			ledger: options.ledger,
			clock: options.clock,
			stopOnError: options.onError === "stop",
			before: accountedOutcomes(options.resumed?.calls ?? []),
			onAccounted: (accounted) => this.#accounted(accounted),
			onFailure: (error) => this.fail(error),
		});
		this.holdUps = new HoldUps(this);
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

	/** @param planned - Aborted where the wave was aborted while it was planned. */
	open(planned: AbortSignal): void {
		const { signal, timeouts, clock, open, early, resumed } = this.options;
		open?.add(this);
		early?.close();
		this.events.opened(this.plan.states);
		if (planned.aborted) this.abort(planned.reason);
		// T1: taken away by close, which every way out of the wave passes.
		else signal?.addEventListener("abort", this.#onAbort, { once: true });
		if (Number.isFinite(timeouts.totalMs)) {
			const reason = new DOMException(`The wave's totalMs of ${timeouts.totalMs} ms is over`, "TimeoutError");
			this.#cancelTotalTimer = clock.setTimer(() => this.abort(reason), timeouts.totalMs - (resumed?.spentMs ?? 0));
		}
	}

	// T1: called on every way out of a wave.
	close(): void {
		const { signal, early, open } = this.options;
		open?.delete(this);
		signal?.removeEventListener("abort", this.#onAbort);
		this.#cancelTotalTimer();
		early?.finish({
			segments: segmentsOfWave(this.plan),
			ranMs: (index) => this.plan.states[index]?.ranMs ?? 0,
		});
		this.events.closed(this.status);
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
		this.waitsOfCalls.abort(reason);
		this.slots.close();
	}

	fail(error: unknown): void {
		this.#failure ??= { error };
		this.abort(error);
	}

	unlessAborted<Value>(promise: PromiseLike<Value>, index?: number): Promise<Value | typeof ABORTED> {
		return this.waitsOfCalls.unlessAborted(promise, index);
	}

	whileWaiting<Value>(context: CallContext, wait: Promise<Value>): Promise<Value> {
		return this.waitsOfCalls.whileWaiting(context, wait);
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

	/** Admission has cleared the call, and nobody need be asked about it. */
	clear(state: CallState<T>, ticket: T): void {
		this.asking.delete(state);
		const isNew = state.phase.kind === "planned" || !hasRun(state.memory);
		state.move({ kind: "cleared", ticket });
		if (isNew) this.events.ofCall(state, { kind: "call_admitted" });
	}

	/** T3: the call waits for a person; where it ran it has ended, and let go of everything it held. */
	waits(state: CallState<T>, admitted: Admitted<T>): void {
		state.move({ kind: "asking", admitted });
		this.asking.add(state);
		this.holdUps.heldUpBy(state.index);
	}

	/** The call has asked, and runs again from its beginning once it was answered. */
	interrupt(state: CallState<T>, left: LeftForNext): void {
		this.waits(state, { cleared: this.#unwind(state, left) });
	}

	/** The call waits for one before it that asks, and begins anew after the answer. */
	putBack(state: CallState<T>, left: LeftForNext): void {
		state.move({ kind: "cleared", ticket: this.#unwind(state, left) });
	}

	#unwind(state: CallState<T>, { identity, remembered }: LeftForNext): T {
		const { phase } = state;
		const isUnderWay = phase.kind === "running" || phase.kind === "cleared" || phase.kind === "wrapped";
		invariant(isUnderWay, "K1", `call ${state.index} asked while ${phase.kind}`);
		state.memory = this.nested.remember(identity, remembered ?? state.memory);
		this.#leave(phase);
		if (phase.kind === "running") takeTimes(state, phase.running);
		state.unwound(timingOf(state, this.startedMs));
		return phase.ticket;
	}

	/** Nothing of the call need be stopped any more. */
	#leave(phase: CallState<T>["phase"]): void {
		if (phase.kind === "running") this.#running.delete(phase.running);
		if (phase.kind === "wrapped") this.#running.delete(phase.by);
	}

	/** Takes a call's outcome to accounting, in whatever order calls settle. */
	settle(state: CallState<T>, answered: Outcome): void {
		const outcome = state.endOf(answered);
		this.events.ofCall(state, { kind: "call_settled", outcome, ahead: state.ahead });
		this.#arrive(state, { kind: "own", outcome });
	}

	/** Settles a call that the host cancelled the wave before. */
	settleAsCancelled(state: CallState<T>): void {
		const outcome = state.endOf(beforeDispatch());
		this.events.ofCall(state, { kind: "call_settled", outcome, ahead: false });
		this.#arrive(state, { kind: "cancelled", outcome });
	}

	/** Settles a call as the repeat of an earlier one. */
	settleAsRepeat(state: CallState<T>, of: number): void {
		this.#arrive(state, { kind: "repeat", of });
	}

	/** Settles a call as it had settled before a pause, with what it left then. */
	settleAsBefore(state: CallState<T>, answer: Settled["answer"], left: Partial<LeftByCall<T>>): void {
		this.#arrive(state, answer, left);
	}

	#arrive(state: CallState<T>, answer: Settled["answer"], before?: Partial<LeftByCall<T>>): void {
		this.#leave(state.phase);
		this.asking.delete(state);
		const left = leftBy(state, this.nested);
		const { cleared, children, ranAs } = before === undefined ? left : { ...left, ...before };
		const account = cleared && ((outcome: Outcome) => this.#account(cleared, outcome));
		const { index, path, call, meta: registration, at, before: received } = state;
		const { lines, made } = children;
		const settled = { index, path, call, registration, at, before: received, answer, children: lines, ranAs, account };
		state.settled = settled;
		if (made !== undefined) state.made = made;
		if (ranAs !== undefined) state.ranAs = ranAs;
		if (state.memory !== undefined) state.memory = settledMemory(state.memory);
		state.move(SETTLED);
		this.accountant.arrive(settled);
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
		if (state === undefined) broken("WV2", `call ${index} was accounted and is not in the wave`);
		const { settled } = state;
		if (settled === undefined) broken("WV2", `call ${index} was accounted before it had settled`);
		const { answer, account } = settled;
		state.hadTicket = account !== undefined;
		if (answer.kind !== "repeat" && answer.outcome !== outcome) state.settledAs = answer.outcome;
		state.settled = undefined;
		state.move(replayOf === undefined ? ACCOUNTED : { kind: "accounted", replayOf });
		this.events.ofCall(state, { kind: "call_accounted", outcome, held });
		// What runs beside the call that failed is read-only, and its outcome is decided: stop it.
		if (this.accountant.stoppedBy !== index) return;
		this.#stopRunning(new Error(`call ${index} failed`));
		this.slots.close();
	}

	#stopRunning(reason: unknown): void {
		for (const running of [...this.#running]) running.abort(reason);
	}

	readonly #onAbort = (): void => this.abort(this.options.signal?.reason);

	get status(): WaveResult["status"] {
		if (this.paused) return "paused";
		return this.#halt === undefined ? "done" : "aborted";
	}
}
