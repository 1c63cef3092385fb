// Outcome
//
// How one call ended: a value, or an error the model can act on. The only builders of both are here, so that no error
// exists without a recovery sentence and no thrown value, whatever it is, escapes as anything but an outcome.
//
// Owns:      the outcome's shape, its builders, and what is kept of a thrown value.
// Does not:  know the codes' meaning (call-codes.ts) or copy values (json-value.ts).
//
// Invariants:
//   O1. Every CallError has a message and a recovery sentence that are not empty.

import { CALL_ERRORS, type ErrorCode } from "./call-codes.js";
import { type EngineError, isEngineError } from "./errors.js";
import { invariant } from "./invariant.js";
import { type Binary, copyAnswer, copyJson, type JsonObject, type JsonValue } from "./json-value.js";
import { CAUSE_DEPTH_MAX, MESSAGE_CHARS_MAX } from "./limits.js";

/**
 * What is kept of a thrown value. `stack` is for people: it never reaches the ledger.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface ErrorCause {
	/** The error's name; of a thrown value that is no object, its type. */
	readonly name: string;
	/** Cut after 8,192 characters. */
	readonly message: string;
	/** The error's own code, such as `ENOENT`. */
	readonly code?: string | number;
	/** For people; never in the ledger. */
	readonly stack?: string;
	/** Its own cause, at most eight deep. */
	readonly cause?: ErrorCause;
}

/**
 * Why a call has no value. `recovery` tells the model, or the host, what to do next.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface CallError {
	/** One of the closed table, for code to tell by. */
	readonly code: ErrorCode;
	/** What happened, for the model and for people. Not empty. */
	readonly message: string;
	/** What to do next, as a sentence. Not empty. */
	readonly recovery: string;
	/** What was thrown, if something was. */
	readonly cause?: ErrorCause;
	/** What else is known, as data; which fields depends on the code. */
	readonly details?: JsonObject;
}

/**
 * How a call ended. A tool that answered `undefined` has `ok: true` and no `value`.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type Outcome =
	| { readonly ok: true; readonly value?: JsonValue | Binary }
	| { readonly ok: false; readonly error: CallError };

export interface CallErrorParts {
	readonly message: string;
	/** Left out: the code's own sentence. */
	readonly recovery?: string;
	readonly cause?: ErrorCause;
	readonly details?: JsonObject;
}

export function failed(code: ErrorCode, parts: CallErrorParts): Outcome & { readonly ok: false } {
	const recovery = parts.recovery ?? CALL_ERRORS[code].recovery;
	invariant(parts.message !== "" && recovery !== "", "O1", `an error ${code} lacks its message or recovery`);
	const { message, cause, details } = parts;
	const error = { code, message, recovery, ...(cause && { cause }), ...(details && { details }) };
	return { ok: false, error };
}

/** The outcome of a call that never started. */
export function beforeDispatch(): Outcome {
	return failed("ABORTED_BEFORE_DISPATCH", { message: "Aborted before dispatch" });
}

/** The outcome of a tool that answered: its value copied by the one rule, or `NOT_CLONEABLE` naming the path. */
export function answered(value: unknown): Outcome {
	const copied = copyAnswer(value);
	if (copied.ok) return copied;
	if (copied.tooLarge) {
		const message = `The answer is too large at ${copied.path}: ${copied.problem}.`;
		return failed("OUTPUT_TOO_LARGE", { message, details: { path: copied.path } });
	}
	return failed("NOT_CLONEABLE", {
		message: `The answer is not data at ${copied.path}: ${copied.problem}.`,
		details: { path: copied.path },
	});
}

/** The outcome of a tool that threw. An error of this package with a call's code (a lock circle) keeps its code. */
export function threw(thrown: unknown): Outcome {
	const cause = causeOf(thrown);
	const message = cause.message === "" ? `The tool threw ${cause.name} without a message.` : cause.message;
	if (isEngineError(thrown) && isCallCode(thrown.code)) {
		const details = detailsOf(thrown);
		const { recovery } = thrown as EngineError;
		return failed(thrown.code, { message, recovery, cause, ...(details !== undefined && { details }) });
	}
	return failed("TOOL_FAILED", { message, cause });
}

// A refusal that a tool lets through still names its rule, and a lock circle who waits for whom.
function detailsOf(thrown: EngineError): JsonObject | undefined {
	const { outcome, circle } = thrown as { readonly outcome?: unknown; readonly circle?: unknown };
	if (isOutcome(outcome) && !outcome.ok) return outcome.error.details;
	return typeof circle === "string" ? { circle } : undefined;
}

/** What is kept of a thrown value, whatever it is: a string, `undefined`, an object whose getters throw. */
export function causeOf(thrown: unknown, depth = 0): ErrorCause {
	try {
		if (typeof thrown !== "object" || thrown === null) {
			return { name: typeof thrown, message: cut(String(thrown)) };
		}
		const { name, message, code, stack, cause } = thrown as Record<string, unknown>;
		return {
			name: typeof name === "string" && name !== "" ? name : (thrown.constructor?.name ?? "Object"),
			message: cut(typeof message === "string" ? message : textOf(thrown)),
			...((typeof code === "string" || typeof code === "number") && { code }),
			...(typeof stack === "string" && { stack: cut(stack) }),
			...(cause !== undefined && depth < CAUSE_DEPTH_MAX && { cause: causeOf(cause, depth + 1) }),
		};
	} catch {
		return { name: "Unreadable", message: "a thrown value that cannot be read" };
	}
}

export function isCallCode(code: unknown): code is ErrorCode {
	return typeof code === "string" && Object.hasOwn(CALL_ERRORS, code);
}

/** Whether a value that code of the host returned is an outcome. */
export function isOutcome(value: unknown): value is Outcome {
	if (typeof value !== "object" || value === null) return false;
	const { ok, error } = value as { ok?: unknown; error?: { code?: unknown; message?: unknown; recovery?: unknown } };
	if (ok === true) return true;
	// O1 holds for errors that a host's own code built, too.
	return ok === false && isCallCode(error?.code) && isText(error?.message) && isText(error?.recovery);
}

/**
 * An outcome that code of the host made, as data of our own, so that nothing it is made of can fail later or change;
 * `undefined` for what is none. Never throws, not even when a getter does. A value that is no data becomes
 * `NOT_CLONEABLE`, as a tool's answer would; of an error everything stays but a cause or details that are no data.
 */
export function taken(value: unknown): Outcome | undefined {
	try {
		if (!isOutcome(value)) return undefined;
		if (value.ok) return answered(value.value);
		const { code, message, recovery } = value.error;
		const cause = dataOf<ErrorCause>(value.error.cause);
		const details = dataOf<JsonObject>(value.error.details);
		return { ok: false, error: { code, message, recovery, ...(cause && { cause }), ...(details && { details }) } };
	} catch {
		return undefined;
	}
}

function dataOf<Data extends object>(value: unknown): Data | undefined {
	const copied = copyJson(value);
	// The cast holds as far as the host kept to the type; a list or a text in its place is not kept.
	const isObject = copied.ok && typeof copied.value === "object" && copied.value !== null;
	return isObject && !Array.isArray(copied.value) ? (copied.value as Data) : undefined;
}

function isText(value: unknown): boolean {
	return typeof value === "string" && value !== "";
}

function textOf(thrown: object): string {
	return JSON.stringify(thrown) ?? String(thrown);
}

function cut(text: string): string {
	return text.length <= MESSAGE_CHARS_MAX ? text : `${text.slice(0, MESSAGE_CHARS_MAX)}…`;
}
