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

import type { ToolMeta } from "../admission/concurrent-invoke.js";
import { isPreparing } from "../admission/policy-face.js";
import type { Rewritten } from "../admission/rewritten.js";
import { argumentsKey, PlacedCall, type ToolCall } from "../core/call.js";
import { isRead } from "../core/effect.js";
import { invariant } from "../core/invariant.js";
import { canonicalJson, type JsonObject } from "../core/json-value.js";
import { failed, type Outcome } from "../core/outcome.js";
import { beforeDispatch } from "../execution/interrupted.js";
import type { CallState } from "./call-state.js";
import { faceFailed } from "./wave-plan.js";
import type { WaveState } from "./wave-state.js";

/** One form of a call that admission has cleared. */
export interface CallForm<T> {
	readonly kind: "cleared";
	readonly call: ToolCall;
	readonly meta: ToolMeta | undefined;
	readonly read: boolean;
	readonly ticket: T;
	/** The raw arguments, where middleware made them. */
	readonly rewritten: JsonObject | undefined;
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
	/** Waits without anything that others may need meanwhile, no longer than until the wave is aborted. */
	readonly waiting: (wait: Promise<void>) => Promise<unknown>;
}

export class CallForms<T> {
	readonly #parts: CallFormsParts<T>;
	readonly #byKey = new Map<string, Promise<CallForm<T> | RefusedForm>>();

	constructor(parts: CallFormsParts<T>) {
		this.#parts = parts;
		const { call, meta, read } = parts.state;
		const asked: CallForm<T> = { kind: "cleared", call, meta, read, ticket: parts.ticket, rewritten: undefined };
		this.#byKey.set(argumentsKey(call.args), Promise.resolve(asked));
	}

	/** Never rejects. */
	of(passed: PassedOn): Promise<CallForm<T> | RefusedForm> {
		const key = canonicalJson(passed.args);
		const known = this.#byKey.get(key);
		if (known !== undefined) return known;
		// CF1: kept before anything is worked out, so that a second one waits for the same.
		const form = this.#made(passed).catch((error: unknown) => refused(faceFailed("rewrite", error)));
		this.#byKey.set(key, form);
		return form;
	}

	async #made({ args, by }: PassedOn): Promise<CallForm<T> | RefusedForm> {
		const { wave, state, waiting } = this.#parts;
		const { call, index, at } = state;
		const { face, accountant } = wave;
		invariant(isPreparing(face), "CF1", "a call was rewritten on a face that knows one form of it");
		const own = new PlacedCall({ id: call.id, name: call.name, args }, index);
		const rewritten: Rewritten<T> = await face.rewrite(own);
		if (rewritten.kind === "answered") return refused(causedBy(by, rewritten.outcome));
		if (rewritten.inCallOrder) {
			const accounted = accountant.whenAccounted(index);
			if (accounted !== undefined) await waiting(accounted);
			if (wave.startsNothing) return refused(beforeDispatch());
			invariant(accountant.accounted >= index, "CF2", `call ${index} was judged too early`);
		}
		const admitted = await rewritten.admit(at);
		if (!("cleared" in admitted)) return refused(admitted.answered);
		const { meta } = rewritten;
		const read = isRead(meta.effect);
		return { kind: "cleared", call: own, meta, read, ticket: admitted.cleared, rewritten: args };
	}
}

function refused(outcome: Outcome): RefusedForm {
	return { kind: "refused", outcome };
}

/** What a schema says of arguments that the model did not write is nothing that the model can correct. */
function causedBy(middleware: string | undefined, outcome: Outcome): Outcome {
	if (outcome.ok || middleware === undefined) return outcome;
	const { code, message, details, cause } = outcome.error;
	return failed(code, {
		message: `The middleware ${middleware} changed the arguments. ${message}`,
		recovery: "Go on without this call; the host must correct the middleware that is named.",
		details: { ...details, middleware },
		...(cause && { cause }),
	});
}
