// Refusal
//
// How a shipped policy says no to its options, when it is made: a rule that was written down wrong is a rule that is not
// there, and a host must learn of it before the first call does.
//
// Owns:      the error, and that an option is one that is read.
// Does not:  check what an option says (each policy does).

import { EngineError } from "../core/errors.js";
import { type KnownFields, strayField } from "../core/known-fields.js";
import { showValue } from "../core/show-value.js";

/** `problem` names the option and shows its value. */
export function refuse(problem: string): never {
	throw new EngineError("INVALID_OPTIONS", { action: "take the policy's options", problem });
}

/** Refuses what is no object of options, and a field that no option has; `place` names an object inside the options. */
export function demandKnown<Options>(options: Options, known: KnownFields<NonNullable<Options>>, place?: string): void {
	if (typeof options !== "object" || options === null) {
		refuse(`${place ?? "what was given"} is ${showValue(options)}, not an object`);
	}
	const stray = strayField(options, known, place);
	if (stray !== undefined) refuse(stray);
}
