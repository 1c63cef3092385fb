// Run end
//
// The end of a run and what its line says of it, in both directions: whoever recovers a run that had ended is told how.
// A reason or an error comes back as its text, which is all that the line holds.
//
// Owns:      that text.
// Does not:  decide what ends a run (run-loop.ts).

import { causeOf } from "../core/outcome.js";
import type { RunEnd } from "./run-result.js";

/** What an end's line says beside its status. */
export function whyOf({ status: _status, ...rest }: RunEnd): string | undefined {
	const { limit, reason, cut, error } = rest as Record<string, unknown>;
	if (error !== undefined) return (error as { message: string }).message;
	if (reason !== undefined) return causeOf(reason).message;
	return (limit ?? cut) as string | undefined;
}

export function endOf(status: string, why: string): Exclude<RunEnd, { readonly status: "paused" }> {
	switch (status) {
		case "stopped":
			return { status };
		case "limit":
			return { status, limit: why === "totalMs" ? why : "maxSteps" };
		case "aborted":
			return { status, reason: abortReason(why) };
		case "incomplete":
			return { status, cut: why === "filtered" ? why : "length" };
		case "failed":
			return { status, error: { name: "Error", message: why } };
		default:
			return { status: "done" };
	}
}

export function abortReason(why: string): DOMException {
	return new DOMException(why, "AbortError");
}
