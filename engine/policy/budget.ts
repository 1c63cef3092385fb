// Budget
//
// What a run, and each step of it, may use up: calls, bytes, cost, and time. A call reserves at admission what it is
// expected to use and is corrected at accounting to what it did use, so that a wide wave of reads cannot overrun a budget
// that each of them would have kept to. Time is read from the admission stamps, which the entries hold: no other clock.
//
// Calls that make calls and run at once share what is left evenly, the first ones taking what does not divide: so what each
// may do does not depend on what the others do meanwhile, and all of them together keep to the bound.
//
// Owns:      what each run and its current step have used and reserved.
// Does not:  stop a call that runs (timeouts do), know prices (the host's `costOf` does), or say when a call would go
//            beyond a bound (budget-bounds.ts).
//
// Invariants:
//   BU1. What is reserved is the sum of what the cleared calls reserved that are not accounted yet.

import type { ToolCall } from "../core/call.js";
import { invariant } from "../core/invariant.js";
import type { KnownFields } from "../core/known-fields.js";
import type { Outcome } from "../core/outcome.js";
import { showValue } from "../core/show-value.js";
import { bytesOf } from "./answer-size.js";
import { type Amounts, costGiven, increase, NOTHING, type Reserved, reservation } from "./budget-amounts.js";
import { type Account, type BudgetLimits, boundsOf, refusalBy, type Spending } from "./budget-bounds.js";
import { neverRan } from "./never-ran.js";
import type { Policy, PolicyView } from "./policy.js";
import { demandKnown, refuse } from "./refusal.js";
import { RunLines } from "./run-lines.js";

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
	/**
	 * What a call is expected to use, reserved from its admission until it is accounted. Default: nothing, beside the call
	 * itself, which is what `{}` says. Asked once a call, in the form that the model asked for, and once more where another
	 * process goes on with the run.
	 *
	 * - `calls`: how many calls it and those that it makes may be, `1` for one that makes none; whole, minimum `1`. Left out:
	 *   it is one, and those that it makes may be an even share of what its segment leaves.
	 * - `bytes`, `cost`: a number from 0, default `0`. The calls that it makes may use that and an even share.
	 *
	 * Who is admitted first takes first: what is reserved for a call is not there for those behind it, nor for what those
	 * before it make. A call for which more is reserved than is left is refused, and nothing is held for it.
	 *
	 * A throw is `POLICY_FAILED` for that call: it does not run, and nothing is reserved for it. So is whatever is no object of
	 * these fields: another field, `undefined`, a list, a promise (it is not waited for), an amount that is no such number.
	 */
	readonly reserve?: (call: ToolCall, view: PolicyView) => Partial<Record<"calls" | "bytes" | "cost", number>>;
	/**
	 * What a call did cost, a number from 0; asked at accounting for calls whose tool ran. Default: what it reserved.
	 *
	 * A throw, and whatever is no such number, is `POLICY_FAILED` in the place of what the call answered. The call has run: it
	 * is counted, at the cost that was reserved for it.
	 */
	readonly costOf?: (call: ToolCall, outcome: Outcome, view: PolicyView) => number;
}

const FIELDS: KnownFields<BudgetOptions> = { run: true, step: true, reserve: true, costOf: true };

/**
 * Refuses calls once a run, or the current step, has used up what it may: `DENIED` by the rule `budget.run.calls` and the
 * like, naming what is used up and whose part of it, where a call made the call.
 *
 * @throws EngineError `INVALID_OPTIONS` for an option that does not exist, a bound that is not a number from 0, and where
 * neither `run` nor `step` has a bound.
 * @remarks Since 0.1.0.
 * @public
 */
export function budget(options: BudgetOptions): Policy {
	demandKnown(options, FIELDS);
	for (const [name, code] of Object.entries({ reserve: options.reserve, costOf: options.costOf })) {
		if (code !== undefined && typeof code !== "function") refuse(`${name} is ${showValue(code)}, not a function`);
	}
	const bounds = [...boundsOf(options.run, "run"), ...boundsOf(options.step, "step")];
	if (bounds.length === 0) refuse("neither run nor step has a bound; there are calls, timeMs, bytes, cost");
	const countsBytes = bounds.some(({ name }) => name === "bytes");
	const memory = new RunLines<Spending, Reserved>({ make: spending, absorb, hold, letGo, wave, shares });
	return {
		name: "budget",
		judgesFormAlone: true,
		admit(call, view) {
			// The call has reserved already, in the form that the model asked for; another form makes it no second call.
			if (view.rewritten) return "clear";
			const seen = memory.enter(view);
			const tool = call.name;
			const expected = options.reserve ? reservation(options.reserve(call, view), tool) : oneCall(tool);
			const asked = { seen, expected, at: view.at };
			for (const bound of bounds) {
				const refusal = refusalBy(bound, asked);
				if (refusal !== undefined) return refusal;
			}
			memory.hold(view, expected);
			return "clear";
		},
		account(call, outcome, view) {
			if (neverRan(outcome)) {
				memory.accounted(view, outcome);
				return;
			}
			const bytes = countsBytes ? bytesOf(outcome) : 0;
			let cost: number | undefined;
			try {
				// The host's code may throw: the call is counted all the same, and not as one that was free.
				if (options.costOf !== undefined) cost = costGiven(options.costOf(call, outcome, view), call.name);
			} finally {
				memory.accounted(view, outcome, (state, expected) => {
					add(state, "used", { calls: 1, bytes, cost: cost ?? expected?.cost ?? 0 });
				});
			}
		},
	};
}

// Written out: a field behind what was spread makes an object that is slow to make and to read.
function oneCall(tool: string): Reserved {
	return { calls: 1, bytes: 0, cost: 0, isExact: false, tool };
}

function account(firstAt?: number): Account {
	return { used: { ...NOTHING }, reserved: { ...NOTHING }, open: 0, firstAt };
}

function spending(): Spending {
	return { run: account(), step: account() };
}

function wave(state: Spending, { at }: PolicyView): void {
	const { open } = state.run;
	invariant(open === 0, "BU1", `something is reserved for ${open} calls where none is open`);
	state.run.firstAt ??= at;
	state.step = account(at);
}

function absorb(into: Spending, from: Spending): void {
	for (const scope of ["run", "step"] as const) {
		increase(into[scope].used, from[scope].used);
		increase(into[scope].reserved, from[scope].reserved);
		into[scope].open += from[scope].open;
		into[scope].firstAt ??= from[scope].firstAt;
	}
}

function shares({ isExact }: Reserved): boolean {
	return !isExact;
}

function hold(state: Spending, expected: Amounts): void {
	add(state, "reserved", expected);
	state.run.open += 1;
	state.step.open += 1;
}

function letGo(state: Spending, { calls, bytes, cost }: Amounts): void {
	add(state, "reserved", { calls: -calls, bytes: -bytes, cost: -cost });
	state.run.open -= 1;
	state.step.open -= 1;
	const { open } = state.run;
	invariant(open >= 0, "BU1", `what was reserved for ${-open} calls was given back once more`);
	if (open > 0) return;
	// Sums of numbers that differ much do not come back to nothing exactly.
	Object.assign(state.run.reserved, NOTHING);
	Object.assign(state.step.reserved, NOTHING);
}

function add({ run, step }: Spending, what: "used" | "reserved", amounts: Amounts): void {
	increase(run[what], amounts);
	increase(step[what], amounts);
}
