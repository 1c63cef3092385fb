// Policy answers
//
// What a policy's verdict, its accounting or its throw mean for the call. Apart from the face, which knows the order in
// which policies are asked and nothing of what they say.
//
// Owns:      the reading of verdicts, and the outcome of a policy that failed.
// Does not:  ask a policy (policy-face.ts).

import { denied, type Refusal } from "../core/denied.js";
import { canonicalJson, copyJson, type JsonValue } from "../core/json-value.js";
import { causeOf, failed, isOutcome, type Outcome } from "../core/outcome.js";
import { approvalRule } from "../core/question.js";
import { showValue } from "../core/show-value.js";
import { nobodyToAsk } from "../core/unanswered.js";
import type { Policy, Verdict } from "../policy/policy.js";

/** What the person is to be asked, and what an `always` of theirs covers. */
export interface PolicyAsk {
	readonly rule: string;
	readonly detail: string;
}

/** What a verdict does: nothing, ends the call without its tool, or lets it on only if a person approves. */
export type Said =
	| { readonly kind: "clear" }
	| { readonly kind: "answered"; readonly outcome: Outcome }
	| { readonly kind: "asks"; readonly ask: PolicyAsk };

export interface Judging {
	readonly policy: Policy;
	/** The name of the call's tool. */
	readonly tool: string;
	/** Whether anybody can be asked. */
	readonly asks: boolean;
}

const CLEAR: Said = { kind: "clear" };

export function saidBy({ policy, tool, asks }: Judging, verdict: Verdict): Said {
	if (verdict === "clear") return CLEAR;
	if (typeof verdict === "object" && verdict !== null) {
		if ("answer" in verdict && isOutcome(verdict.answer)) return answeredBy(verdict.answer);
		if ("deny" in verdict) {
			const lacking = lackingIn(verdict.deny);
			if (lacking === undefined) return answeredBy(denied(verdict.deny));
			return answeredBy(policyFailed(policy, new TypeError(`its refusal has no \`${lacking}\` that is a sentence`)));
		}
		if ("ask" in verdict) {
			if (!asks) return answeredBy(nobodyToAsk(`The policy ${policy.name}`));
			const copied = copyJson(verdict.ask);
			if (copied.ok) return { kind: "asks", ask: askOf(policy, tool, (copied.value ?? null) as JsonValue) };
		}
	}
	return answeredBy(policyFailed(policy, new TypeError(`its verdict is ${showValue(verdict)}`)));
}

/** The part of a refusal that is not there, or says nothing: the model is told all three. */
function lackingIn(deny: unknown): keyof Refusal | undefined {
	const said = (typeof deny === "object" && deny !== null ? deny : {}) as Readonly<Record<string, unknown>>;
	return REFUSAL_PARTS.find((part) => typeof said[part] !== "string" || said[part] === "");
}

const REFUSAL_PARTS = ["rule", "violation", "alternative"] as const satisfies readonly (keyof Refusal)[];

export function answeredBy(outcome: Outcome): Said {
	return { kind: "answered", outcome };
}

function askOf(policy: Policy, tool: string, ask: JsonValue): PolicyAsk {
	const detail = typeof ask === "string" ? ask : canonicalJson(ask);
	return { rule: approvalRule(tool, { policy: policy.name, ask }), detail };
}

// biome-ignore lint/suspicious/noConfusingVoidType: what a policy that only watches returns
export function changedBy(policy: Policy, before: Outcome, said: Outcome | void): Outcome {
	if (said === undefined) return before;
	if (isOutcome(said)) return said;
	return policyFailed(policy, new TypeError(`it accounted ${showValue(said)}, which is no outcome`));
}

export function policyFailed(policy: Policy, error: unknown): Outcome {
	const cause = causeOf(error);
	const message = `The policy ${policy.name} failed: ${cause.message}`;
	return failed("POLICY_FAILED", { message, cause, details: { policy: policy.name } });
}
