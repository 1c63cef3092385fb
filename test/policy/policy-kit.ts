// Policy kit
//
// What the tests of single policies are written in: a call, a view of it, and a policy put through the two halves by
// hand.
//
// Owns:      those helpers.
// Does not:  run waves (support/law-kit.ts does).

import type { ToolCall } from "../../engine/core/call.js";
import type { Policy, PolicyView, Verdict } from "../../engine/index.js";

export function called(name: string, args: unknown = {}): ToolCall {
	return { id: "", name, args };
}

export function viewOf(parts: Partial<PolicyView> = {}): PolicyView {
	const { index = 0, lineage } = parts;
	return { runId: "run", step: 0, index, segment: lineage?.at(-1) ?? index, at: 0, args: {}, effect: "read", ...parts };
}

/** The verdict of a policy that answers at once. */
export function verdict(policy: Policy, call: ToolCall, view: PolicyView): Verdict {
	const said = policy.admit?.(call, view) ?? "clear";
	if (said instanceof Promise) throw new Error("the policy answered by a promise");
	return said;
}

export function refusal(said: Verdict): { rule: string; violation: string; alternative: string } {
	if (typeof said === "string" || !("deny" in said)) throw new Error(`this is no refusal: ${JSON.stringify(said)}`);
	return said.deny;
}
