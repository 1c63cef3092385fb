// Define policy
//
// The check of a policy of the host's own. A member with a wrong name would never be called, and nothing would say so:
// a rule that is misspelled is a rule that is not there.
//
// Owns:      the check, as a host calls it.
// Does not:  run the policy, or say what an engine asks of one that was not checked (core/policy-shape.ts).

import { EngineError } from "../core/errors.js";
import { type KnownFields, strayField } from "../core/known-fields.js";
import { POLICY_HALVES, policyProblem } from "../core/policy-shape.js";
import { showValue } from "../core/show-value.js";
import type { Policy } from "./policy.js";

const FIELDS: KnownFields<Policy> = {
	name: true,
	judgesFormAlone: true,
	admit: true,
	begin: true,
	account: true,
	record: true,
};

/**
 * Checks a policy and gives it back typed and frozen. What it remembers belongs in variables around it, by `runId`.
 *
 * @example
 * ```ts
 * const officeHours = definePolicy({
 *   name: 'office-hours',
 *   admit: (_call, { at, effect }) => {
 *     if (effect === 'read' || new Date(at).getUTCHours() >= 8) return 'clear';
 *     return { deny: { rule: 'office-hours', violation: 'It is night.', alternative: 'Call again after eight.' } };
 *   },
 * });
 * ```
 * @throws EngineError `INVALID_OPTIONS`: no name, a half that is no function, no half at all, a field no policy has.
 * @remarks Since 0.1.0.
 * @public
 */
export function definePolicy(policy: Policy): Policy {
	const stray = typeof policy === "object" && policy !== null ? strayField(policy, FIELDS) : undefined;
	const problem = stray ?? policyProblem(policy);
	if (problem === undefined) return Object.freeze(copyOf(policy));
	const named = typeof policy?.name === "string" ? `the policy ${showValue(policy.name)}` : "a policy";
	throw new EngineError("INVALID_OPTIONS", { action: `define ${named}`, problem });
}

// By name and not by spreading: the halves of a class's object are its prototype's, and a rule lost in the copy would be
// one that nobody asks. Those stay that object's, so that `this` is what it was.
function copyOf(policy: Policy): Policy {
	const { name, judgesFormAlone } = policy;
	const halves = POLICY_HALVES.flatMap((half) => {
		const given: unknown = policy[half];
		if (typeof given !== "function") return [];
		return [[half, Object.hasOwn(policy, half) ? given : given.bind(policy)] as const];
	});
	return { name, ...(judgesFormAlone !== undefined && { judgesFormAlone }), ...Object.fromEntries(halves) };
}
