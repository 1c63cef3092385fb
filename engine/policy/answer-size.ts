// Answer size
//
// How much an outcome is, for policies that count or keep answers.
//
// Owns:      the exact measure that a budget counts, and the quick one that a memory is bounded by.

import type { JsonValue } from "../core/json-value.js";
import type { Outcome } from "../core/outcome.js";

/** Bytes of binary; of anything else, those of its JSON text; of a failure, those of its message. */
export function bytesOf(outcome: Outcome): number {
	if (!outcome.ok) return Buffer.byteLength(outcome.error.message);
	const { value } = outcome;
	if (value === undefined) return 0;
	return value instanceof Uint8Array ? value.byteLength : Buffer.byteLength(JSON.stringify(value));
}

/** About as many characters as the value's JSON text has, without making it. */
export function charsOf(value: JsonValue | Uint8Array | undefined): number {
	if (typeof value === "string") return value.length;
	if (typeof value !== "object" || value === null) return CHARS_OF_A_NUMBER;
	if (value instanceof Uint8Array) return value.byteLength;
	if (Array.isArray(value))
		return value.reduce((sum: number, item: JsonValue) => sum + charsOf(item), CHARS_OF_A_NUMBER);
	let chars = CHARS_OF_A_NUMBER;
	for (const [key, field] of Object.entries(value)) chars += key.length + charsOf(field);
	return chars;
}

const CHARS_OF_A_NUMBER = 8;
