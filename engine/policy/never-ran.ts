// Never ran
//
// Whether an outcome says that the call's tool did nothing: it brought nothing in, changed nothing and used nothing up.
// Policies that count or remember at accounting ask it of every call that admission had cleared.
//
// Owns:      which codes say so. Every other failure may have come after the tool began.
// Does not:  say what a policy does about it.

import type { ErrorCode } from "../core/call-codes.js";
import type { Outcome } from "../core/outcome.js";

const BEFORE_IT_BEGAN: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
	"ABORTED_BEFORE_DISPATCH",
	"STOPPED_BY_ERROR",
	"RESPONSE_INCOMPLETE",
	"DENIED",
	"DECLINED",
	"APPROVAL_PENDING",
	"NOT_ANSWERED",
	"INVALID_ARGUMENTS",
	"LOCK_KEYS_FAILED",
	"LOCK_WAIT_EXPIRED",
	"TOOL_NOT_LOADED",
]);

export function neverRan(outcome: Outcome): boolean {
	return !outcome.ok && BEFORE_IT_BEGAN.has(outcome.error.code);
}
