// Unanswered
//
// How a call ends that a person did not let on: somebody said no, nobody said anything, or there is nobody to ask. Three
// outcomes, because a model must not take silence for a refusal, nor a rule of the host for a person's word.
//
// Owns:      those outcomes.
// Does not:  ask.

import { denied } from "./denied.js";
import { failed, type Outcome } from "./outcome.js";

type Failed = Outcome & { readonly ok: false };

/** The outcome of a call that a person declined. */
export function declined(reason: string | undefined): Failed {
	if (reason === undefined) return failed("DECLINED", { message: "A person declined the call." });
	return failed("DECLINED", { message: `A person declined the call: ${reason}`, details: { reason } });
}

/** The outcome of a call that asked and that nobody answered. */
export function notAnswered(why: string): Failed {
	return failed("NOT_ANSWERED", { message: `Nobody answered what the call asked: ${why}.` });
}

/** The outcome of a call about which a person must be asked where nobody can be. */
export function nobodyToAsk(who: string): Failed {
	const rule = "no-asker";
	const violation = `${who} wants a person asked, and nobody can be.`;
	const alternative = "Do without the call, or leave it to a host that can ask a person.";
	return denied({ rule, violation, alternative });
}
