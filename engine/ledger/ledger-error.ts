// Ledger errors
//
// The three ways a ledger says no, each built in one place so that all of them name the file and the cause.
//
// Owns:      what the messages say.
// Does not:  decide when a ledger has failed (stored-ledger.ts).

import { dirname } from "node:path";
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

/** Why a file whose beginning was never a ledger's does not read; the reason of a problem at its line 1. */
export const NO_LEDGER = "it is no ledger, it does not begin as one";
/** The same of a database. */
export const OTHER_DATABASE = "it is a database, and not of a wavetrain ledger";

const OF_ANOTHER_VERSION = /(?:^|, )it is written in version /;

/** The same of a ledger of another version of its format. */
export function otherVersion(version: unknown, own: number): string {
	return `it is written in version ${version} of the format, and this package reads version ${own}`;
}

/** What is wrong with the path and not with what it leads to. */
const WRONG_PATH: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR", "EISDIR"]);

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

/** What the system refused when a ledger was opened to be read. */
export function unreadError(path: string, cause: unknown): EngineError {
	const isPath = WRONG_PATH.has((cause as NodeJS.ErrnoException).code);
	return failedError(`read the ledger ${path}`, cause, isPath ? "Name the path of a ledger." : undefined);
}

/** What the system refused when a ledger was opened to be written. */
export function unopenedError(path: string, cause: unknown): EngineError {
	const recovery = isSystemError(cause, "ENOENT")
		? `Make the folder ${JSON.stringify(dirname(path))}, or give another path.`
		: "Give the path of a file in a folder that may be written.";
	return failedError(`open the ledger ${path}`, cause, recovery);
}

/** Where a ledger does not read back as it was written. */
export interface LedgerProblem {
	/** Counts from 1, as editors do; the header is line 1. */
	readonly line: number;
	readonly reason: string;
}

export function damagedError(path: string, { line, reason }: LedgerProblem): EngineError {
	const action = `read the ledger ${path}`;
	// Nothing need be damaged: of what never was a ledger, or is a later one, there is no copy to restore.
	// Of a file in a folder the reason begins with its name.
	if (reason.endsWith(NO_LEDGER) || reason.endsWith(OTHER_DATABASE)) {
		const instead = reason.startsWith("in ") ? "Take that file out of the folder" : "Give another path";
		const recovery = `${instead}; the file is left as it is.`;
		return new EngineError("LEDGER_DAMAGED", { action, problem: reason, recovery });
	}
	if (OF_ANOTHER_VERSION.test(reason)) {
		const recovery = "Read it with a package that knows that version; the file is left as it is.";
		return new EngineError("LEDGER_DAMAGED", { action, problem: reason, recovery });
	}
	return new EngineError("LEDGER_DAMAGED", { action, problem: `line ${line} is damaged: ${reason}` });
}

export function isSystemError(error: unknown, code: string): boolean {
	return (error as NodeJS.ErrnoException | undefined)?.code === code;
}
