// Read ledger
//
// Reading a ledger without owning it: nothing is locked, nothing is cut, and a writer may be adding to it at the same
// time. What is read is what was whole when the end was reached.
//
// Owns:      the entries as a stream, the records of one run, and the check of a whole ledger.
// Does not:  tell a file of lines from a database (store-at.ts) or turn lines into records (record-parser.ts).

import type { Entry } from "./entry.js";
import { FileStore } from "./file-ledger.js";
import { type FileSystem, nodeFileSystem } from "./file-system.js";
import type { Ledger } from "./ledger.js";
import type { StoreReader, WantedRun } from "./ledger-store.js";
import { entriesOf, oneByOne, recordsOf } from "./record-batches.js";
import { isRunFolder, RunFolderReader, runFile } from "./run-folder.js";
import { storeAt } from "./store-at.js";
import type { RunRecord } from "./usual-line.js";

/**
 * The entries of a ledger in order, read as they are asked for, so that memory does not grow with the ledger.
 *
 * Works on a ledger that another process is writing: it ends at the last entry that is whole, and what is torn behind it
 * is left out. Neither locks nor changes the ledger.
 *
 * @param pathOrLedger - The path of a file or SQLite ledger, or of the folder of one that is rotated by run, whose runs are
 * read one after another; or an open ledger, whose entries held so far are included.
 * @throws EngineError `LEDGER_DAMAGED` naming the line, after the whole entries before it; `LEDGER_FAILED` when there is
 * no such file or it may not be read.
 * @remarks Since 0.1.0.
 * @public
 */
export function readLedger(pathOrLedger: string | Ledger): AsyncIterable<Entry> {
	if (typeof pathOrLedger !== "string") return pathOrLedger.entries();
	const store = { path: pathOrLedger, read: () => openReader(pathOrLedger, nodeFileSystem) };
	return { [Symbol.asyncIterator]: () => entriesOf(recordsOf(store, "missing throws")) };
}

/** The records of a run in order, intents included, some at a time, and of those of other runs maybe some. */
export function readRun(pathOrLedger: string | Ledger, runId: string): AsyncIterable<readonly RunRecord[]> {
	if (typeof pathOrLedger !== "string") return oneByOne(pathOrLedger.records(runId));
	const isFolder = isRunFolder(pathOrLedger);
	const path = isFolder ? runFile(pathOrLedger, runId) : pathOrLedger;
	const store = { path, read: () => openReader(path, nodeFileSystem, { runId, unread: true }) };
	return recordsOf(store, isFolder ? "missing is empty" : "missing throws");
}

/**
 * What {@link verifyLedger} found.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface LedgerCheck {
	/** Whether all reads back as it was written. A torn last line, which a crash leaves, is no fault. */
	readonly ok: boolean;
	/** How many entries are whole; up to the problem if there is one. */
	readonly entries: number;
	/** What a crash cut short behind the last whole line; the next writer cuts it off. */
	readonly torn?: { readonly line: number; readonly bytes: number };
	/** `line` counts from 1: lines of a file, its header included, or records of a database. */
	readonly problem?: { readonly line: number; readonly reason: string };
}

/**
 * Checks a file or SQLite ledger from its first record to its last, the values beside it included, and of a database its
 * pages and index; of one that is rotated by run every file, up to the first with a problem, which the reason names.
 *
 * @throws EngineError `LEDGER_FAILED` when there is no such file or it may not be read.
 * @remarks Since 0.1.0.
 * @public
 */
export function verifyLedger(path: string): Promise<LedgerCheck> {
	return checkLedger(path, nodeFileSystem);
}

/** {@link verifyLedger} on any file system. */
export async function checkLedger(path: string, files: FileSystem): Promise<LedgerCheck> {
	const reader = await openReader(path, files);
	try {
		let entries = 0;
		for await (const batch of reader.batches()) entries += batch.filter(({ kind }) => kind !== "intent").length;
		if (reader.problem === undefined) await reader.check?.();
		return checkOf(entries, reader);
	} finally {
		await reader.close();
	}
}

async function openReader(path: string, files: FileSystem, wanted?: WantedRun): Promise<StoreReader> {
	if (isRunFolder(path)) return new RunFolderReader(path, (file) => new FileStore(file, files).read());
	return storeAt(path, files).read(wanted);
}

const CHANGED =
	"it is not what was written, nor a cut of it; nothing behind it is known to be durable, so the next writer cuts it off";

function checkOf(entries: number, { problem, torn }: StoreReader): LedgerCheck {
	if (problem !== undefined) return { ok: false, entries, problem };
	if (torn === undefined) return { ok: true, entries };
	const { line, bytes, changed } = torn;
	if (changed) return { ok: false, entries, problem: { line, reason: CHANGED } };
	return { ok: true, entries, torn: { line, bytes } };
}
