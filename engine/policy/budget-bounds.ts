// Budget bounds
//
// The bounds of a run and of each step, which part of one the calls that a call makes may use, and what is said of a call
// that would go beyond. It is said to a model, so it tells whose part is used up, and what there is to do about it.
//
// Owns:      the bounds, their parts, the refusals.
// Does not:  count what is used (budget.ts).

import type { KnownFields } from "../core/known-fields.js";
import { showValue } from "../core/show-value.js";
import { type Amounts, decimal, type Reserved } from "./budget-amounts.js";
import type { Verdict } from "./policy.js";
import { demandKnown, refuse } from "./refusal.js";
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
	/** In the unit of `costOf`. Sums are exact to 12 decimals. */
	readonly cost?: number;
}

const LIMITS: KnownFields<BudgetLimits> = { calls: true, timeMs: true, bytes: true, cost: true };

type Scope = "run" | "step";

export interface Bound {
	readonly scope: Scope;
	readonly name: keyof BudgetLimits;
	readonly limit: number;
}

export interface Account {
	readonly used: Amounts;
	readonly reserved: Amounts;
	/** How many calls something is reserved for. */
	open: number;
	/** The stamp of its first admission. */
	firstAt: number | undefined;
}

/** Of a run and of its current step; among the calls that a call makes both are the same. */
export interface Spending {
	readonly run: Account;
	step: Account;
}

interface Asked {
	readonly seen: readonly Seen<Spending, Reserved>[];
	readonly expected: Reserved;
	readonly at: number;
}

export function boundsOf(limits: BudgetLimits = {}, scope: Scope): Bound[] {
	demandKnown(limits, LIMITS, scope);
	return Object.entries(limits).map(([field, limit]) => {
		// True: there are no other fields.
		const name = field as keyof BudgetLimits;
		if (typeof limit !== "number" || !(limit >= 0))
			return refuse(`${scope}.${name} is ${showValue(limit)}, not a number from 0`);
		if (name === "cost" && limit > 0 && decimal(limit) === 0)
			return refuse(`${scope}.cost is ${limit}, less than the 12 decimals that costs are summed to`);
		return { scope, name, limit };
	});
}

/** The refusal of a call that would go beyond the bound. */
export function refusalBy(bound: Bound, asked: Asked): Verdict | undefined {
	const said = bound.name === "timeMs" ? overTime(bound, asked) : overAmount(bound, bound.name, asked);
	return said && { deny: { rule: `budget.${bound.scope}.${bound.name}`, ...said } };
}

interface Said {
	readonly violation: string;
	readonly alternative: string;
}

const NEXT_STEP = "Go on in the next step, with the calls that matter most first.";

/** Time is not shared: of all that calls make the run's own stamps tell. */
function overTime({ scope, limit }: Bound, { seen, at }: Asked): Said | undefined {
	const firstAt = seen[0]?.state[scope].firstAt ?? at;
	const passedMs = at - firstAt;
	if (passedMs < limit) return undefined;
	const violation = `The budget of the ${scope} is used up in timeMs: ${passedMs} of ${limit} ms have passed since its first call.`;
	if (scope === "run" || limit === 0) return { violation, alternative: `${ANSWER}; no further call will run.` };
	const isNested = seen.length > 1;
	return { violation, alternative: isNested ? `${ANSWER}; no further call will run in this step.` : NEXT_STEP };
}

const ANSWER = "Answer with what is known";

function overAmount({ scope, limit }: Bound, name: keyof Amounts, { seen, expected }: Asked): Said | undefined {
	let most = limit;
	let innermost: SeenMaker<Reserved> | undefined;
	for (const { state, maker } of seen) {
		const account = state[scope];
		const taken = decimal(account.used[name] + account.reserved[name]);
		if (maker === undefined) {
			if (taken < most && decimal(taken + expected[name]) <= most) return undefined;
			return tooMuch({ scope, name, limit, most, account, asks: expected[name], maker: innermost });
		}
		most = partOf(Math.max(0, decimal(most - taken)), name, maker);
		innermost = maker;
	}
	return undefined;
}

/** What a call's own calls may use of what is left. */
function partOf(rest: number, name: keyof Amounts, { held, beside, sharing, rank }: SeenMaker<Reserved>): number {
	if (name === "cost") return decimal(rest / beside + (held?.cost ?? 0));
	if (name === "bytes") return Math.floor(rest / beside) + (held?.bytes ?? 0);
	if (held?.isExact === true) return held.calls - 1;
	return Math.floor(rest / sharing) + (rank < Math.floor(rest % sharing) ? 1 : 0);
}

interface TooMuch {
	readonly scope: Scope;
	readonly name: keyof Amounts;
	/** Of the run or the step. */
	readonly limit: number;
	/** What may be used of it where the call is. */
	readonly most: number;
	readonly account: Account;
	readonly asks: number;
	readonly maker: SeenMaker<Reserved> | undefined;
}

function tooMuch(what: TooMuch): Said {
	const { scope, name, most, asks, maker } = what;
	const tool = maker && (maker.held?.tool ?? "the call around this one");
	if (asks <= most || most === 0) return { violation: leftOf(what, tool), alternative: insteadOf(what, tool) };
	const whose = tool === undefined ? `the ${scope} may use` : `${tool} may use of the ${scope}'s budget`;
	return {
		violation: `The call alone asks for ${asks} of the ${most} in ${name} that ${whose}.`,
		alternative: "Do without the call, or make one that asks for less.",
	};
}

function leftOf({ scope, name, limit, most, account, asks }: TooMuch, tool: string | undefined): string {
	const [used, reserved] = [account.used[name], account.reserved[name]];
	const whose = tool === undefined ? `The budget of the ${scope}` : `What ${tool} may use of the ${scope}'s budget`;
	const state = decimal(used + reserved) >= most ? "is used up" : "has too little left";
	const part = tool === undefined ? `${used} of ${most} are used` : `its part is ${most} of ${limit}, ${used} are used`;
	const held = reserved > 0 ? ` and ${reserved} reserved by calls that run` : "";
	const asked = asks > 0 ? `, and the call asks for ${asks}` : "";
	return `${whose} ${state} in ${name}: ${part}${held}${asked}.`;
}

function insteadOf({ scope, name, most, account }: TooMuch, tool: string | undefined): string {
	// A step of the run's: those of an agent among its calls are parts of it. Where steps may use nothing, no next one may.
	if (scope === "step" && tool === undefined && most > 0) return NEXT_STEP;
	const used = account.used[name];
	// Each call that runs uses itself, whatever was reserved for it.
	const isOver = name === "calls" ? used + account.open + 1 > most : used >= most;
	if (isOver)
		return `${ANSWER}; no further call ${tool === undefined ? "of this kind" : `that ${tool} makes`} will run.`;
	if (account.reserved[name] === 0) return `${ANSWER}, or make a call that asks for less.`;
	return "Wait for the answers of the calls that run: what they reserve and do not use is free again then.";
}
