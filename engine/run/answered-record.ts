// Answered record
//
// An answer as the ledger holds it, as the record of a call. The ledger says how a call ended and not how it came to that;
// what is missing (whether a policy answered it, the keys it took) is left out and found again by whoever needs it.
//
// Owns:      that step.

import { type CallRecord, NO_TIMING, type OutcomeRecord } from "../core/call-record.js";
import type { JsonObject } from "../core/json-value.js";
import type { AnsweredCall } from "../ledger/wave-history.js";
import { settledMemory } from "../wave/pending.js";

/** `base`: what a pause had recorded of the call. */
export function answeredRecord(
	{ at, outcome, replayOf, ranAs }: AnsweredCall,
	base: CallRecord | undefined,
): CallRecord {
	const { timing = NO_TIMING, ahead = false, memory } = base ?? {};
	const keys = base !== undefined && "keys" in base ? base.keys : undefined;
	const said = settledMemory(memory);
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

/** Binary stands in an entry as an object of one field, and as nothing else. */
export function outcomeIn(outcome: JsonObject): OutcomeRecord {
	const { ok, value } = outcome;
	const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
	const { $binary, ...others } = (isObject ? value : {}) as JsonObject;
	if (ok === true && typeof $binary === "string" && Object.keys(others).length === 0) return { ok, binary: $binary };
	return outcome as unknown as OutcomeRecord;
}
