// Answered record
//
// An answer as the ledger holds it, as the record of a call. The ledger says how a call ended and not how it came to that;
// what is missing (whether a policy answered it, the keys it took) is left out and found again by whoever needs it.
//
// Owns:      that step.
// Does not:  read the ledger (ledger/wave-history.ts), or decide what becomes of the call (recover.ts).

import {
	APPROVAL,
	type CallMemory,
	type CallRecord,
	NO_TIMING,
	newMemory,
	type OutcomeRecord,
} from "../core/call-record.js";
import type { JsonObject } from "../core/json-value.js";
import type { AnsweredCall } from "../ledger/wave-history.js";
import { settledMemory } from "../wave/pending.js";

/** `base`: what a pause had recorded of the call. */
export function answeredRecord(
	{ at, outcome, replayOf, ranAs }: AnsweredCall,
	base: CallRecord | undefined,
): CallRecord & { readonly kind: "accounted" } {
	const { timing = NO_TIMING, ahead = false, memory } = base ?? {};
	const keys = base !== undefined && "keys" in base ? base.keys : undefined;
	const said = settledMemory(memory) ?? declinedIn(outcome);
	return {
		kind: "accounted",
		at,
		outcome: outcomeIn(outcome),
		...(replayOf !== undefined && { replayOf }),
		...(ranAs !== undefined && { ranAs }),
		...(keys !== undefined && { keys }),
		timing,
		ahead,
		...(said !== undefined && { memory: said }),
	};
}

/** Which segment a call stands in depends on whether it was declined, and the outcome tells that without its question. */
function declinedIn({ error }: JsonObject): CallMemory | undefined {
	const isDeclined = (error as JsonObject | undefined)?.code === "DECLINED";
	return isDeclined ? { ...newMemory(), answers: { [APPROVAL]: { approve: false } } } : undefined;
}

/** Binary stands in an entry as an object of one field, and as nothing else. */
export function outcomeIn(outcome: JsonObject): OutcomeRecord {
	const { ok, value } = outcome;
	const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
	const { $binary, ...others } = (isObject ? value : {}) as JsonObject;
	if (ok === true && typeof $binary === "string" && Object.keys(others).length === 0) return { ok, binary: $binary };
	return outcome as unknown as OutcomeRecord;
}
