// Denied
//
// The outcome of a call that a rule refuses: which rule, what it saw, and what may be done instead, for the model to read
// and for the host to tell by.
//
// Owns:      that outcome.
// Does not:  know any rule.

import { failed, type Outcome } from "./outcome.js";

export interface Refusal {
	readonly rule: string;
	readonly violation: string;
	readonly alternative: string;
}

export function denied({ rule, violation, alternative }: Refusal): Outcome & { readonly ok: false } {
	const details = { rule, violation, alternative };
	return failed("DENIED", { message: violation, recovery: alternative, details });
}
