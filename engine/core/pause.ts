// Pause
//
// What unwinds a call that asks a person something. The question itself is registered on the host's side of the call's
// context before this is thrown, so a tool that swallows it, wraps it or tries again changes nothing: the call has asked.
// The brand is for code between the engine and a tool, which must let it pass whatever wraps it.
//
// Owns:      the thrown value, and recognising one behind wrappers.
// Does not:  hold questions (call-record.ts).

import { CAUSE_DEPTH_MAX } from "./limits.js";

const PAUSE = Symbol.for("wavetrain.Pause");

/** Thrown by a context whose call waits for a person. */
export class CallPaused extends Error {
	constructor() {
		super("The call waits for a person's answer. It runs again from its beginning once it has one.");
		this.name = "CallPaused";
		Object.defineProperty(this, PAUSE, { value: true });
	}
}

/**
 * Whether a caught value is a call's pause, or was caused by one: code that retries or reports failures lets it pass.
 *
 * Looks through `cause` and the `errors` of an AggregateError, and recognises a pause of another copy of the package.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export function isPause(value: unknown): boolean {
	return isPauseWithin(value, CAUSE_DEPTH_MAX);
}

function isPauseWithin(value: unknown, depth: number): boolean {
	if (typeof value !== "object" || value === null || depth < 0) return false;
	try {
		if (PAUSE in value) return true;
		const { cause, errors } = value as { readonly cause?: unknown; readonly errors?: unknown };
		if (cause !== undefined && isPauseWithin(cause, depth - 1)) return true;
		return Array.isArray(errors) && errors.some((error) => isPauseWithin(error, depth - 1));
	} catch {
		// A revoked proxy, or a getter that throws, is no pause of ours.
		return false;
	}
}
