// Engine codes
//
// The closed table of what functions of this package throw at their callers.
//
// Owns:      the codes of functions, each with its meaning and what to do.
// Does not:  throw one (errors.ts), or list how calls end (call-codes.ts).

import type { CodeRow } from "./code-row.js";

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
		meaning: "the ledger holds nothing of the run",
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
