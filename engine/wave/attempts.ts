// Attempts
//
// What stands behind the innermost middleware of a call: each time the call is handed on, the form that it was left in is
// judged, waits for its turn, enters its step's gate, takes a slot and is started like any call.
//
// Owns:      the order of those steps, and what may be attempted again.
// Does not:  know middleware (wrapping.ts), judge a form (call-forms.ts), wait for the gate or a slot (step-place.ts) or run
//            a call (start-call.ts).
//
// Invariants:
//   AT1. Attempts of one call never run beside each other.
//   AT2. Once a call that is neither a read nor idempotent has ended in a way that may have changed something, nothing of
//        it that may change something begins; the outcome is given again.
//   AT3. Calls with keys ask for them the first time in call order, whatever their middleware does before.
//   AT4. An attempt that asks a person, or waits for a call that does, ends the call's run: nothing of it begins any more
//        until the call runs again, and whoever handed it on is told by a pause.

import type { ErrorCode } from "../core/call-codes.js";
import { invariant } from "../core/invariant.js";
import type { JsonObject } from "../core/json-value.js";
import type { Outcome } from "../core/outcome.js";
import { CallPaused } from "../core/pause.js";
import { hearOut, isThenable } from "../core/thenable.js";
import { notAnswered } from "../core/unanswered.js";
import type { CallContext } from "../execution/call-context.js";
import type { CallIdentity } from "../execution/call-identity.js";
import { abortedAsking, beforeDispatch, interrupted } from "../execution/interrupted.js";
import type { KeyTurn } from "../execution/key-turns.js";
import type { Ending } from "../execution/run-in-order.js";
import type { RunningCall } from "../execution/running-call.js";
import { formApproval } from "./approvals.js";
import { type CallForm, CallForms, type ClearedForm, type PassedOn, type RefusedForm } from "./call-forms.js";
import type { CallOwner, LeftForNext } from "./call-owner.js";
import type { CallState } from "./call-state.js";
import { type IntentWriter, ownIntent } from "./intents.js";
import { contextOf, holdsNothing, identityOf, whenEnded } from "./start-call.js";
import { StepPlace, type StepPlaceParts } from "./step-place.js";

export interface AttemptsParts<T> extends StepPlaceParts<T> {
	readonly ticket: T;
	/** The arguments that the model asked with, as an object. */
	readonly args: JsonObject;
	/** The intents of the calls that it runs with. */
	readonly intents: IntentWriter;
}

/** Why a call must run again, and what this run leaves for the next. */
export interface Unwinding {
	readonly why: "asked" | "held up";
	readonly left: LeftForNext;
}

const TURN_PASSED: KeyTurn = { come: undefined, pass: holdsNothing };

/** How else than with a value a call ends that may have changed something. */
const DONE: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["OUTCOME_UNKNOWN", "NOT_CLONEABLE", "OUTPUT_TOO_LARGE"]);

export class Attempts<T> implements CallOwner<T> {
	readonly #parts: AttemptsParts<T>;
	readonly #forms: CallForms<T>;
	#identity: CallIdentity;
	readonly #place: StepPlace<T>;
	/** The attempt asked for last; each begins when the one before has ended. */
	#last: Promise<Outcome | undefined> = Promise.resolve(undefined);
	#underWay = 0;
	#stopped: { readonly reason: unknown } | undefined;
	#turn: KeyTurn;
	#context: CallContext | undefined;
	#running: RunningCall | undefined;
	#answer: Outcome | undefined;
	#starting: ClearedForm<T> | undefined;
	#ran: ClearedForm<T> | undefined;
	#hasActed = false;
	/** What this run leaves for the next, once it has asked a person. */
	#asked: LeftForNext | undefined;
	/** What AT2 gives again. */
	#done: Outcome | undefined;

	constructor(parts: AttemptsParts<T>) {
		const { wave, state, ticket, args } = parts;
		this.#parts = parts;
		const waiting = async (wait: Promise<void>): Promise<boolean> => {
			await this.#place.forThoseBefore(wait);
			return !this.startsNothing;
		};
		this.#forms = new CallForms({ wave, state, ticket, args, waiting });
		this.#place = new StepPlace(parts);
		this.#identity = identityOf(wave, state);
		// AT3: taken when the call starts, which calls do in call order.
		this.#turn = state.meta?.lockKeys === undefined ? TURN_PASSED : wave.keyTurns.take();
	}

	get startsNothing(): boolean {
		const unwinds = this.#asked !== undefined || this.#place.isHeldUp;
		return this.#stopped !== undefined || unwinds || this.#parts.wave.startsNothing;
	}

	/** AT4: that the call must run again, with what this run leaves; nothing where it need not. */
	get unwinds(): Unwinding | undefined {
		if (this.#asked !== undefined) return { why: "asked", left: this.#asked };
		// What was changed must not be changed again.
		if (!this.#place.isHeldUp || this.#done !== undefined) return undefined;
		return { why: "held up", left: this.#left() };
	}

	get identity(): CallIdentity {
		return this.#identity;
	}

	/** The form that ran last, if any did; one that is no read before one that is. */
	get ran(): ClearedForm<T> | undefined {
		return this.#ran;
	}

	/** Whether a form that is no read was run, so that something may have changed by now. */
	get hasActed(): boolean {
		return this.#hasActed;
	}

	/** Resolves once no call before this one claims its step; nothing where none does. */
	whenOpen(): Promise<void> | undefined {
		return this.#place.whenOpen();
	}

	/** Resolves to the attempt's outcome; rejects with a pause alone. */
	ask(passed: PassedOn): Promise<Outcome> {
		this.#underWay += 1;
		const form = this.startsNothing ? undefined : this.#formOf(passed);
		const attempt = this.#last.then(async () => {
			const outcome = form === undefined ? this.unstarted() : await this.#attempt(await form);
			this.#underWay -= 1;
			return outcome;
		});
		this.#last = attempt;
		return this.unlessUnwound(attempt);
	}

	/** What is handed up past the call, which is a pause where the call must run again. */
	unlessUnwound(outcome: Promise<Outcome>): Promise<Outcome> {
		const handed = outcome.then((ended) => {
			if (this.unwinds !== undefined) throw new CallPaused();
			return ended;
		});
		// Whoever asked may not wait for it.
		hearOut(handed);
		return handed;
	}

	/** Nothing begins any more, and what runs is stopped. Resolves to what is then to be said of the call. */
	async stop(reason: unknown): Promise<Outcome> {
		this.#stopped ??= { reason };
		this.#turn.pass();
		this.#running?.abort(reason);
		this.#context?.stop(reason);
		const outcome = this.#underWay > 0 ? await this.#last : undefined;
		return outcome ?? this.unstarted();
	}

	/** What is to be said of a call that may not be attempted any more. */
	unstarted(): Outcome {
		const { wave, state } = this.#parts;
		if (this.#place.isHeldUp && this.#done !== undefined) return this.#done;
		if (this.#asked !== undefined && wave.halt?.kind === "aborted") return abortedAsking(wave.halt.reason);
		if (this.#ran === undefined) return beforeDispatch();
		const { halt } = wave;
		const reason = this.#stopped?.reason ?? (halt?.kind === "aborted" ? halt.reason : undefined);
		const call = { name: state.call.name, read: !this.#hasActed, ranMs: state.ranMs };
		return interrupted(call, { kind: "aborted", reason });
	}

	/** Resolves once the calls that an attempt made have ended; nothing where they have. */
	whenQuiet(): Promise<void> | undefined {
		return this.#context?.whenQuiet();
	}

	/** Resolves once no attempt is under way, to how the call leaves its slot. */
	async ended(): Promise<Ending> {
		await this.#last;
		return this.#place.leave(this.unwinds !== undefined);
	}

	runs(_state: CallState<T>, _ticket: T, running: RunningCall): void {
		this.#running = running;
		// That of an early run is its own, and what the run makes of calls goes by it.
		this.#identity = running.context.identity;
		// What may have changed something is what policies must hear of, whatever was only looked at afterwards.
		if (!(this.#hasActed && this.#starting?.read)) this.#ran = this.#starting;
		if (this.#starting?.read === false) this.#hasActed = true;
	}

	interrupt(_state: CallState<T>, { identity, remembered }: LeftForNext): void {
		// AT2: run from its beginning, it would do that again.
		if (this.#done !== undefined) this.#answer = notAnswered("it had changed something before it asked");
		else this.#asked = { identity, remembered };
	}

	settle(_state: CallState<T>, outcome: Outcome): void {
		this.#answer = outcome;
	}

	// The step is claimed before anything is awaited, so that calls that come after in the same turn find it claimed.
	#formOf(passed: PassedOn): CallForm | RefusedForm | Promise<CallForm | RefusedForm> {
		const form = this.#forms.of(passed);
		if (!isThenable(form) && form.kind === "form" && this.#needsStepAlone(form)) this.#place.claim();
		return form;
	}

	async #attempt(asked: CallForm | RefusedForm): Promise<Outcome> {
		if (this.startsNothing) return this.unstarted();
		const form = asked.kind === "refused" ? asked : await this.#forms.judge(asked);
		if (form.kind === "refused") return form.outcome;
		// AT2: reading is always allowed; that is how one finds out whether the change happened.
		if (this.#done !== undefined && mayRepeatHarm(form)) return this.#done;
		const refused = this.#approve(form);
		if (refused !== undefined) return refused;
		// AT3: whoever came before asks for its keys before this one enters, or could wait for it inside.
		const { come } = this.#turn;
		if (form.meta?.lockKeys !== undefined && come !== undefined) await this.#place.forThoseBefore(come);
		const isWanted = (): boolean => !this.startsNothing;
		if (isWanted()) await this.#place.enter(this.#needsStepAlone(form), isWanted);
		const outcome = this.startsNothing ? this.unstarted() : await this.#run(form);
		this.#place.leaveShare();
		const began = this.#ran !== undefined;
		return began && !outcome.ok && outcome.error.code === "ABORTED_BEFORE_DISPATCH" ? this.unstarted() : outcome;
	}

	async #run(form: ClearedForm<T>): Promise<Outcome> {
		const { wave, state, intents } = this.#parts;
		// The intent that its group wrote is of the call as it was planned, and of the first time that it acts.
		const isCovered = !state.read && !this.#hasActed;
		const worked = wave.options.early?.keyedOf(state.index, form.call);
		const context = contextOf(wave, state, { identity: this.#identity, read: form.read, worked });
		this.#context = context;
		this.#answer = undefined;
		this.#starting = form;
		if (this.#ran === undefined) {
			const passedMs = wave.options.clock.monotonicMs() - state.turnMs;
			state.wrapMs = passedMs - state.gateMs - this.#place.slotMs;
		}
		const turn = { come: undefined, pass: this.#turn.pass };
		this.#turn = TURN_PASSED;
		const ending = await whenEnded({
			wave,
			owner: this,
			state,
			form,
			intents: isCovered ? intents : ownIntent(wave, state),
			context,
			worked,
			turn,
			release: holdsNothing,
		});
		turn.pass();
		this.#place.leftBy(ending);
		return this.#ended(form);
	}

	#ended(form: ClearedForm<T>): Outcome {
		const { state } = this.#parts;
		const running = this.#running;
		const outcome = this.#asked === undefined ? this.#answer : beforeDispatch();
		invariant(outcome !== undefined, "AT1", `an attempt of call ${state.index} ended without an answer`);
		const beganMs = running?.beganMs;
		if (beganMs !== undefined) {
			state.beganMs ??= beganMs;
			state.ranMs += running?.ranMs ?? 0;
			state.awayMs += running?.awayMs ?? 0;
			state.overran = running?.overran ?? state.overran;
			if (!form.read && (outcome.ok || DONE.has(outcome.error.code))) this.#done = outcome;
		}
		this.#running = undefined;
		return outcome;
	}

	/** The outcome of a form that middleware made and that a person has not approved; nothing where it may run. */
	#approve(form: ClearedForm<T>): Outcome | undefined {
		const { wave, state } = this.#parts;
		if (form.rewritten === undefined || form.meta === undefined) return undefined;
		const said = formApproval(wave, state, { call: form.call, meta: form.meta, ask: form.ask });
		if (said === "approved") return undefined;
		if (said !== "waits") return said;
		this.interrupt(state, this.#left());
		return this.#answer ?? beforeDispatch();
	}

	#left(): LeftForNext {
		return { identity: this.#identity, remembered: this.#parts.state.memory };
	}

	/** Whether the form may not run beside others of the step. */
	#needsStepAlone({ meta, read }: Pick<CallForm, "meta" | "read">): boolean {
		const { schedule, onError } = this.#parts.wave.options;
		if (!(meta?.isConcurrencySafe ?? read)) return true;
		return !read && (onError === "stop" || schedule === "leading-reads");
	}
}

function mayRepeatHarm({ read, meta }: Pick<CallForm, "read" | "meta">): boolean {
	return !read && meta?.idempotent !== true;
}
