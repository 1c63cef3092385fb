// Whole arguments
//
// Arguments that a provider gives as a value instead of as text. The value is copied: a host that hands over parsed
// events may go on changing them, and its objects may hold what JSON cannot say.
//
// Owns:      the text of such a value, and the text of one that is no JSON, which no reader takes for arguments.
// Does not:  parse arguments that came as text, or judge them by a schema.

import { copyJson, type JsonObject } from "../core/json-value.js";

/** `args` is left out unless the value is an object: then the text decides, as for arguments that came as text. */
export interface WholeArguments {
	readonly text: string;
	readonly args?: JsonObject;
}

export const NO_ARGUMENTS: WholeArguments = Object.freeze({ text: "{}", args: Object.freeze({}) });

/** Never throws. Nothing at all and `null` are no arguments. */
export function wholeArguments(value: unknown): WholeArguments {
	if (value === undefined || value === null) return NO_ARGUMENTS;
	const copied = copyJson(value);
	// Begins with a character that begins no JSON.
	if (!copied.ok) return { text: `(not JSON at ${copied.path}: ${copied.problem})` };
	const { value: copy } = copied;
	const text = JSON.stringify(copy ?? null);
	return isObject(copy) ? { text, args: copy } : { text };
}

function isObject(value: unknown): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
