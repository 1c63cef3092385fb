// Policy catch-up
//
// Policies that count or remember did so in the process that paused. Where a wave goes on in another, the same calls are
// told to them once more, in the same order and with the same stamps, so that what they say of the rest is what they
// would have said without the pause. What they say of the calls that are told is not heard: it was decided then.
//
// Owns:      telling the policies that were not there.
// Does not:  know which calls (wave/take-up.ts).

import type { ToolCall } from "../core/call.js";
import type { Outcome } from "../core/outcome.js";
import type { Policy, PolicyView } from "../policy/policy.js";
import { changedBy, policyFailed, saidBy } from "./policy-answers.js";
import { nameOfPolicy } from "./policy-names.js";

export interface CatchUp {
	readonly policies: readonly Policy[];
	/** Those that were there. */
	readonly names: readonly string[];
	/** Left out: the call was admitted. */
	readonly settled?: Outcome;
	/** That is what accounting made of it: a ledger holds nothing else, and a change of it would be made twice. */
	readonly isFinal?: boolean;
	/** The rule that had refused the call, where that is known. */
	readonly refusedBy?: string;
}

interface Told {
	readonly call: ToolCall;
	readonly view: PolicyView;
}

/** Whether the policies that were told of an admission clear the call; of an accounting, always true. */
export async function tellAbsent(
	{ policies, names, settled, isFinal, refusedBy }: CatchUp,
	told: Told,
): Promise<boolean> {
	const known = new Set(names);
	const absent = policies.filter((policy) => !known.has(nameOfPolicy(policy)));
	if (settled === undefined) return tellAdmitted(absent, told, refusedBy);
	await tellSettled(absent, told, { settled, isFinal });
	return true;
}

// As far as the first that answers: those after it were not asked then either.
async function tellAdmitted(
	policies: readonly Policy[],
	{ call, view }: Told,
	refusedBy: string | undefined,
): Promise<boolean> {
	for (const policy of policies) {
		const judging = { policy, tool: call.name, asks: true };
		try {
			const verdict = (await policy.admit?.(call, view)) ?? "clear";
			// What a policy says of files, say, may be another thing by now than what stands in the ledger.
			if (policy.name === refusedBy || saidBy(judging, verdict).kind === "answered") return false;
		} catch {
			return false;
		}
	}
	return true;
}

async function tellSettled(
	policies: readonly Policy[],
	{ call, view }: Told,
	{ settled, isFinal = false }: { readonly settled: Outcome; readonly isFinal: boolean | undefined },
): Promise<void> {
	let outcome = settled;
	for (const policy of [...policies].reverse()) {
		const told = isFinal ? settled : outcome;
		try {
			outcome = changedBy(policy, told, await policy.account?.(call, told, view));
		} catch (error) {
			outcome = policyFailed(policy, error);
		}
	}
}
