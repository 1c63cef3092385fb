// Error wire
//
// What the host threw at a tool's request, on its way to the thread. Cloning an error loses its code, its class's name
// and the symbol that an EngineError is recognised by; so its parts travel as data and the thread builds it again.
//
// Owns:      the parts, and both ends.
// Does not:  carry what a tool throws; that leaves its thread as an outcome (engine/core/outcome.ts).

import type { ErrorCode } from "../engine/core/call-codes.js";
import type { EngineErrorCode } from "../engine/core/engine-codes.js";
import { EngineError, isEngineError } from "../engine/core/errors.js";
import { causeOf, type ErrorCause, isOutcome, type Outcome } from "../engine/core/outcome.js";
import { CallPaused, isPause } from "../engine/core/pause.js";
import { thrownError } from "../engine/core/thrown-error.js";

export interface WireError {
	readonly cause: ErrorCause;
	/** The call has asked a person, and must unwind. */
	readonly pause?: true;
	/** Of an error of this package. */
	readonly engine?: {
		readonly code: EngineErrorCode | ErrorCode;
		readonly action: string;
		readonly recovery: string;
		/** What the call ended with, if the error stands for a call. */
		readonly outcome?: Outcome;
		/** Who waits for whom, if it is the error of a lock circle. */
		readonly circle?: string;
	};
}

/** For the host. */
export function toWireError(thrown: unknown): WireError {
	const cause = causeOf(thrown);
	if (isPause(thrown)) return { cause, pause: true };
	if (!isEngineError(thrown)) return { cause };
	const { code, action, recovery } = thrown;
	const { outcome, circle } = thrown as { readonly outcome?: unknown; readonly circle?: unknown };
	const more = { ...(isOutcome(outcome) && { outcome }), ...(typeof circle === "string" && { circle }) };
	return { cause, engine: { code, action, recovery, ...more } };
}

/** For the thread. */
export function fromWireError({ cause, pause, engine }: WireError): Error {
	if (pause === true) return new CallPaused();
	if (engine === undefined) return thrownError(cause);
	const inner = cause.cause && thrownError(cause.cause);
	const error = new EngineError(engine.code, { ...engine, problem: cause.message, cause: inner });
	// Its own words, and not those that the constructor would make of them.
	const own = { name: cause.name, message: cause.message, stack: cause.stack ?? error.stack };
	for (const [field, value] of Object.entries(own)) {
		Object.defineProperty(error, field, { value, configurable: true, writable: true });
	}
	if (engine.outcome !== undefined) Object.defineProperty(error, "outcome", { value: engine.outcome });
	if (engine.circle !== undefined) Object.assign(error, { circle: engine.circle });
	return error;
}
