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

/**
 * Whether a call's tool did nothing, by what the call ended with: it was refused or declined, its wave was aborted or stopped
 * before it began, its arguments or keys were wrong, or it was not offered. A policy that counts or remembers asks it in
 * `account`, where calls come that no tool ran for. Any other failure may have come after the tool began.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export function neverRan(outcome: Outcome): boolean {
	return !outcome.ok && BEFORE_IT_BEGAN.has(outcome.error.code);
}
