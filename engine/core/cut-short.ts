// Cut short
//
// How calls end that were cut off before anybody could answer for them: the model's reply was incomplete, or the process
// ended. The difference that matters to a model is whether something may have changed.
//
// Owns:      those outcomes.
// Does not:  decide which call is one of them (wave/step.ts, run/recover.ts).

import { failed, type Outcome } from "./outcome.js";

/** Why a reply is incomplete though its stream ended in order. */
export type CutReason = "length" | "filtered";

/** The outcome of a call of an incomplete reply: it never ran. */
export function incompleteReply(reason: CutReason): Outcome {
	const why = reason === "length" ? "it reached the length limit" : "the provider filtered it";
	const message = `Not run: the reply is incomplete, ${why}.`;
	return failed("RESPONSE_INCOMPLETE", { message, details: { reason } });
}

/** The outcome of a call that had begun to act when the process ended. */
export function crashed(name: string): Outcome {
	const message = `The process ended while ${name} ran; what it changed is not known.`;
	return failed("OUTCOME_UNKNOWN", { message, details: { reason: "CRASHED" } });
}

/** The outcome of a read that another call had made, when the process ended before that one was answered. */
export function readCut(name: string): Outcome {
	return failed("ABORTED", { message: `The process ended while ${name} ran.`, details: { reason: "CRASHED" } });
}

/** The outcome of a call that would have to run after a crash, with arguments that the ledger does not hold. */
export function argumentsLost(name: string): Outcome {
	return failed("INVALID_ARGUMENTS", {
		message: `The process ended before ${name} had an answer, and a policy kept a part of its arguments out of the ledger, so it was not run again.`,
		recovery: "Send the call again with its arguments in full, if it is still wanted.",
		details: { reason: "CRASHED" },
	});
}
