// SQLite ledger
//
// History in an SQLite database, where many runs can be queried, with large values in a folder beside it.
//
// Owns:      how such a database is claimed and opened.
// Does not:  know its schema (sqlite-format.ts), write it (sqlite-writer.ts) or read it (sqlite-reader.ts).

import { realpathSync } from "node:fs";
import { EngineError } from "../core/errors.js";
import { BlobFolder } from "./blob-folder.js";
import { ClaimedFile } from "./claimed-file.js";
import { createFile, pathProblem } from "./file-ledger.js";
import { nodeFileSystem } from "./file-system.js";
import type { Ledger } from "./ledger.js";
import type { LedgerStore, StoreClaim, StoreReader, WantedRun } from "./ledger-store.js";
import { type Connect, loadLibsql } from "./sqlite-connection.js";
import { SqliteReader } from "./sqlite-reader.js";
import { SqliteWriter } from "./sqlite-writer.js";
import { StoredLedger } from "./stored-ledger.js";
import { takeWriterLock } from "./writer-lock.js";

export class SqliteStore implements LedgerStore {
	readonly path: string;
	readonly #connect: Connect;

	constructor(path: string, connect: Connect) {
		this.path = path;
		this.#connect = connect;
	}

	claim(): StoreClaim {
		const path = createFile(this.path);
		// Not held open: closing it would let go of what the database itself has locked in it (file-head.ts).
		const file = new ClaimedFile(path);
		const lock = takeWriterLock(path);
		return { lock, writer: SqliteWriter.open(path, this.#connect, file), file };
	}

	read(wanted?: WantedRun): Promise<StoreReader> {
		return SqliteReader.open(this.path, this.#connect, wanted);
	}

	blobs(): BlobFolder {
		return new BlobFolder(realpathSync(this.path), nodeFileSystem);
	}
}

/**
 * Makes a ledger in an SQLite database, for histories of many runs that are to be queried: the views `entries` and
 * `intents` have the columns `seq`, `kind`, `runId`, `at` and `data` (JSON text). Large values are kept in
 * `<path>.blobs/` beside it.
 *
 * Needs the package `libsql` installed beside this one. The database is created, or opened, at the first append; until
 * then nothing is locked. From then until `close` it has this one writer, in this process or any other. A barrier is one
 * transaction in WAL mode, synced in full away from the host's thread; the host's thread spends some microseconds an
 * entry on it.
 *
 * Other processes may query it meanwhile. While one of them writes, a barrier waits for it, 5 seconds at most. In this
 * process nothing but this package may open the file: on POSIX systems a copy or a search that opens and closes it lets go
 * of SQLite's locks in it, and the next outside client takes the log away. A barrier that finds it gone rejects.
 *
 * `append` throws `LEDGER_IN_USE` naming the process that holds the database, and `LEDGER_FAILED` when the folder is
 * missing or may not be written. `barrier` rejects with `LEDGER_DAMAGED` when the file is no ledger, when its schema is not
 * exactly the package's (statistics of `ANALYZE` aside) or its last records do not fit, and with `LEDGER_FAILED` when a
 * transaction fails, or when the file or its log was deleted, moved or replaced since it was opened; after any of these
 * nothing is taken any more.
 *
 * @param path - The database's file; its folder must exist.
 * @throws EngineError at once: `INVALID_OPTIONS` for a path that is no text or an empty one, `LEDGER_FAILED` when the package
 * does not load.
 * @remarks Since 0.1.0.
 * @public
 */
export function sqliteLedger(path: string): Ledger {
	const problem = pathProblem(path);
	if (problem !== undefined) throw new EngineError("INVALID_OPTIONS", { action: "make an SQLite ledger", problem });
	return new StoredLedger(new SqliteStore(path, loadLibsql()));
}
