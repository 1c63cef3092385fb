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

/** The failure that the JSON body of a failed request reports, or undefined if it reports none. */
export function bodyError(body: unknown): Failure | undefined {
	const value = asFields(Array.isArray(body) ? body[0] : body);
	const found = providerError({ kind: "data", name: undefined, value }) ?? plainError(value);
	if (found === undefined || found.reason === "error") return found;
	return { ...found, problem: `${found.problem} (${found.reason})` };
}

// Gateways and web frameworks say it in one field, beside others that are no containers; an event of a format has some.
function plainError({ message, Message, detail, ...others }: Fields): Failure | undefined {
	const said = [message, Message, detail].find((text) => typeof text === "string" && text !== "");
	if (said === undefined && detail === undefined) return undefined;
	if (Object.values(others).some((other) => typeof other === "object" && other !== null)) return undefined;
	const code = others.code ?? others.__type ?? others.status ?? others.statusCode;
	return failure({ message: said ?? showValue(detail), code, type: others.type });
}

function failure(error: Fields): Failure {
	const message = asText(error.message) || asText(error.errorText) || showValue(error);
	const code = error.code;
	const word = typeof code === "string" || typeof code === "number" ? String(code) : asText(error.type);
	return { problem: `the provider reported an error: ${message}`, reason: word || "error" };
}
