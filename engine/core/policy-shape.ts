// Policy shape
//
// What an object must have to be a policy: a name to be known by, and a part that is asked. Looked at wherever a host gives
// one, because a rule that nobody asks is a door that nobody knows to be open.
//
// Owns:      that look.
// Does not:  type a policy (policy/policy.ts) or ask one.

import { showValue } from "./show-value.js";

export const POLICY_HALVES = ["admit", "begin", "account", "record"] as const;

/** What keeps it from being a policy; it may have members of its own beside a policy's. */
export function policyProblem(given: unknown): string | undefined {
	if (typeof given !== "object" || given === null) return `it is ${showValue(given)}, not an object`;
	const policy = given as Readonly<Record<string, unknown>>;
	const { name, judgesFormAlone } = policy;
	if (typeof name !== "string" || name === "") return `its name is ${showValue(name)}, not a text`;
	if (judgesFormAlone !== undefined && typeof judgesFormAlone !== "boolean") {
		return `its judgesFormAlone is ${showValue(judgesFormAlone)}, not a boolean`;
	}
	const halves = POLICY_HALVES.filter((half) => policy[half] !== undefined);
	if (halves.length === 0) return `it has none of ${POLICY_HALVES.join(", ")}`;
	const wrong = halves.find((half) => typeof policy[half] !== "function");
	return wrong === undefined ? undefined : `its ${wrong} is ${showValue(policy[wrong])}, not a function`;
}
