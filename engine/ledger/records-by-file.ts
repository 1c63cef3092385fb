// Records by file
//
// A whole ledger read file by file: one that is rotated by run has a file a run, every other is one file, or none. What is
// wrong with one file of a folder must keep nobody from the runs in the others.
//
// Owns:      which files a ledger has, for whoever reads all of them, intents included.
// Does not:  read lines (record-reader.ts, sqlite-reader.ts), or judge what is wrong with them.

import { FileStore } from "./file-ledger.js";
import { nodeFileSystem } from "./file-system.js";
import type { Ledger } from "./ledger.js";
import { oneByOne, type RecordBatches, recordsOf } from "./record-batches.js";
import { RotatedLedger } from "./rotated-ledger.js";
import { isRunFolder, runFilesUnread } from "./run-folder.js";
import { storeAt } from "./store-at.js";

export interface FileOfRecords {
	/** Of a file in a folder that is rotated by run. */
	readonly path?: string;
	/** In order, some at a time. */
	readonly batches: RecordBatches;
}

/** The files of a ledger, by their names. Throws `LEDGER_FAILED` when nothing is there. */
export async function* recordsByFile(pathOrLedger: string | Ledger): AsyncGenerator<FileOfRecords, void> {
	if (pathOrLedger instanceof RotatedLedger) {
		for await (const { path, records } of pathOrLedger.byFile()) yield { path, batches: oneByOne(records) };
	} else if (typeof pathOrLedger !== "string") {
		yield { batches: oneByOne(pathOrLedger.records()) };
	} else if (isRunFolder(pathOrLedger)) {
		for (const path of await runFilesUnread(pathOrLedger)) {
			yield { path, batches: recordsOf(new FileStore(path, nodeFileSystem), "missing is empty") };
		}
	} else {
		yield { batches: recordsOf(storeAt(pathOrLedger, nodeFileSystem), "missing throws") };
	}
}
