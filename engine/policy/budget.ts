// Budget
//
// What a run, and each step of it, may use up: calls, bytes, cost, and time. A call reserves at admission what it is
// expected to use and is corrected at accounting to what it did use, so that a wide wave of reads cannot overrun a budget
// that each of them would have kept to. Time is read from the admission stamps, which the entries hold: no other clock.
//
// Calls that make calls and run at once share what is left evenly, the first ones taking what does not divide: so what each
// may do does not depend on what the others do meanwhile, and all of them together keep to the bound.
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
import type { Policy, PolicyView, Verdict } from "./policy.js";
import { demandKnown, refuse } from "./refusal.js";
import { RunLines } from "./run-lines.js";
import type { Seen, SeenMaker } from "./run-memory-parts.js";

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
	/**
	 * What a call is expected to use, reserved until it is accounted. Default: nothing, beside the call itself.
	 *
	 * `calls`: how many calls it and those that it makes may be, `1` for one that makes none; whole, minimum `1`. Left out: it
	 * is one, and those that it makes may be an even share of what its segment leaves. Of `bytes` and `cost` they may use
	 * what is reserved for it and such a share.
	 */
	readonly reserve?: (call: ToolCall, view: PolicyView) => Partial<Record<"calls" | "bytes" | "cost", number>>;
	/** What a call did cost; asked at accounting for calls whose tool ran. Default: what it reserved. */
	readonly costOf?: (call: ToolCall, outcome: Outcome, view: PolicyView) => number;
}

const FIELDS: KnownFields<BudgetOptions> = { run: true, step: true, reserve: true, costOf: true };
const LIMITS: KnownFields<BudgetLimits> = { calls: true, timeMs: true, bytes: true, cost: true };

const COUNTED = ["calls", "bytes", "cost"] as const;
type Counted = (typeof COUNTED)[number];
type Amounts = Record<Counted, number>;

/** What a call is expected to use, and whether it was said how many calls it may make. */
type Reserved = Readonly<Amounts> & { readonly isExact: boolean };

interface Account {
	readonly used: Amounts;
	readonly reserved: Amounts;
	/** The stamp of its first admission. */
	firstAt: number | undefined;
}

/** Of a run and of its current step; among the calls that a call makes both are the same. */
interface Spending {
	readonly run: Account;
	step: Account;
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
	const memory = new RunLines<Spending, Reserved>({ make: spending, absorb, hold, letGo, wave, shares });
	return {
		name: "budget",
		judgesFormAlone: true,
		admit(call, view) {
			// The call has reserved already, in the form that the model asked for; another form makes it no second call.
			if (view.rewritten) return "clear";
			const seen = memory.enter(view);
			const expected = options.reserve === undefined ? ONE_CALL : reservation(options.reserve(call, view));
			const asked = { seen, expected, at: view.at };
			for (const bound of bounds) {
				const detail = overrun(bound, asked);
				if (detail !== undefined) return usedUp(bound, detail);
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
				// The host's code may throw: the call is counted all the same.
				if (options.costOf !== undefined) {
					cost = 0;
					cost = amount(options.costOf(call, outcome, view));
				}
			} finally {
				memory.accounted(view, outcome, (state, expected) => {
					add(state, "used", { calls: 1, bytes, cost: cost ?? expected?.cost ?? 0 });
				});
			}
		},
	};
}

const NOTHING: Amounts = { calls: 0, bytes: 0, cost: 0 };
const ONE_CALL: Reserved = { calls: 1, bytes: 0, cost: 0, isExact: false };

function account(firstAt?: number): Account {
	return { used: { ...NOTHING }, reserved: { ...NOTHING }, firstAt };
}

function spending(): Spending {
	return { run: account(), step: account() };
}

function wave(state: Spending, { at }: PolicyView): void {
	const { calls } = state.run.reserved;
	invariant(calls === 0, "BU1", `${calls} calls are reserved for where none is open`);
	state.run.firstAt ??= at;
	state.step = account(at);
}

function absorb(into: Spending, from: Spending): void {
	for (const scope of ["run", "step"] as const) {
		increase(into[scope].used, from[scope].used);
		increase(into[scope].reserved, from[scope].reserved);
		into[scope].firstAt ??= from[scope].firstAt;
	}
}

function shares({ isExact }: Reserved): boolean {
	return !isExact;
}

function hold(state: Spending, expected: Amounts): void {
	add(state, "reserved", expected);
}

function letGo(state: Spending, { calls, bytes, cost }: Amounts): void {
	add(state, "reserved", { calls: -calls, bytes: -bytes, cost: -cost });
	const { reserved } = state.run;
	invariant(reserved.calls >= 0, "BU1", `${-reserved.calls} calls more were given back than were reserved`);
	if (reserved.calls > 0) return;
	// Sums of fractions do not come back to nothing exactly.
	Object.assign(state.run.reserved, NOTHING);
	Object.assign(state.step.reserved, NOTHING);
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
	readonly seen: readonly Seen<Spending, Reserved>[];
	readonly expected: Amounts;
	readonly at: number;
}

/** What is used up, where the call would go beyond the bound. */
function overrun({ scope, name, limit }: Bound, { seen, expected, at }: Asked): string | undefined {
	if (name === "timeMs") {
		const firstAt = seen[0]?.state[scope].firstAt ?? at;
		const passedMs = at - firstAt;
		return passedMs < limit ? undefined : `${passedMs} of ${limit} ms have passed since its first call`;
	}
	let most = limit;
	for (const { state, maker } of seen) {
		const { used, reserved } = state[scope];
		const taken = used[name] + reserved[name];
		if (maker !== undefined) {
			most = shareOf(Math.max(0, most - taken), name, maker);
			continue;
		}
		if (taken < most && taken + expected[name] <= most) return undefined;
		const held = reserved[name] > 0 ? ` and ${reserved[name]} reserved by calls that run` : "";
		const whole =
			seen.length === 1 ? `${used[name]} of ${most}` : `of ${limit} its maker may use ${most}, ${used[name]}`;
		return `${whole} are used${held}, and the call asks for ${expected[name]}`;
	}
	return undefined;
}

/** What a call's own calls may use of what is left. */
function shareOf(rest: number, name: Counted, { held, beside, of, rank }: SeenMaker<Reserved>): number {
	if (name === "cost") return rest / beside + (held?.cost ?? 0);
	if (name === "bytes") return Math.floor(rest / beside) + (held?.bytes ?? 0);
	if (held?.isExact === true) return held.calls - 1;
	return Math.floor(rest / of) + (rank < Math.floor(rest % of) ? 1 : 0);
}

function usedUp({ scope, name }: Bound, detail: string): Verdict {
	const violation = `The budget of the ${scope} is used up in ${name}: ${detail}.`;
	const alternative =
		scope === "run"
			? "Answer with what is known; no further call of this kind will run."
			: "Go on in the next step, with the calls that matter most first.";
	return { deny: { rule: `budget.${scope}.${name}`, violation, alternative } };
}

function reservation({ calls, bytes = 0, cost = 0 }: Partial<Amounts>): Reserved {
	if (calls !== undefined && (!Number.isSafeInteger(calls) || calls < 1)) {
		throw new TypeError(`calls are ${showValue(calls)}, not a whole number from 1`);
	}
	return { calls: calls ?? 1, bytes: amount(bytes), cost: amount(cost), isExact: calls !== undefined };
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
