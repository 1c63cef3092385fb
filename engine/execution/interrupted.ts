// Interrupted
//
// What an abort, a time limit or a lost worker means, which depends on the one question a model must be able to answer:
// may something have changed? A read that was cut short did nothing. Anything else that had begun may have done all,
// part or nothing of its work, and saying "failed" would invite the model to do it again.
//
// Owns:      those outcomes.
// Does not:  decide when a call is interrupted (running-call.ts, wave/).

import { causeOf, failed, type Outcome } from "../core/outcome.js";

// Of the same family for the stages; in core, because executors end calls with it too.
export { beforeDispatch } from "../core/outcome.js";

export type Interruption =
	| { readonly kind: "aborted"; readonly reason: unknown }
	| { readonly kind: "timed-out"; readonly limit: "toolMs" | "idleMs"; readonly limitMs: number };

/** What answered a call: its work, or what cut it short. */
export type AnsweredBy = "work" | "limit" | "abort";

export interface InterruptedCall {
	readonly name: string;
	readonly read: boolean;
	readonly ranMs: number;
}

/** The outcome of a call that had begun. */
export function interrupted(call: InterruptedCall, why: Interruption): Outcome {
	const ranMs = Math.round(call.ranMs);
	if (why.kind === "aborted") {
		const said = `${call.name} was aborted while it ran`;
		const cause = causeOf(why.reason);
		if (call.read) return failed("ABORTED", { message: `${said}.`, cause, details: { ranMs } });
		const message = `${said}; what it changed is not known.`;
		return failed("OUTCOME_UNKNOWN", { message, cause, details: { reason: "ABORTED", ranMs } });
	}
	const { limit, limitMs } = why;
	const silent = limit === "idleMs" ? "gave no sign of life for" : "ran longer than";
	const said = `${call.name} ${silent} ${limitMs} ms`;
	if (call.read) return failed("TIMED_OUT", { message: `${said}.`, details: { limit, limitMs, ranMs } });
	const message = `${said}; what it changed is not known.`;
	return failed("OUTCOME_UNKNOWN", { message, details: { reason: "TIMED_OUT", limit, limitMs, ranMs } });
}

/** The outcome of a call that was aborted while it worked out its keys or waited for them. */
export function abortedWaiting(reason: unknown): Outcome {
	return failed("ABORTED", { message: "The call was aborted while it waited for its keys.", cause: causeOf(reason) });
}

/** The outcome of a call that was aborted while it waited for a person, after it had run until it asked. */
export function abortedAsking(reason: unknown): Outcome {
	return failed("ABORTED", { message: "The call was aborted while it waited for an answer.", cause: causeOf(reason) });
}

/** What an executor answered, as it must be read for a call that may have changed something. */
export function asMeant(outcome: Outcome, read: boolean): Outcome {
	if (outcome.ok || read || outcome.error.code !== "WORKER_LOST") return outcome;
	const { message, details, cause } = outcome.error;
	return failed("OUTCOME_UNKNOWN", {
		message: `${message} What the call changed is not known.`,
		details: { ...details, reason: "WORKER_LOST" },
		...(cause && { cause }),
	});
}
