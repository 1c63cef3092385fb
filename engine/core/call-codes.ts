// Call codes
//
// The closed table of how a call can end without a value: the codes that models and hosts read in outcomes.
//
// Owns:      the codes of calls, each with its meaning and what to do.
// Does not:  build an outcome (outcome.ts), or list what functions throw (engine-codes.ts).

import type { CodeRow } from "./code-row.js";

/**
 * How a call can end without a value: one row a code. README "Errors" is compared with this table.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export const CALL_ERRORS = {
	UNKNOWN_TOOL: {
		meaning: "no tool has this name",
		retry: "changed",
		recovery: "Call one of the tools that were offered, by its exact name.",
	},
	INVALID_ARGUMENTS: {
		meaning: "the arguments are not JSON, or not what the tool's schema accepts",
		retry: "changed",
		recovery: "Send the call again with arguments that match the tool's schema.",
	},
	DENIED: {
		meaning: "a policy refused the call",
		retry: "changed",
		recovery: "Do not repeat the call as it was; take the alternative that the refusal names.",
	},
	DECLINED: {
		meaning: "a person said no",
		retry: "no",
		recovery: "Do not repeat the call; ask what is wanted instead.",
	},
	APPROVAL_PENDING: {
		meaning: "an approval is needed and this caller cannot pause",
		retry: "later",
		recovery: "Run the call where a person can be asked, or answer the approval first.",
	},
	NOT_ANSWERED: {
		meaning: "nobody answered a question in time",
		retry: "later",
		recovery: "Go on without the answer, or ask again; nobody has refused.",
	},
	ABORTED_BEFORE_DISPATCH: {
		meaning: "the run was aborted before the call started",
		retry: "later",
		recovery: "The call did nothing; send it again if it is still wanted.",
	},
	ABORTED: {
		meaning: "the run was aborted while the call ran or waited",
		retry: "later",
		recovery: "The call changed nothing; send it again if it is still wanted.",
	},
	TIMED_OUT: {
		meaning: "a read ran longer than its limit",
		retry: "changed",
		recovery: "Ask for less, or raise the tool's time limit.",
	},
	OUTCOME_UNKNOWN: {
		meaning: "a call that may have changed something ended without an answer",
		retry: "check first",
		recovery: "Check whether the change happened before doing it again.",
	},
	RESPONSE_INCOMPLETE: {
		meaning: "the model's reply was cut, so none of its calls ran",
		retry: "later",
		recovery: "Send the whole reply again; shorter, if its length was the reason.",
	},
	LOCK_KEYS_FAILED: {
		meaning: "the tool's lockKeys function failed",
		retry: "changed",
		recovery: "The call did not run; correct what the message names and send it again.",
	},
	TOOL_LOCK_CYCLE: {
		meaning: "waiting for the key would have closed a circle of calls waiting for each other",
		retry: "later",
		recovery: "Let the other call finish, then send this one again.",
	},
	LOCK_WAIT_EXPIRED: {
		meaning: "another call held the key for longer than the wait limit",
		retry: "later",
		recovery: "The call did not run; wait for the holder that the message names, then send it again.",
	},
	TOOL_FAILED: {
		meaning: "the tool threw",
		retry: "changed",
		recovery: "Read the message, correct the call and send it again, or go on without it.",
	},
	TOOL_NOT_LOADED: {
		meaning: "the tool's module did not load, or lacks the export",
		retry: "no",
		recovery: "Go on without this tool; the host must correct its module.",
	},
	WORKER_LOST: {
		meaning: "the worker thread ended before the call answered",
		retry: "later",
		recovery: "The call changed nothing; send it again, with less work if memory was the reason.",
	},
	NOT_CLONEABLE: {
		meaning: "the tool returned a value that is not data",
		retry: "no",
		recovery: "Go on without this result; the tool must return plain data at the named path.",
	},
	OUTPUT_TOO_LARGE: {
		meaning: "the tool returned more than the stated limit",
		retry: "changed",
		recovery: "Ask for a part of the result.",
	},
	STOPPED_BY_ERROR: {
		meaning: "an earlier call failed and the host chose to stop on errors",
		retry: "later",
		recovery: "Deal with the failed call that is named, then send this one again.",
	},
	POLICY_FAILED: {
		meaning: "a policy or a face of the host threw",
		retry: "later",
		recovery: "Go on without this call; the host must correct the policy that is named.",
	},
} as const satisfies Record<string, CodeRow>;

/**
 * The closed set of codes a call can end with.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type ErrorCode = keyof typeof CALL_ERRORS;
