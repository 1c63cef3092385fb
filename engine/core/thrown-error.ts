// Thrown error
//
// What is kept of a thrown value is data, so that it can cross a thread and stand in a checkpoint. Whoever catches it again
// should have an error: with its own name and stack, and shown by Node as what it was, its words said once.
//
// Owns:      the way from the data to an error.
// Does not:  make the data (outcome.ts).

import type { ErrorCause } from "./outcome.js";

export function thrownError({ name, message, stack, code, cause }: ErrorCause): Error {
	const error = new Error(message, cause === undefined ? {} : { cause: thrownError(cause) });
	// Where it has no stack of its own, the one of this place would mislead.
	const own = { name, stack: stack ?? `${name}: ${message}` };
	for (const [field, value] of Object.entries(own)) {
		Object.defineProperty(error, field, { value, configurable: true, writable: true });
	}
	return code === undefined ? error : Object.assign(error, { code });
}
