// Store at
//
// What a path that is no folder holds: a file of lines or a database. The first bytes tell one from the other, because a
// host names its ledgers as it likes.
//
// Owns:      that question.
// Does not:  read records (record-reader.ts, sqlite-reader.ts) or know folders (run-folder.ts).

import type { FileSystem } from "./file-system.js";
import { unreadError } from "./ledger-error.js";
import type { LedgerStore, StoreReader } from "./ledger-store.js";
import { RecordReader } from "./record-reader.js";
import { loadLibsql } from "./sqlite-connection.js";
import { kindOfFile } from "./sqlite-format.js";
import { SqliteStore } from "./sqlite-ledger.js";

type ReadableStore = Pick<LedgerStore, "path" | "read">;

/** The store of a ledger's file, to be read. Throws `LEDGER_FAILED` when nothing is there. */
export function storeAt(path: string, files: FileSystem): ReadableStore {
	switch (kindAt(path, files)) {
		case "database":
			return new SqliteStore(path, loadLibsql());
		case "lines":
			return { path, read: (wanted) => RecordReader.open(path, files, wanted) };
		case "empty":
			// Not opened: it may be a database that a writer of this process has just begun to make (file-head.ts).
			return { path, read: async () => NOTHING };
	}
}

const NOTHING: StoreReader = {
	offset: 0,
	problem: undefined,
	torn: undefined,
	async *batches() {},
	async close() {},
};

function kindAt(path: string, files: FileSystem): ReturnType<typeof kindOfFile> {
	try {
		return kindOfFile(path, files);
	} catch (error) {
		throw unreadError(path, error);
	}
}
