// Show value
//
// A value as a message shows it. Messages show the value that was wrong, and a host, a tool or a provider can hand over
// anything: an object whose getters throw, one without a prototype, a number no JSON has. None of them may turn a
// message into a second failure.
//
// Owns:      that text.
// Does not:  copy data (json-value.ts) or keep what was thrown (outcome.ts).

import { inspect } from "node:util";
import { SHOWN_CHARS_MAX } from "./limits.js";

/** One line. Text in quotes, cut where it is long, an error as its name and message, anything else as Node prints it. Never throws. */
export function showValue(value: unknown): string {
	if (typeof value === "string") return quoted(value);
	try {
		if (value instanceof Error) return `${value.name}: ${value.message}`;
		return inspect(value, {
			depth: 1,
			breakLength: Number.POSITIVE_INFINITY,
			maxArrayLength: 10,
			maxStringLength: SHOWN_CHARS_MAX,
		});
	} catch {
		return "a value that cannot be read";
	}
}

function quoted(text: string): string {
	if (text.length <= SHOWN_CHARS_MAX) return JSON.stringify(text);
	const left = text.length - SHOWN_CHARS_MAX;
	return `${JSON.stringify(text.slice(0, SHOWN_CHARS_MAX))}... ${left} more character${left === 1 ? "" : "s"}`;
}
