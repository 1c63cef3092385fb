// Store at
//
// What a path that is no folder holds: a file of lines or a database. The first bytes tell one from the other, because a
// host names its ledgers as it likes.
//
// Owns:      that question.
// Does not:  read records (file-ledger.ts, sqlite-ledger.ts) or know folders (run-folder.ts).

import { FileStore } from "./file-ledger.js";
import type { FileSystem } from "./file-system.js";
import { unreadError } from "./ledger-error.js";
import type { LedgerStore } from "./ledger-store.js";
import { loadLibsql } from "./sqlite-connection.js";
import { isDatabase } from "./sqlite-format.js";
import { SqliteStore } from "./sqlite-ledger.js";

/** The store of a ledger's file, to be read. Throws `LEDGER_FAILED` when nothing is there. */
export async function storeAt(path: string, files: FileSystem): Promise<Pick<LedgerStore, "path" | "read">> {
	return (await startsAsDatabase(path, files)) ? new SqliteStore(path, loadLibsql()) : new FileStore(path, files);
}

async function startsAsDatabase(path: string, files: FileSystem): Promise<boolean> {
	try {
		const file = await files.open(path, "r");
		try {
			return await isDatabase(file);
		} finally {
			await file.close();
		}
	} catch (error) {
		throw unreadError(path, error);
	}
}
