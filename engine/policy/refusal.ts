// Refusal
//
// How a shipped policy says no to its options, when it is made: a rule that was written down wrong is a rule that is not
// there, and a host must learn of it before the first call does.
//
// Owns:      the error.
// Does not:  check an option (each policy does).

import { EngineError } from "../core/errors.js";

/** `problem` names the option and shows its value. */
export function refuse(problem: string): never {
	throw new EngineError("INVALID_OPTIONS", { action: "take the policy's options", problem });
}
