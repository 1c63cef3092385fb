// Ask policies
//
// What the policies say of one form of one call, asked one after another. Apart from the face, which knows when a call is
// asked about and what becomes of it.
//
// Owns:      the order of asking, and when it ends.
// Does not:  read a verdict (policy-answers.ts), or make tickets (policy-face.ts).
//
// Invariants:
//   AK1. A policy is asked only while somebody waits for what it says: whatever was aborted, or was given up because its
//        admission took too long, begins nothing in the policies that were not asked by then.

import type { ToolCall } from "../core/call.js";
import type { Clock } from "../core/clock.js";
import { POLICY_MS_MAX } from "../core/limits.js";
import type { Outcome } from "../core/outcome.js";
import { bounded, isThenable } from "../core/thenable.js";
import type { Ticket } from "../core/ticket.js";
import type { Policy, PolicyView } from "../policy/policy.js";
import type { Admitted } from "./concurrent-invoke.js";
import { answeredBy, type PolicyAsk, policyFailed, type Said, saidBy } from "./policy-answers.js";

export interface Asking {
	readonly policies: readonly Policy[];
	readonly clock: Clock;
	/** Whether a person can be asked. */
	readonly asks: boolean;
}

/** What the call ends with once nobody waits for its policies any more; nothing while somebody does. */
export type Over = () => Outcome | undefined;

export interface Asked {
	readonly call: ToolCall;
	readonly view: PolicyView;
	readonly ticket: Ticket;
	readonly over: Over | undefined;
	/** What the first policy said that wants a person asked. */
	ask?: PolicyAsk;
}

/** Asks the policies from `from` on; goes on by promise only after one that answered by promise. */
export function askPolicies(asking: Asking, about: Asked, from = 0): Admitted<Ticket> | Promise<Admitted<Ticket>> {
	const { policies, clock, asks } = asking;
	for (let place = from; place < policies.length; place += 1) {
		const policy = policies[place];
		if (policy?.admit === undefined) continue;
		// AK1: checked before each, for the one before may have answered late.
		const over = about.over?.();
		if (over !== undefined) return { answered: over };
		const judging = { policy, tool: about.call.name, asks };
		let said: Said;
		try {
			const verdict = policy.admit(about.call, about.view);
			if (isThenable(verdict)) {
				const bound = { what: `the policy ${policy.name}`, limitMs: POLICY_MS_MAX, clock };
				return bounded(verdict, bound).then(
					(value) => heard(about, saidBy(judging, value)) ?? askPolicies(asking, about, place + 1),
					(error: unknown) => ({ answered: policyFailed(policy, error) }),
				);
			}
			said = saidBy(judging, verdict);
		} catch (error) {
			// P2: the throw is the outcome of this call and of no other.
			said = answeredBy(policyFailed(policy, error));
		}
		const answer = heard(about, said);
		if (answer !== undefined) return answer;
	}
	return about.ask === undefined ? { cleared: about.ticket } : { cleared: about.ticket, ask: about.ask };
}

/** The end of a call's admission, if this is what was said. P1: of two that want a person asked the first asks. */
function heard(about: Asked, said: Said): Admitted<Ticket> | undefined {
	if (said.kind === "asks") about.ask ??= said.ask;
	if (said.kind !== "answered") return undefined;
	return about.ask === undefined ? { answered: said.outcome } : { answered: said.outcome, ask: about.ask };
}
