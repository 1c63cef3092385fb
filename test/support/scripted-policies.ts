// Scripted policies
//
// Policies whose every decision shows what they had seen by then, so that one admission or accounting out of its place
// changes the text of an outcome. Each is made afresh for a run: a policy carries state.
//
// Owns:      the policies of random waves and the plain data they are made from.
// Does not:  choose which a wave has (wave-arbitrary.ts).

import { isRead } from "../../engine/core/effect.js";
import { answered, type Outcome } from "../../engine/core/outcome.js";
import type { Policy, PolicyView, Verdict } from "../../engine/policy/policy.js";
import type { Hold } from "./held-work.js";

/** What a policy does to the call of a number. */
export type Act = "deny" | "answer" | "throw at admission" | "throw at accounting" | "rewrite" | "clear";

export type PolicyPlan =
	| { readonly kind: "gate"; readonly acts: ReadonlyMap<number, Act> }
	| { readonly kind: "budget"; readonly most: number }
	| { readonly kind: "taint"; readonly sources: ReadonlySet<number> }
	| { readonly kind: "witness"; readonly asked: ReadonlySet<number> };

export interface Pace {
	/** Where a policy waits; left out, it answers at once. */
	readonly hold?: Hold;
}

export function scriptedPolicy(plan: PolicyPlan, place: number, pace: Pace = {}): Policy {
	const policy = { ...made(plan), name: `${plan.kind}-${place}` };
	return pace.hold === undefined ? policy : slow(policy, pace.hold);
}

function made(plan: PolicyPlan): Omit<Policy, "name"> {
	switch (plan.kind) {
		case "gate":
			return gate(plan.acts);
		case "budget":
			return budget(plan.most);
		case "taint":
			return taint(plan.sources);
		case "witness":
			return witness(plan.asked);
	}
}

function numberOf(view: PolicyView): number {
	return (view.args as { n: number }).n;
}

function gate(acts: ReadonlyMap<number, Act>): Omit<Policy, "name"> {
	return {
		admit(_call, view): Verdict {
			const act = acts.get(numberOf(view));
			if (act === "throw at admission") throw new Error(`the gate broke at ${view.index}`);
			if (act === "answer") return { answer: answered({ kept: view.index }) };
			if (act !== "deny") return "clear";
			const violation = `Call ${view.index} of segment ${view.segment} is barred.`;
			return { deny: { rule: "gate", violation, alternative: "Ask for another." } };
		},
		account(_call, outcome, view) {
			const act = acts.get(numberOf(view));
			if (act === "throw at accounting") throw new TypeError(`the gate broke after ${view.index}`);
			return act === "rewrite" && outcome.ok ? answered({ rewritten: view.index }) : undefined;
		},
	};
}

/** Reserves one at admission, gives it back at accounting when the call failed. */
function budget(most: number): Omit<Policy, "name"> {
	let spent = 0;
	return {
		admit(): Verdict {
			if (spent >= most) {
				return { deny: { rule: "budget", violation: `${spent} of ${most} are spent.`, alternative: "Stop here." } };
			}
			spent += 1;
			return "clear";
		},
		account(_call, outcome) {
			if (!outcome.ok) spent -= 1;
		},
	};
}

/** Once one of the named calls has answered, everything but reads is refused. */
function taint(sources: ReadonlySet<number>): Omit<Policy, "name"> {
	let from: number | undefined;
	return {
		admit(_call, view): Verdict {
			if (from === undefined || isRead(view.effect)) return "clear";
			const violation = `Content of call ${from} came from outside.`;
			return { deny: { rule: "taint", violation, alternative: "Read only." } };
		},
		account(_call, outcome, view) {
			if (outcome.ok && sources.has(numberOf(view))) from ??= view.index;
		},
	};
}

/** Answers with everything it has seen so far; marks what it accounts with the number of accountings. */
function witness(asked: ReadonlySet<number>): Omit<Policy, "name"> {
	const admitted: number[] = [];
	const accounted: number[] = [];
	return {
		admit(call, view): Verdict {
			admitted.push(view.index);
			if (!asked.has(numberOf(view))) return "clear";
			return { answer: answered({ admitted, accounted, name: call.name, args: view.args }) };
		},
		account(_call, outcome, view): Outcome | undefined {
			accounted.push(view.index);
			return outcome.ok && typeof outcome.value === "number" ? answered([outcome.value, ...accounted]) : undefined;
		},
	};
}

function slow(policy: Policy, hold: Hold): Policy {
	return {
		name: policy.name,
		async admit(call, view) {
			await hold(`${policy.name} admits ${view.index}`);
			return (await policy.admit?.(call, view)) ?? "clear";
		},
		async account(call, outcome, view) {
			await hold(`${policy.name} accounts ${view.index}`);
			return policy.account?.(call, outcome, view);
		},
	};
}
