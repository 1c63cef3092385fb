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
import type { KnownFields } from "../core/known-fields.js";
import type { Outcome } from "../core/outcome.js";
import { showValue } from "../core/show-value.js";
import { bytesOf } from "./answer-size.js";
import { neverRan } from "./never-ran.js";
import { OpenCalls } from "./open-calls.js";
import type { Policy, PolicyView, Verdict } from "./policy.js";
import { demandKnown, refuse } from "./refusal.js";
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
	/** For a whole run. Default: no limit. */
	readonly run?: BudgetLimits;
	/** For each step of a run. Default: no limit. */
	readonly step?: BudgetLimits;
	/** What a call is expected to use, reserved until it is accounted. Default: nothing, beside the call itself. */
	readonly reserve?: (call: ToolCall, view: PolicyView) => { readonly bytes?: number; readonly cost?: number };
	/** What a call did cost; asked at accounting for calls whose tool ran. Default: what it reserved. */
	readonly costOf?: (call: ToolCall, outcome: Outcome, view: PolicyView) => number;
}

const FIELDS: KnownFields<BudgetOptions> = { run: true, step: true, reserve: true, costOf: true };
const LIMITS: KnownFields<BudgetLimits> = { calls: true, timeMs: true, bytes: true, cost: true };

const COUNTED = ["calls", "bytes", "cost"] as const;
type Counted = (typeof COUNTED)[number];
type Amounts = Record<Counted, number>;

interface Account {
	readonly used: Amounts;
	readonly reserved: Amounts;
	/** The stamp of its first admission. */
	firstAt: number | undefined;
}

interface Spending {
	readonly run: Account;
	step: Account;
	/** Calls that reserved and were not accounted. */
	readonly open: OpenCalls<Amounts>;
}

/**
 * Refuses calls once a run, or the current step, has used up what it may: `DENIED` by the rule `budget.run.calls` and the
 * like, naming what is used up.
 *
 * @throws EngineError `INVALID_OPTIONS` for an option that does not exist, and a bound that is not a number from 0.
 * @remarks Since 0.1.0.
 * @public
 */
export function budget(options: BudgetOptions): Policy {
	demandKnown(options, FIELDS);
	for (const [name, code] of Object.entries({ reserve: options.reserve, costOf: options.costOf })) {
		if (code !== undefined && typeof code !== "function") refuse(`${name} is ${showValue(code)}, not a function`);
	}
	const bounds = [...boundsOf(options.run, "run"), ...boundsOf(options.step, "step")];
	const countsBytes = bounds.some(({ name }) => name === "bytes");
	const runs = new RunStates(newSpending);
	return {
		name: "budget",
		judgesFormAlone: true,
		admit(call, view) {
			// The call has reserved already, in the form that the model asked for; another form makes it no second call.
			if (view.rewritten) return "clear";
			const spending = runs.of(view.runId);
			enter(spending, view);
			const expected = options.reserve === undefined ? ONE_CALL : reservation(options.reserve(call, view));
			const asked = { spending, expected, at: view.at };
			for (const bound of bounds) {
				const detail = overrun(bound, asked);
				if (detail !== undefined) return usedUp(bound, detail);
			}
			spending.open.hold(view, expected);
			add(spending, "reserved", expected);
			return "clear";
		},
		account(call, outcome, view) {
			const spending = runs.of(view.runId);
			const expected = settle(spending, view);
			if (neverRan(outcome)) return;
			add(spending, "used", { calls: 1, bytes: countsBytes ? bytesOf(outcome) : 0, cost: 0 });
			// Last, because it is the host's code and may throw: the call has been counted by then.
			const cost = options.costOf === undefined ? (expected?.cost ?? 0) : amount(options.costOf(call, outcome, view));
			if (cost !== 0) add(spending, "used", { calls: 0, bytes: 0, cost });
		},
	};
}

const NOTHING: Amounts = { calls: 0, bytes: 0, cost: 0 };
const ONE_CALL: Amounts = { calls: 1, bytes: 0, cost: 0 };

function account(): Account {
	return { used: { ...NOTHING }, reserved: { ...NOTHING }, firstAt: undefined };
}

function newSpending(): Spending {
	const open = new OpenCalls<Amounts>(({ calls, bytes, cost }) => {
		add(spending, "reserved", { calls: -calls, bytes: -bytes, cost: -cost });
	});
	const spending: Spending = { run: account(), step: account(), open };
	return spending;
}

/** Opens a step's account where the call is the first of a wave. */
function enter(spending: Spending, view: PolicyView): void {
	if (spending.open.enter(view)) spending.step = account();
	spending.run.firstAt ??= view.at;
	spending.step.firstAt ??= view.at;
}

/** Gives back what the call had reserved, and what those before it had that no accounting will come for. */
function settle(spending: Spending, view: PolicyView): Amounts | undefined {
	const expected = spending.open.settle(view);
	const { size } = spending.open;
	const { calls } = spending.run.reserved;
	invariant(calls === size, "BU1", "there are more calls open than reserved for, or fewer");
	if (size === 0) {
		// Sums of fractions do not come back to nothing exactly.
		Object.assign(spending.run.reserved, NOTHING);
		Object.assign(spending.step.reserved, NOTHING);
	}
	return expected;
}

function add({ run, step }: Spending, what: "used" | "reserved", amounts: Amounts): void {
	increase(run[what], amounts);
	increase(step[what], amounts);
}

function increase(sum: Amounts, { calls, bytes, cost }: Amounts): void {
	sum.calls += calls;
	sum.bytes += bytes;
	sum.cost += cost;
}

interface Bound {
	readonly scope: "run" | "step";
	readonly name: keyof BudgetLimits;
	readonly limit: number;
}

interface Asked {
	readonly spending: Spending;
	readonly expected: Amounts;
	readonly at: number;
}

/** What is used up, where the call would go beyond the bound. */
function overrun({ scope, name, limit }: Bound, { spending, expected, at }: Asked): string | undefined {
	const { used, reserved, firstAt } = spending[scope];
	if (name === "timeMs") {
		const passedMs = at - (firstAt ?? at);
		return passedMs < limit ? undefined : `${passedMs} of ${limit} ms have passed since its first call`;
	}
	const taken = used[name] + reserved[name];
	if (taken < limit && taken + expected[name] <= limit) return undefined;
	const held = reserved[name] > 0 ? ` and ${reserved[name]} reserved by calls that run` : "";
	return `${used[name]} of ${limit} are used${held}, and the call asks for ${expected[name]}`;
}

function usedUp({ scope, name }: Bound, detail: string): Verdict {
	const violation = `The budget of the ${scope} is used up in ${name}: ${detail}.`;
	const alternative =
		scope === "run"
			? "Answer with what is known; no further call of this kind will run."
			: "Go on in the next step, with the calls that matter most first.";
	return { deny: { rule: `budget.${scope}.${name}`, violation, alternative } };
}

function reservation({ bytes = 0, cost = 0 }: { readonly bytes?: number; readonly cost?: number }): Amounts {
	return { calls: 1, bytes: amount(bytes), cost: amount(cost) };
}

function amount(said: number): number {
	if (typeof said === "number" && said >= 0 && Number.isFinite(said)) return said;
	throw new TypeError(`an amount is ${showValue(said)}, not a number from 0`);
}

function boundsOf(limits: BudgetLimits = {}, scope: Bound["scope"]): Bound[] {
	demandKnown(limits, LIMITS, scope);
	return Object.entries(limits).map(([field, limit]) => {
		// True: there are no other fields.
		const name = field as keyof BudgetLimits;
		if (typeof limit === "number" && limit >= 0) return { scope, name, limit };
		return refuse(`${scope}.${name} is ${showValue(limit)}, not a number from 0`);
	});
}
