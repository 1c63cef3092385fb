// Budget
//
// What a run, and each step of it, may use up: calls, bytes, cost, and time. A call reserves at admission what it is
// expected to use and is corrected at accounting to what it did use, so that a wide wave of reads cannot overrun a budget
// that each of them would have kept to. Time is read from the admission stamps, which the entries hold: no other clock.
//
// Owns:      what each run and its current step have used and reserved, and the refusals.
// Does not:  stop a call that runs (timeouts do) or know prices (the host's `costOf` does).
//
// Invariants:
//   BU1. What is reserved is the sum of what the cleared calls reserved that are not accounted yet.

import type { ToolCall } from "../core/call.js";
import { invariant } from "../core/invariant.js";
import type { Outcome } from "../core/outcome.js";
import { showValue } from "../core/show-value.js";
import { bytesOf } from "./answer-size.js";
import { refuse } from "./effect-kind.js";
import { neverRan } from "./never-ran.js";
import type { Policy, PolicyView, Verdict } from "./policy.js";
import { RunStates } from "./run-states.js";

/**
 * Bounds of a run or of a step; what is left out is not bounded. A call is refused once a bound is reached.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface BudgetLimits {
	/** Calls whose tools ran. */
	readonly calls?: number;
	/** Milliseconds between the admission of the first call and that of this one. */
	readonly timeMs?: number;
	/** Bytes of answers: of binary its own, of anything else those of its JSON text. */
	readonly bytes?: number;
	/** In the unit of `costOf`. */
	readonly cost?: number;
}

/**
 * What {@link budget} allows.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface BudgetOptions {
	readonly run?: BudgetLimits;
	readonly step?: BudgetLimits;
	/** What a call is expected to use, reserved until it is accounted. Default: nothing, beside the call itself. */
	readonly reserve?: (call: ToolCall, view: PolicyView) => { readonly bytes?: number; readonly cost?: number };
	/** What a call did cost; asked at accounting for calls whose tool ran. Default: what it reserved. */
	readonly costOf?: (call: ToolCall, outcome: Outcome, view: PolicyView) => number;
}

const COUNTED = ["calls", "bytes", "cost"] as const;
type Counted = (typeof COUNTED)[number];
type Amounts = Record<Counted, number>;
type Scope = "run" | "step";

interface Account {
	readonly used: Amounts;
	readonly reserved: Amounts;
	/** The stamp of its first admission. */
	firstAt: number | undefined;
}

interface Spending {
	readonly run: Account;
	step: Account;
	/** The place of the last call that was admitted; one that does not come after it opens a new wave. */
	at: { readonly step: number; readonly index: number } | undefined;
	/** By index, in order: calls that reserved and were not accounted. */
	open: Map<number, Amounts>;
}

/**
 * Refuses calls once a run, or the current step, has used up what it may: `DENIED` by the rule `budget.run.calls` and the
 * like, naming what is used up.
 *
 * @throws EngineError `INVALID_OPTIONS` for a bound that is not a number from 0.
 * @remarks Since 0.1.0.
 * @public
 */
export function budget(options: BudgetOptions): Policy {
	const limits = { run: checked(options.run, "run"), step: checked(options.step, "step") };
	const countsBytes = limits.run.bytes !== undefined || limits.step.bytes !== undefined;
	const runs = new RunStates<Spending>(() => ({ run: account(), step: account(), at: undefined, open: new Map() }));
	return {
		name: "budget",
		judgesFormAlone: true,
		admit(call, view) {
			// The call has reserved already, in the form that the model asked for; another form makes it no second call.
			if (view.rewritten) return "clear";
			const spending = runs.of(view.runId);
			enter(spending, view);
			const expected = { calls: 1, ...reservation(options.reserve?.(call, view)) };
			const refused = refusal({ limits, spending, expected, at: view.at });
			if (refused !== undefined) return refused;
			spending.open.set(view.index, expected);
			add(spending, "reserved", expected);
			return "clear";
		},
		account(call, outcome, view) {
			const spending = runs.of(view.runId);
			const expected = settle(spending, view.index);
			if (neverRan(outcome)) return;
			add(spending, "used", { calls: 1, bytes: countsBytes ? bytesOf(outcome) : 0, cost: 0 });
			// Last, because it is the host's code and may throw: the call has been counted by then.
			const cost = options.costOf === undefined ? (expected?.cost ?? 0) : amount(options.costOf(call, outcome, view));
			add(spending, "used", { calls: 0, bytes: 0, cost });
		},
	};
}

const NOTHING: Amounts = { calls: 0, bytes: 0, cost: 0 };

function account(): Account {
	return { used: { ...NOTHING }, reserved: { ...NOTHING }, firstAt: undefined };
}

/** Opens a step's account where the call is the first of a wave. */
function enter(spending: Spending, { step, index, at }: PolicyView): void {
	const { at: last } = spending;
	if (last === undefined || last.step !== step || index <= last.index) {
		for (const open of [...spending.open.keys()]) settle(spending, open);
		spending.step = account();
	}
	spending.at = { step, index };
	spending.run.firstAt ??= at;
	spending.step.firstAt ??= at;
}

/**
 * Gives back what the call had reserved, and what every call before it had: accounting comes in call order, so those were
 * refused by a policy further down and will never be accounted.
 */
function settle(spending: Spending, index: number): Amounts | undefined {
	const own = spending.open.get(index);
	for (const [open, { calls, bytes, cost }] of spending.open) {
		if (open > index) break;
		spending.open.delete(open);
		add(spending, "reserved", { calls: -calls, bytes: -bytes, cost: -cost });
	}
	const { calls } = spending.run.reserved;
	invariant(calls === spending.open.size, "BU1", `${spending.open.size} calls are open and ${calls} reserved`);
	if (spending.open.size === 0) {
		// Sums of fractions do not come back to nothing exactly.
		Object.assign(spending.run.reserved, NOTHING);
		Object.assign(spending.step.reserved, NOTHING);
	}
	return own;
}

function add({ run, step }: Spending, what: "used" | "reserved", amounts: Amounts): void {
	for (const name of COUNTED) {
		run[what][name] += amounts[name];
		step[what][name] += amounts[name];
	}
}

interface Asked {
	readonly limits: Readonly<Record<Scope, BudgetLimits>>;
	readonly spending: Spending;
	readonly expected: Amounts;
	readonly at: number;
}

function refusal({ limits, spending, expected, at }: Asked): Verdict | undefined {
	for (const scope of ["run", "step"] as const) {
		const { used, reserved, firstAt } = spending[scope];
		for (const name of COUNTED) {
			const limit = limits[scope][name];
			const taken = used[name] + reserved[name];
			if (limit === undefined || (taken < limit && taken + expected[name] <= limit)) continue;
			const held = reserved[name] > 0 ? ` and ${reserved[name]} reserved by calls that run` : "";
			return usedUp(scope, name, `${used[name]} of ${limit} are used${held}, and the call asks for ${expected[name]}`);
		}
		const { timeMs } = limits[scope];
		const passedMs = at - (firstAt ?? at);
		if (timeMs !== undefined && passedMs >= timeMs) {
			return usedUp(scope, "timeMs", `${passedMs} of ${timeMs} ms have passed since its first call`);
		}
	}
	return undefined;
}

function usedUp(scope: Scope, name: Counted | "timeMs", detail: string): Verdict {
	const violation = `The budget of the ${scope} is used up in ${name}: ${detail}.`;
	const alternative =
		scope === "run"
			? "Answer with what is known; no further call of this kind will run."
			: "Go on in the next step, with the calls that matter most first.";
	return { deny: { rule: `budget.${scope}.${name}`, violation, alternative } };
}

function reservation(said: { readonly bytes?: number; readonly cost?: number } | undefined): Omit<Amounts, "calls"> {
	return { bytes: amount(said?.bytes ?? 0), cost: amount(said?.cost ?? 0) };
}

function amount(said: number): number {
	if (typeof said === "number" && said >= 0 && Number.isFinite(said)) return said;
	throw new TypeError(`an amount is ${showValue(said)}, not a number from 0`);
}

function checked(limits: BudgetLimits = {}, scope: Scope): BudgetLimits {
	for (const [name, limit] of Object.entries(limits)) {
		if (name !== "timeMs" && !COUNTED.some((counted) => counted === name)) {
			refuse(`${scope} bounds ${showValue(name)}, none of ${COUNTED.join(", ")}, timeMs`);
		}
		if (!(typeof limit === "number" && limit >= 0))
			refuse(`${scope}.${name} is ${showValue(limit)}, not a number from 0`);
	}
	return limits;
}
