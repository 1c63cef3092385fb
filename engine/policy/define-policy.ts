// Define policy
//
// The check of a policy of the host's own, also of one that an engine is given without it. A member with a wrong name would never be called, and nothing would say so:
// a rule that is misspelled is a rule that is not there.
//
// Owns:      the check.
// Does not:  run the policy.

import { EngineError } from "../core/errors.js";
import { type KnownFields, strayField } from "../core/known-fields.js";
import { showValue } from "../core/show-value.js";
import type { Policy } from "./policy.js";

const HALVES = ["admit", "account", "record"] as const;
const FIELDS: KnownFields<Policy> = { name: true, judgesFormAlone: true, admit: true, account: true, record: true };

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
	const halves = HALVES.flatMap((half) => {
		const given: unknown = policy[half];
		if (typeof given !== "function") return [];
		return [[half, Object.hasOwn(policy, half) ? given : given.bind(policy)] as const];
	});
	return { name, ...(judgesFormAlone !== undefined && { judgesFormAlone }), ...Object.fromEntries(halves) };
}

/** What keeps an object from being a policy; it may have members of its own beside a policy's. */
export function policyProblem(policy: Policy): string | undefined {
	if (typeof policy !== "object" || policy === null) return `it is ${showValue(policy)}, not an object`;
	if (typeof policy.name !== "string" || policy.name === "") return `its name is ${showValue(policy.name)}, not a text`;
	const { judgesFormAlone } = policy;
	if (judgesFormAlone !== undefined && typeof judgesFormAlone !== "boolean") {
		return `its judgesFormAlone is ${showValue(judgesFormAlone)}, not a boolean`;
	}
	const given = HALVES.filter((half) => policy[half] !== undefined);
	if (given.length === 0) return `it has none of ${HALVES.join(", ")}`;
	const wrong = given.find((half) => typeof policy[half] !== "function");
	return wrong === undefined ? undefined : `its ${wrong} is ${showValue(policy[wrong])}, not a function`;
}
