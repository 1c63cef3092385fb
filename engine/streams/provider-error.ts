// Provider error
//
// Providers report an error in the middle of a stream in several dresses: an event of its own, a field beside the rest,
// a list. After one of them nothing of the reply can be trusted.
//
// Owns:      recognising the dresses that more than one format uses, and their text.
// Does not:  recognise what only one format says (its reader does), or fail the reply.

import { showValue } from "../core/show-value.js";
import type { Failure } from "./reply.js";
import { asFields, asList, asText, type Fields, isFields, type WireEvent } from "./wire-event.js";

/** The failure that an event reports, or undefined if it reports none. */
export function providerError({ name, value }: WireEvent): Failure | undefined {
	const { error } = value;
	if (isFields(error)) return failure(error);
	if (typeof error === "string" && error !== "") return failure({ message: error });
	const [first] = asList(value.errors);
	if (first !== undefined) return failure(asFields(first));
	const isError = name === "error" || value.object === "error" || value.type === "error";
	return isError ? failure(value) : undefined;
}

/** The failure of a whole response that says it failed. */
export function failureOf(response: Fields, status: string): Failure {
	const error = asFields(response.error);
	return "message" in error ? failure(error) : { problem: `the response is ${status}`, reason: status };
}

function failure(error: Fields): Failure {
	const message = asText(error.message) || asText(error.errorText) || showValue(error);
	const code = error.code;
	const word = typeof code === "string" || typeof code === "number" ? String(code) : asText(error.type);
	return { problem: `the provider reported an error: ${message}`, reason: word || "error" };
}
