// Budget amounts
//
// What a budget counts beside time, and what the host's own code says of it. That code runs at each call, so a name that
// is misspelled there, or a promise that nobody waits for, would be a reservation that is not there: it is refused.
//
// Owns:      sums of amounts, and the reading of what `reserve` and `costOf` give.
// Does not:  know bounds (budget-bounds.ts) or calls and runs (budget.ts).

import type { KnownFields } from "../core/known-fields.js";
import { strayField } from "../core/known-fields.js";
import { showValue } from "../core/show-value.js";
import { hearOut } from "../core/thenable.js";

export interface Amounts {
	calls: number;
	bytes: number;
	cost: number;
}

export const NOTHING: Readonly<Amounts> = { calls: 0, bytes: 0, cost: 0 };

/** What a call is expected to use, whether it was said how many calls it may make, and what it is called. */
export type Reserved = Readonly<Amounts> & { readonly isExact: boolean; readonly tool: string };

const FIELDS: KnownFields<Amounts> = { calls: true, bytes: true, cost: true };

/** Fractions of a cost below this many decimals are those of the machine's arithmetic. */
const COST_DECIMALS = 12;

export function increase(sum: Amounts, { calls, bytes, cost }: Readonly<Amounts>): void {
	sum.calls += calls;
	sum.bytes += bytes;
	sum.cost = decimal(sum.cost + cost);
}

/** Ten times 0.1 is 1, or a bound of 1 would let an eleventh call run, and a sum would depend on its order. */
export function decimal(amount: number): number {
	return Number.isInteger(amount) ? amount : Number(amount.toFixed(COST_DECIMALS));
}

/** What `reserve` gave for a call of the tool. */
export function reservation(said: unknown, tool: string): Reserved {
	const wrong = (problem: string): never => refuseGiven({ said, of: "reserve", tool, problem });
	if (!isRecord(said)) return wrong(`that is no object of ${Object.keys(FIELDS).join(", ")}`);
	const stray = strayField(said, FIELDS);
	if (stray !== undefined) return wrong(stray);
	const { calls, bytes = 0, cost = 0 } = said;
	if (calls !== undefined && !(Number.isSafeInteger(calls) && Number(calls) >= 1)) {
		return wrong(`calls is ${showValue(calls)}, not a whole number from 1`);
	}
	if (!isAmount(bytes)) return wrong(`bytes is ${showValue(bytes)}, not a number from 0`);
	if (!isAmount(cost)) return wrong(`cost is ${showValue(cost)}, not a number from 0`);
	return { calls: Number(calls ?? 1), bytes, cost, isExact: calls !== undefined, tool };
}

/** What `costOf` gave for a call of the tool. */
export function costGiven(said: unknown, tool: string): number {
	if (isAmount(said)) return said;
	return refuseGiven({ said, of: "costOf", tool, problem: "that is not a number from 0" });
}

interface Given {
	readonly said: unknown;
	readonly of: "reserve" | "costOf";
	readonly tool: string;
	readonly problem: string;
}

function refuseGiven({ said, of, tool, problem }: Given): never {
	hearOut(said);
	throw new TypeError(`${of} gave ${showValue(said)} for ${tool}: ${problem}`);
}

function isAmount(said: unknown): said is number {
	return typeof said === "number" && said >= 0 && Number.isFinite(said);
}

/** Not a list, and nothing else that holds what it holds in no field: a promise, a map. */
function isRecord(said: unknown): said is Readonly<Partial<Record<string, unknown>>> {
	if (typeof said !== "object" || said === null || Array.isArray(said)) return false;
	if (Object.keys(said).length > 0) return true;
	const prototype: unknown = Object.getPrototypeOf(said);
	return prototype === null || Object.getPrototypeOf(prototype) === null;
}
