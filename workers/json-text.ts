// JSON text
//
// Plain JSON travels between threads as text: posting and reading it costs a third of a structured clone. What is merely
// like JSON (a date, a hole in a list, a minus zero) would come back as something else, so it must be told apart.
//
// Owns:      that question.
// Does not:  copy values by the rule for answers (engine/core/json-value.ts).

import { JSON_DEPTH_MAX } from "../engine/core/limits.js";

/** Whether a value reads back from its JSON text as it was. */
export function isOnlyJson(value: unknown, depthLeft: number = JSON_DEPTH_MAX): boolean {
	if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
	if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
	if (typeof value !== "object" || depthLeft === 0) return false;
	if (Array.isArray(value)) {
		for (let at = 0; at < value.length; at += 1) if (!isOnlyJson(value[at], depthLeft - 1)) return false;
		return true;
	}
	if (Object.getPrototypeOf(value) !== Object.prototype) return false;
	for (const field of Object.values(value)) if (!isOnlyJson(field, depthLeft - 1)) return false;
	return true;
}
