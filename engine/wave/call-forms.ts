// Call forms
//
// The forms of one call: the one that the model asked for, and each that its middleware made of it. Everything that is
// known of a call is worked out anew from the arguments of a form, once a form, and the policies judge every form: what
// one of them refuses does not run, whatever they said of another.
//
// Policies learn as calls are accounted, so another form is judged when every call before it is accounted, unless what
// they all say depends on the form alone. Asked at any other moment, they would say one thing or another depending on what
// finished first.
//
// Owns:      those forms, and when each is judged.
// Does not:  judge (the face does), or know why a middleware made one.
//
// Invariants:
//   CF1. A form is parsed once and judged once, however often it comes back.
//   CF2. A form that policies must see in call order is judged when every call before its own is accounted.

import type { Over } from "../admission/ask-policies.js";
import type { Admitted, ToolMeta } from "../admission/concurrent-invoke.js";
import { isPreparing } from "../admission/preparing-face.js";
import type { Rewritten } from "../admission/rewritten.js";
import { PlacedCall, type ToolCall } from "../core/call.js";
import type { AskRecord } from "../core/call-record.js";
import { isRead } from "../core/effect.js";
import { invariant } from "../core/invariant.js";
import { canonicalJson, type JsonObject } from "../core/json-value.js";
import { failed, type Outcome } from "../core/outcome.js";
import { isThenable } from "../core/thenable.js";
import { beforeDispatch } from "../execution/interrupted.js";
import { endOfAborted } from "./abort-call.js";
import { ABORTED } from "./abortable-waits.js";
import type { CallState } from "./call-state.js";
import { faceFailed } from "./wave-plan.js";
import type { WaveState } from "./wave-state.js";

/** One form of a call. */
export interface CallForm {
	readonly kind: "form";
	readonly call: ToolCall;
	readonly meta: ToolMeta | undefined;
	readonly read: boolean;
	/** The raw arguments, where middleware made them. */
	readonly rewritten: JsonObject | undefined;
}

/** One that policies have cleared. */
export interface ClearedForm<T> extends Omit<CallForm, "kind"> {
	readonly kind: "cleared";
	readonly ticket: T;
	/** What a policy wants a person asked about it. */
	readonly ask?: AskRecord | undefined;
}

/** One that cannot run, or may not. */
export interface RefusedForm {
	readonly kind: "refused";
	readonly outcome: Outcome;
}

/** The arguments that a middleware passed on, and which middleware left them so. */
export interface PassedOn {
	readonly args: JsonObject;
	readonly by: string | undefined;
}

export interface CallFormsParts<T> {
	readonly wave: WaveState<T>;
	readonly state: CallState<T>;
	/** What the form that was asked for was cleared with. */
	readonly ticket: T;
	/** The arguments of that form. */
	readonly args: JsonObject;
	/** Waits without anything that others may need meanwhile; the answer is whether the call may still go on. */
	readonly waiting: (wait: Promise<void>) => Promise<boolean>;
}

type Judged<T> = ClearedForm<T> | RefusedForm;

interface Unjudged<T> {
	readonly inCallOrder: boolean;
	admit(at: number, over: Over): Admitted<T> | Promise<Admitted<T>>;
}

export class CallForms<T> {
	readonly #parts: CallFormsParts<T>;
	readonly #asked: CallForm;
	/** Others by their canonical arguments. CF1: kept before anything is awaited, so that a second one waits for the same. */
	readonly #known = new Map<string, CallForm | RefusedForm | Promise<CallForm | RefusedForm>>();
	readonly #unjudged = new Map<CallForm, Unjudged<T>>();
	readonly #judged = new Map<CallForm, Promise<Judged<T>>>();

	constructor(parts: CallFormsParts<T>) {
		this.#parts = parts;
		const { call, meta, read } = parts.state;
		this.#asked = { kind: "form", call, meta, read, rewritten: undefined };
		this.#judged.set(this.#asked, Promise.resolve({ ...this.#asked, kind: "cleared", ticket: parts.ticket }));
	}

	/** A promise only where the tool's schema answers by one; never rejects. */
	of({ args, by }: PassedOn): CallForm | RefusedForm | Promise<CallForm | RefusedForm> {
		if (args === this.#parts.args) return this.#asked;
		// The form that was asked for may come back as arguments that only look the same.
		if (this.#known.size === 0) this.#known.set(canonicalJson(this.#parts.args), this.#asked);
		const key = canonicalJson(args);
		const form = this.#known.get(key) ?? this.#made(args);
		this.#known.set(key, form);
		return isThenable(form) ? form.then((made) => blaming(by, made)) : blaming(by, form);
	}

	/** What the policies say of the form; never rejects. */
	judge(form: CallForm): Promise<Judged<T>> {
		const judged = this.#judged.get(form) ?? this.#ask(form).catch(failedToJudge);
		this.#judged.set(form, judged);
		return judged;
	}

	#made(args: JsonObject): CallForm | RefusedForm | Promise<CallForm | RefusedForm> {
		const { wave, state } = this.#parts;
		const { face } = wave;
		const { id, name } = state.call;
		invariant(isPreparing(face), "CF1", `the face of call ${state.index} knows one form of it`);
		const call = new PlacedCall({ id, name, args }, state.index);
		try {
			const rewritten = face.rewrite(call);
			if (!isThenable(rewritten)) return this.#formOf(call, args, rewritten);
			return rewritten.then((value) => this.#formOf(call, args, value), failedToJudge);
		} catch (error) {
			return failedToJudge(error);
		}
	}

	#formOf(call: ToolCall, args: JsonObject, rewritten: Rewritten<T>): CallForm | RefusedForm {
		if (rewritten.kind === "answered") return { kind: "refused", outcome: rewritten.outcome };
		const { meta } = rewritten;
		const form: CallForm = { kind: "form", call, meta, read: isRead(meta.effect), rewritten: args };
		this.#unjudged.set(form, rewritten);
		return form;
	}

	async #ask(form: CallForm): Promise<Judged<T>> {
		const { wave, state, waiting } = this.#parts;
		const unjudged = this.#unjudged.get(form);
		invariant(unjudged !== undefined, "CF1", `a form of call ${state.index} is not one of its own`);
		if (unjudged.inCallOrder) {
			const accounted = wave.accountant.whenAccounted(state.index);
			const goesOn = accounted === undefined ? !wave.startsNothing : await waiting(accounted);
			if (!goesOn) return { kind: "refused", outcome: beforeDispatch() };
			const inOrder = wave.accountant.accounted >= state.index;
			invariant(inOrder, "CF2", `a form of call ${state.index} was judged before the calls before it were accounted`);
		}
		const admitting = unjudged.admit(state.at, () => endOfAborted(wave, state));
		const admitted = isThenable(admitting) ? await wave.unlessAborted(admitting, state.index) : admitting;
		if (admitted === ABORTED) return { kind: "refused", outcome: beforeDispatch() };
		if (!("cleared" in admitted)) return { kind: "refused", outcome: admitted.answered };
		return { ...form, kind: "cleared", ticket: admitted.cleared, ask: admitted.ask };
	}
}

function failedToJudge(error: unknown): RefusedForm {
	return { kind: "refused", outcome: faceFailed("rewrite", error) };
}

function blaming(middleware: string | undefined, form: CallForm | RefusedForm): CallForm | RefusedForm {
	return form.kind === "refused" ? { kind: "refused", outcome: causedBy(middleware, form.outcome) } : form;
}

/** What a schema says of arguments that the model did not write is nothing that the model can correct. */
function causedBy(middleware: string | undefined, outcome: Outcome): Outcome {
	if (outcome.ok || outcome.error.code !== "INVALID_ARGUMENTS" || middleware === undefined) return outcome;
	const { code, message, details, cause } = outcome.error;
	return failed(code, {
		message: `The middleware ${middleware} changed the arguments. ${message}`,
		recovery: "Go on without this call; the host must correct the middleware that is named.",
		details: { ...details, middleware },
		...(cause && { cause }),
	});
}
