// Policy begins
//
// The policies' last word on a call that may change something: when it holds its keys and right before its intent is
// written. Between admission and that moment a person may have been asked and other calls have run, so a policy that looks
// at the world itself looks once more here.
//
// Owns:      asking them, in their listed order; the first that does not clear the call stands.
// Does not:  know when that moment is (wave/start-call.ts), or have anybody asked any more.

import type { ToolCall } from "../core/call.js";
import type { Clock } from "../core/clock.js";
import { POLICY_MS_MAX } from "../core/limits.js";
import type { Outcome } from "../core/outcome.js";
import { bounded, isThenable } from "../core/thenable.js";
import type { BeginView, Policy } from "../policy/policy.js";
import type { Over } from "./ask-policies.js";
import { policyFailed, saidBy } from "./policy-answers.js";

export type Beginning = Policy & Required<Pick<Policy, "begin">>;

export function beginningOf(policies: readonly Policy[]): readonly Beginning[] {
	return policies.filter((policy): policy is Beginning => policy.begin !== undefined);
}

/** The outcome of a call that does not begin; nothing for one that does. Never rejects. */
export async function heardAtBegin(
	policies: readonly Beginning[],
	clock: Clock,
	{ call, view, over }: { readonly call: ToolCall; readonly view: BeginView; readonly over: Over },
): Promise<Outcome | undefined> {
	for (const policy of policies) {
		// AK1: whoever waited for the last word of the others has gone, and the call does not begin.
		const ended = over();
		if (ended !== undefined) return ended;
		try {
			const said = policy.begin(call, view);
			const bound = { what: `the policy ${policy.name}`, limitMs: POLICY_MS_MAX, clock };
			const verdict = isThenable(said) ? await bounded(said, bound) : said;
			const heard = saidBy({ policy, tool: call.name, asks: false }, verdict);
			if (heard.kind === "answered") return heard.outcome;
		} catch (error) {
			return policyFailed(policy, error);
		}
	}
	return undefined;
}
