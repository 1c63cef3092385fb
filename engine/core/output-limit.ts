// Output limit
//
// One call may answer so many bytes and no more; a host that is handed a gigabyte by a tool dies of it, whatever the
// tool meant. Sizes are estimated from above: two bytes a character, eight a number.
//
// Owns:      the estimate and the refusal.
// Does not:  bound what a tool holds while it runs (the thread's heap limit does).

import type { JsonValue } from "./json-value.js";
import { OUTPUT_BYTES_MAX } from "./limits.js";
import { failed, type Outcome } from "./outcome.js";

const NUMBER_BYTES = 8;
const CHARACTER_BYTES = 2;

/** The outcome, or `OUTPUT_TOO_LARGE` in its place. */
export function withinLimit(outcome: Outcome): Outcome {
	if (!outcome.ok || outcome.value === undefined) return outcome;
	if (bytesLeft(outcome.value, OUTPUT_BYTES_MAX) >= 0) return outcome;
	return failed("OUTPUT_TOO_LARGE", {
		message: `The tool answered more than ${OUTPUT_BYTES_MAX} bytes.`,
		details: { limitBytes: OUTPUT_BYTES_MAX },
	});
}

/** What is left of a budget after a value; negative as soon as it is used up, without looking at the rest. */
function bytesLeft(value: JsonValue | Uint8Array, budget: number): number {
	if (typeof value === "string") return budget - value.length * CHARACTER_BYTES;
	if (typeof value !== "object" || value === null) return budget - NUMBER_BYTES;
	if (value instanceof Uint8Array) return budget - value.byteLength;
	let left = budget - NUMBER_BYTES;
	if (Array.isArray(value)) {
		for (const item of value as readonly JsonValue[]) {
			if (left < 0) return left;
			left = bytesLeft(item, left);
		}
		return left;
	}
	for (const [key, field] of Object.entries(value)) {
		if (left < 0) return left;
		left = bytesLeft(field, left - key.length * CHARACTER_BYTES);
	}
	return left;
}
