// Errors
//
// What a function of this package throws at its caller. None can be built without a recovery sentence: the tables hold
// one for every code, and a site that knows better passes its own.
//
// Owns:      EngineError, and how it is recognised across copies of the package.
// Does not:  list the codes (call-codes.ts, engine-codes.ts), say how a call ended (outcome.ts), or carry errors across
//            threads (workers/error-wire.ts).

import { CALL_ERRORS, type ErrorCode } from "./call-codes.js";
import type { CodeRow, Retry } from "./code-row.js";
import { ENGINE_ERRORS, type EngineErrorCode } from "./engine-codes.js";

const ENGINE_ERROR = Symbol.for("wavetrain.EngineError");

// Where a code is in both tables, what a function throws is the caller's to read.
const ERRORS: Readonly<Record<EngineErrorCode | ErrorCode, CodeRow>> = { ...CALL_ERRORS, ...ENGINE_ERRORS };

/**
 * What an {@link EngineError} is built from; `recovery` left out is the code's own sentence.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface EngineErrorParts {
	/** What was being done, as the first words of a sentence: "read the ledger". */
	readonly action: string;
	/** What was wrong, showing the value. */
	readonly problem: string;
	/** Left out: the code's own sentence. */
	readonly recovery?: string;
	/** What was thrown, if something was. */
	readonly cause?: unknown;
}

/**
 * What a function of this package throws at its caller. `message` says what failed, what was wrong and what to do.
 * Recognise it with {@link isEngineError}: `instanceof` fails across two copies of the package.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export class EngineError<Code extends EngineErrorCode | ErrorCode = EngineErrorCode | ErrorCode> extends Error {
	/** One of the closed tables, for code to tell by. */
	readonly code: Code;
	/** The same as `code`, under the name that tool errors use. */
	readonly errorCode: Code;
	/** What was being done: "read the ledger". */
	readonly action: string;
	/** What to do next, as a sentence. */
	readonly recovery: string;
	/** Whether the same may be tried again: the code's own. */
	readonly retry: Retry;

	constructor(code: Code, parts: EngineErrorParts) {
		const row: CodeRow = ERRORS[code];
		const recovery = parts.recovery ?? row.recovery;
		// A problem that is a sentence of its own brings its full stop.
		const problem = parts.problem.replace(/\.$/, "");
		super(
			`Could not ${parts.action}: ${problem}. ${recovery}`,
			parts.cause === undefined ? {} : { cause: parts.cause },
		);
		this.name = "EngineError";
		this.code = code;
		this.errorCode = code;
		this.action = parts.action;
		this.recovery = recovery;
		this.retry = row.retry;
		Object.defineProperty(this, ENGINE_ERROR, { value: true });
	}
}

/**
 * Whether a caught value is an {@link EngineError}, of this copy of the package or another.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export function isEngineError(value: unknown): value is EngineError {
	try {
		return typeof value === "object" && value !== null && ENGINE_ERROR in value;
	} catch {
		// A revoked proxy throws on every question, and this one is asked of whatever was thrown.
		return false;
	}
}
