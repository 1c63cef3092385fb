// Output files
//
// Where a replay may write: what stands at the path of --ledger or --trace is looked at before the reply is read, so that no
// file of somebody else's is written over, and no file of the same command.
//
// Owns:      what may be written to, and the lines for what may not.
// Does not:  write (trace-file.ts; the engine's ledger does).

import { closeSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileLockKeys, readLedger, TRACE_HEADER } from "../index.js";
import { CommandError } from "./command-error.js";
import { fileProblem } from "./recording.js";

export interface OutputFiles {
	/** Where the recording is. */
	readonly recording: string;
	/** As they were given. */
	readonly ledger?: string | undefined;
	readonly trace?: string | undefined;
}

/** Refuses, in one line, a path that a replay may not write to. */
export async function requireOutputFiles(files: OutputFiles, folder: string): Promise<void> {
	const { recording, ledger, trace } = files;
	if (ledger !== undefined) await requireLedgerPlace(ledger, resolve(folder, ledger));
	if (trace === undefined) return;
	const path = resolve(folder, trace);
	requireFolder("trace", trace, path);
	const own = { recording, ledger: ledger === undefined ? undefined : resolve(folder, ledger) };
	for (const [what, other] of Object.entries(own)) {
		if (other === undefined || !(await isSameFile(path, other))) continue;
		throw new CommandError(`The trace ${JSON.stringify(trace)} is the ${what} of the same command.`);
	}
	requireTracePlace(trace, path);
}

// The ledger itself is opened by the first call's lines.
async function requireLedgerPlace(name: string, path: string): Promise<void> {
	requireFolder("ledger", name, path);
	if (found(path) === undefined) return;
	for await (const _first of readLedger(path)) break;
}

function requireTracePlace(name: string, path: string): void {
	const stats = found(path);
	if (stats?.isDirectory()) throw new CommandError(`${JSON.stringify(name)} is a folder, not a file.`);
	// A pipe or a device holds nothing that could be lost, and reading from one would wait.
	if (stats === undefined || !stats.isFile() || stats.size === 0) return;
	if (headOf(name, path) === `${TRACE_HEADER}\n`) return;
	throw new CommandError(`${JSON.stringify(name)} is there already and is no trace; give --trace another name.`);
}

function requireFolder(what: string, name: string, path: string): void {
	if (found(dirname(path))?.isDirectory()) return;
	throw new CommandError(`The ${what} ${JSON.stringify(name)} is in a folder that does not exist.`);
}

function found(path: string): Stats | undefined {
	try {
		return statSync(path, { throwIfNoEntry: false });
	} catch {
		// A part of the path that is a file, or a folder that may not be searched: opening it says what is wrong.
		return undefined;
	}
}

function headOf(name: string, path: string): string {
	const bytes = Buffer.alloc(TRACE_HEADER.length + 1);
	try {
		const file = openSync(path, "r");
		try {
			return bytes.toString("latin1", 0, readSync(file, bytes));
		} finally {
			closeSync(file);
		}
	} catch (error) {
		throw new CommandError(fileProblem(name, error));
	}
}

/** By the keys that locks know files by: links of either sort, and a file that is not written yet. */
async function isSameFile(one: string, other: string): Promise<boolean> {
	const keys = new Set(await fileLockKeys(one));
	return (await fileLockKeys(other)).some((key) => keys.has(key));
}
