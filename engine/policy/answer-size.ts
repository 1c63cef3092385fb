// Answer size
//
// How much an outcome is, for policies that count or keep answers.
//
// Owns:      that one measure: bytes of binary, bytes of JSON text for anything else.

import type { Outcome } from "../core/outcome.js";

export function bytesOf(outcome: Outcome): number {
	if (!outcome.ok) return Buffer.byteLength(outcome.error.message);
	const { value } = outcome;
	if (value === undefined) return 0;
	return value instanceof Uint8Array ? value.byteLength : Buffer.byteLength(JSON.stringify(value));
}
