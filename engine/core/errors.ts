// Errors
//
// Two closed tables. A `CallError` (outcome.ts) is what one call ended with and what the model reads; an `EngineError`
// is what a function of this package throws at its caller. Neither can be built without a recovery sentence: the tables
// hold one for every code, and a site that knows better passes its own.
//
// Owns:      both tables, EngineError and how it is recognised across copies of the package.
// Does not:  carry errors across threads (workers/error-wire.ts).
//
// Invariants:
//   E1. Every code of both tables has a meaning and a recovery sentence.

/**
 * Whether what failed may be tried again: never, after a change, as it was at a later time, or only after looking
 * whether it has happened already.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type Retry = "no" | "changed" | "later" | "check first";

interface CodeRow {
	readonly meaning: string;
	readonly retry: Retry;
	/** Ends with a full stop: the type cannot ask for more of a sentence. */
	readonly recovery: `${string}.`;
}

/**
 * How a call can end without a value: one row a code. README "Errors" is compared with this table.
 * E1: the row's type demands both texts.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export const CALL_ERRORS = {
	UNKNOWN_TOOL: {
		meaning: "no tool has this name",
		retry: "changed",
		recovery: "Call one of the tools that were offered, by its exact name.",
	},
	INVALID_ARGUMENTS: {
		meaning: "the arguments are not JSON, or not what the tool's schema accepts",
		retry: "changed",
		recovery: "Send the call again with arguments that match the tool's schema.",
	},
	DENIED: {
		meaning: "a policy refused the call",
		retry: "changed",
		recovery: "Do not repeat the call as it was; take the alternative that the refusal names.",
	},
	DECLINED: {
		meaning: "a person said no",
		retry: "no",
		recovery: "Do not repeat the call; ask what is wanted instead.",
	},
	APPROVAL_PENDING: {
		meaning: "an approval is needed and this caller cannot pause",
		retry: "later",
		recovery: "Run the call where a person can be asked, or answer the approval first.",
	},
	NOT_ANSWERED: {
		meaning: "nobody answered a question in time",
		retry: "later",
		recovery: "Go on without the answer, or ask again; nobody has refused.",
	},
	ABORTED_BEFORE_DISPATCH: {
		meaning: "the run was aborted before the call started",
		retry: "later",
		recovery: "The call did nothing; send it again if it is still wanted.",
	},
	ABORTED: {
		meaning: "the run was aborted while the call ran or waited",
		retry: "later",
		recovery: "The call changed nothing; send it again if it is still wanted.",
	},
	TIMED_OUT: {
		meaning: "a read ran longer than its limit",
		retry: "changed",
		recovery: "Ask for less, or raise the tool's time limit.",
	},
	OUTCOME_UNKNOWN: {
		meaning: "a call that may have changed something ended without an answer",
		retry: "check first",
		recovery: "Check whether the change happened before doing it again.",
	},
	RESPONSE_INCOMPLETE: {
		meaning: "the model's reply was cut, so none of its calls ran",
		retry: "later",
		recovery: "Send the whole reply again; shorter, if its length was the reason.",
	},
	LOCK_KEYS_FAILED: {
		meaning: "the tool's lockKeys function failed",
		retry: "changed",
		recovery: "The call did not run; correct what the message names and send it again.",
	},
	TOOL_LOCK_CYCLE: {
		meaning: "waiting for the key would have closed a circle of calls waiting for each other",
		retry: "later",
		recovery: "Let the other call finish, then send this one again.",
	},
	LOCK_WAIT_EXPIRED: {
		meaning: "another call held the key for longer than the wait limit",
		retry: "later",
		recovery: "The call did not run; wait for the holder that the message names, then send it again.",
	},
	TOOL_FAILED: {
		meaning: "the tool threw",
		retry: "changed",
		recovery: "Read the message, correct the call and send it again, or go on without it.",
	},
	TOOL_NOT_LOADED: {
		meaning: "the tool's module did not load, or lacks the export",
		retry: "no",
		recovery: "Go on without this tool; the host must correct its module.",
	},
	WORKER_LOST: {
		meaning: "the worker thread ended before the call answered",
		retry: "later",
		recovery: "The call changed nothing; send it again, with less work if memory was the reason.",
	},
	NOT_CLONEABLE: {
		meaning: "the tool returned a value that is not data",
		retry: "no",
		recovery: "Go on without this result; the tool must return plain data at the named path.",
	},
	OUTPUT_TOO_LARGE: {
		meaning: "the tool returned more than the stated limit",
		retry: "changed",
		recovery: "Ask for a part of the result.",
	},
	STOPPED_BY_ERROR: {
		meaning: "an earlier call failed and the host chose to stop on errors",
		retry: "later",
		recovery: "Deal with the failed call that is named, then send this one again.",
	},
	POLICY_FAILED: {
		meaning: "a policy or a face of the host threw",
		retry: "later",
		recovery: "Go on without this call; the host must correct the policy that is named.",
	},
} as const satisfies Record<string, CodeRow>;

/**
 * The closed set of codes a call can end with.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type ErrorCode = keyof typeof CALL_ERRORS;

/**
 * What a function of this package throws at its caller: one row a code.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export const ENGINE_ERRORS = {
	INVALID_OPTIONS: {
		meaning: "an option is missing, out of range, or contradicts another",
		retry: "changed",
		recovery: "Correct the option that the message names.",
	},
	INVALID_TOOL: {
		meaning: "a tool's definition cannot work",
		retry: "changed",
		recovery: "Correct the field of the tool that the message names.",
	},
	ENGINE_CLOSED: {
		meaning: "the engine was closed",
		retry: "no",
		recovery: "Create a new engine; a closed one takes no more calls.",
	},
	STEP_CLOSED: {
		meaning: "the step was settled or discarded already",
		retry: "no",
		recovery: "Open a new step for the next reply.",
	},
	LEDGER_FAILED: {
		meaning: "the ledger could not be opened, read or written",
		retry: "no",
		recovery: "Make room or correct the permissions, then recover the run from the ledger.",
	},
	LEDGER_DAMAGED: {
		meaning: "the ledger does not read back as it was written",
		retry: "no",
		recovery: "Restore the file from a copy; entries before the named line are whole.",
	},
	LEDGER_IN_USE: {
		meaning: "another writer holds the ledger",
		retry: "later",
		recovery: "Close the other writer, or give this one a file of its own.",
	},
	RUN_NOT_FOUND: {
		meaning: "the ledger holds no wave of the run",
		retry: "no",
		recovery: "Name a run that the ledger holds; one that the ledger does not know did nothing, and may begin anew.",
	},
	INVALID_CHECKPOINT: {
		meaning: "what was to be resumed is no checkpoint of this engine's, or was changed",
		retry: "no",
		recovery: "Resume from the checkpoint as it was given, with the same tools, or recover the run from its ledger.",
	},
	INVALID_ANSWER: {
		meaning: "an answer is for no question that waits, or is not one that the question can have",
		retry: "changed",
		recovery: "Answer the questions that the checkpoint lists, by their ids.",
	},
	STREAM_UNREADABLE: {
		meaning: "the source is not a stream of the named format",
		retry: "no",
		recovery: "Name the right format, or check what the source delivers.",
	},
	TOOL_LOCK_CYCLE: {
		meaning: "waiting for the key would have closed a circle of holders",
		retry: "later",
		recovery: "Let the other holder finish, then acquire again.",
	},
	LOCK_WAIT_EXPIRED: {
		meaning: "the key was held for longer than the wait limit",
		retry: "later",
		recovery: "Wait for the holder that the message names, then acquire again.",
	},
	TRACE_UNREADABLE: {
		meaning: "the lines are not those of a trace",
		retry: "no",
		recovery: "Give a file that a trace was written to.",
	},
	RESTORE_FAILED: {
		meaning: "what a checkpoint net kept could not be put back",
		retry: "changed",
		recovery: "Make room at the place that the message names, then restore again.",
	},
	FILE_LINK_LOOP: {
		meaning: "the path's links lead back to themselves",
		retry: "no",
		recovery: "Remove or correct the link that the message names.",
	},
} as const satisfies Record<string, CodeRow>;

/**
 * The codes of what functions throw. A {@link ToolCallError} carries the code of its call's outcome instead.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type EngineErrorCode = keyof typeof ENGINE_ERRORS;

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
	readonly recovery?: string;
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
	readonly code: Code;
	/** The same as `code`, under the name that tool errors use. */
	readonly errorCode: Code;
	readonly action: string;
	readonly recovery: string;
	readonly retry: Retry;

	constructor(code: Code, parts: EngineErrorParts) {
		const row: CodeRow = ERRORS[code];
		const recovery = parts.recovery ?? row.recovery;
		super(`Could not ${parts.action}: ${parts.problem}. ${recovery}`, { cause: parts.cause });
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
