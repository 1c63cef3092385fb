// Approvals
//
// The host's word on which calls a person must approve: by tool, by effect, or by a look at the call. A tool that asks by
// itself (`requiresApproval`) needs none of this and is not excused by it. How a person is asked, what a yes covers and
// what an `always` of theirs means is the engine's; this says no more than that one is to be asked.
//
// Owns:      the three lists and their order: never, always, only with a person's yes.
// Does not:  ask, or remember an answer (wave/approvals.ts).

import type { ToolCall } from "../core/call.js";
import { effectName } from "../core/effect.js";
import { showValue } from "../core/show-value.js";
import { type EffectKind, kindOf, kindSet } from "./effect-kind.js";
import type { Policy, PolicyView, Verdict } from "./policy.js";
import { refuse } from "./refusal.js";

/**
 * Calls that a rule is about: those for which everything that stands here holds. An empty one is about every call.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface ApprovalRule {
	/** Names of tools. */
	readonly tools?: readonly string[];
	/** Kinds of effects, without their areas and labels: `"write"` is every write. */
	readonly effects?: readonly EffectKind[];
	/** Looks at the call and nothing else: what was said of one call is said of an equal one. */
	readonly when?: (call: ToolCall, view: PolicyView) => boolean;
	/** Why, in a sentence for the person, or for the model where the rule refuses. */
	readonly reason?: string;
}

/**
 * What {@link approvals} asks about. `deny` goes before `allow`, and `allow` before `ask`; a call that none is about runs.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface ApprovalsOptions {
	/** Never run, nobody is asked. Default: none. */
	readonly deny?: readonly ApprovalRule[];
	/** Run without a question of this policy. Default: none. */
	readonly allow?: readonly ApprovalRule[];
	/** Run only when a person approves. Default: everything but reads. */
	readonly ask?: readonly ApprovalRule[];
}

type Rule = (call: ToolCall, view: PolicyView) => boolean;

interface Checked {
	readonly about: Rule;
	readonly reason: string | undefined;
}

const ALL_BUT_READS: readonly ApprovalRule[] = [{ effects: ["write", "egress", "connector", "spawn", "govern"] }];
const LISTS = ["deny", "allow", "ask"] as const;
const FIELDS: readonly string[] = ["tools", "effects", "when", "reason"];

/**
 * Has a person asked about calls, refuses calls, or lets them run unasked. A refusal is `DENIED` by the rule `approvals`.
 *
 * A person who answers `always` approves, for the rest of the run, every call of the tool that is asked about for the same
 * reason: give rules that mean different things a `reason` of their own.
 *
 * @throws EngineError `INVALID_OPTIONS` for a list, a rule or an effect that does not exist.
 * @remarks Since 0.1.0.
 * @public
 */
export function approvals(options: ApprovalsOptions = {}): Policy {
	for (const name of Object.keys(options)) {
		if (!LISTS.some((list) => list === name)) refuse(`${showValue(name)} is none of the lists ${LISTS.join(", ")}`);
	}
	const [deny, allow, ask] = [
		rulesOf(options.deny, "deny"),
		rulesOf(options.allow, "allow"),
		rulesOf(options.ask ?? ALL_BUT_READS, "ask"),
	];
	return {
		name: "approvals",
		judgesFormAlone: true,
		admit(call, view) {
			const denying = deny.find(({ about }) => about(call, view));
			if (denying !== undefined) return never(call, denying);
			if (allow.some(({ about }) => about(call, view))) return "clear";
			const asking = ask.find(({ about }) => about(call, view));
			if (asking === undefined) return "clear";
			return { ask: asking.reason ?? `Its effect is ${effectName(view.effect)}.` };
		},
	};
}

function never({ name }: ToolCall, { reason }: Checked): Verdict {
	return {
		deny: {
			rule: "approvals",
			violation: reason ?? `This host never lets such a call of ${name} run.`,
			alternative: "Do without the call, or ask whoever runs this host to allow it.",
		},
	};
}

function rulesOf(rules: readonly ApprovalRule[] = [], list: string): readonly Checked[] {
	if (!Array.isArray(rules)) refuse(`${list} is ${showValue(rules)}, not a list`);
	return rules.map((rule: ApprovalRule, place) => checked(rule, `${list}[${place}]`));
}

function checked(rule: ApprovalRule, option: string): Checked {
	if (typeof rule !== "object" || rule === null) refuse(`${option} is ${showValue(rule)}, not a rule`);
	for (const field of Object.keys(rule)) {
		// A condition that is misspelled would be one that is not there, and the rule about every call.
		if (!FIELDS.includes(field)) refuse(`${option} has ${showValue(field)}, none of ${FIELDS.join(", ")}`);
	}
	const { when, reason } = rule;
	if (when !== undefined && typeof when !== "function") refuse(`${option}.when is ${showValue(when)}, not a function`);
	if (reason !== undefined && (typeof reason !== "string" || reason === "")) {
		refuse(`${option}.reason is ${showValue(reason)}, not a sentence`);
	}
	const tools = rule.tools && namesIn(rule.tools, `${option}.tools`);
	const effects = rule.effects && kindSet(rule.effects, `${option}.effects`);
	const about: Rule = (call, view) =>
		tools?.has(call.name) !== false && effects?.has(kindOf(view.effect)) !== false && saysYes(when, call, view);
	return { about, reason };
}

function saysYes(when: ApprovalRule["when"], call: ToolCall, view: PolicyView): boolean {
	const said: unknown = when === undefined || when(call, view);
	// A promise is truthy, and would make a rule of a question that nobody waited for.
	if (typeof said !== "boolean") throw new TypeError(`a rule's \`when\` said ${showValue(said)}, neither yes nor no`);
	return said;
}

function namesIn(names: readonly string[], option: string): ReadonlySet<string> {
	if (!Array.isArray(names)) refuse(`${option} is ${showValue(names)}, not a list`);
	const wrong = names.find((name) => typeof name !== "string");
	if (wrong !== undefined) refuse(`${option} holds ${showValue(wrong)}, not a name`);
	return new Set(names);
}
