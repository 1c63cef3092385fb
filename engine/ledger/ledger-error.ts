// Ledger errors
//
// The three ways a ledger says no, each built in one place so that all of them name the file and the cause.
//
// Owns:      what the messages say.
// Does not:  decide when a ledger has failed (stored-ledger.ts).

import { EngineError, isEngineError } from "../core/errors.js";

const SYSTEM_PROBLEMS: Readonly<Record<string, string>> = {
	ENOENT: "the file or its folder does not exist",
	ENOTDIR: "a part of the path is not a folder",
	EISDIR: "it is a folder",
	EACCES: "permission is denied",
	EPERM: "the file system does not permit it",
	EROFS: "the file system is read-only",
	ENOSPC: "the disk is full",
	EDQUOT: "the disk quota is used up",
};

export function closedError(action: string): EngineError {
	const recovery = "Open the ledger again; a closed one takes nothing more.";
	return new EngineError("LEDGER_FAILED", { action, problem: "it was closed", recovery });
}

/** What the system refused, as `LEDGER_FAILED`; an error that is the ledger's own already stays what it is. */
export function failedError(action: string, cause: unknown, recovery?: string): EngineError {
	if (isEngineError(cause)) return cause;
	const { code, message } = cause as NodeJS.ErrnoException;
	const known = code === undefined ? undefined : SYSTEM_PROBLEMS[code];
	const problem = known === undefined ? (message ?? String(cause)) : `${known} (${code})`;
	return new EngineError("LEDGER_FAILED", { action, problem, cause, ...(recovery !== undefined && { recovery }) });
}

/** Where a ledger does not read back as it was written. */
export interface LedgerProblem {
	/** Counts from 1, as editors do; the header is line 1. */
	readonly line: number;
	readonly reason: string;
}

export function damagedError(path: string, { line, reason }: LedgerProblem): EngineError {
	const problem = `line ${line} is damaged: ${reason}`;
	return new EngineError("LEDGER_DAMAGED", { action: `read the ledger ${path}`, problem });
}

export function isSystemError(error: unknown, code: string): boolean {
	return (error as NodeJS.ErrnoException | undefined)?.code === code;
}
