// File ledger
//
// History in a file of lines, with large values in a folder beside it.
//
// Owns:      how such a file is claimed and opened.
// Does not:  know its format (line-format.ts), write it (ledger-writer.ts) or read it (record-reader.ts).

import { accessSync, closeSync, constants, openSync, realpathSync, statSync } from "node:fs";
import { EngineError } from "../core/errors.js";
import { type KnownFields, strayField } from "../core/known-fields.js";
import { showValue } from "../core/show-value.js";
import { BlobFolder } from "./blob-folder.js";
import { ClaimedFile } from "./claimed-file.js";
import { type FileSystem, nodeFileSystem } from "./file-system.js";
import type { Ledger } from "./ledger.js";
import { damagedError, isSystemError } from "./ledger-error.js";
import type { LedgerStore, StoreClaim, StoreReader, WantedRun } from "./ledger-store.js";
import { LedgerWriter } from "./ledger-writer.js";
import { RecordReader } from "./record-reader.js";
import { RotatedLedger } from "./rotated-ledger.js";
import { kindOfFile } from "./sqlite-format.js";
import { StoredLedger } from "./stored-ledger.js";
import { takeWriterLock } from "./writer-lock.js";

export class FileStore implements LedgerStore {
	readonly path: string;
	readonly #files: FileSystem;

	constructor(path: string, files: FileSystem) {
		this.path = path;
		this.#files = files;
	}

	claim(): StoreClaim {
		const path = createFile(this.path);
		if (kindOfFile(path, this.#files) === "database") {
			// Opened and closed, it would lose what a connection of this process has locked in it (file-head.ts).
			const file = new ClaimedFile(path);
			return { file, lock: takeWriterLock(path), writer: Promise.reject(damagedError(path, A_DATABASE)) };
		}
		const file = ClaimedFile.held(path);
		try {
			return { lock: takeWriterLock(path), writer: LedgerWriter.open(path, this.#files), file };
		} catch (error) {
			file.close();
			throw error;
		}
	}

	async read(wanted?: WantedRun): Promise<StoreReader> {
		if (this.#isDatabase()) throw damagedError(this.path, A_DATABASE);
		return RecordReader.open(this.path, this.#files, wanted);
	}

	#isDatabase(): boolean {
		try {
			return kindOfFile(this.path, this.#files) === "database";
		} catch {
			// What is wrong with the path is said by whoever opens it.
			return false;
		}
	}

	blobs(): BlobFolder {
		return new BlobFolder(realpathSync(this.path), this.#files);
	}
}

const A_DATABASE = { line: 1, reason: "it is a database, and not a file of lines" };

/**
 * Creates a file if it is missing. Two paths to one file meet at the real path that this gives, and so at one lock. A file
 * that is there is asked and not opened: to close it would let go of what a database has locked in it (file-head.ts).
 */
export function createFile(path: string): string {
	try {
		closeSync(openSync(path, "ax"));
	} catch (error) {
		if (!isSystemError(error, "EEXIST")) throw error;
		demandWritable(path);
	}
	return realpathSync(path);
}

/** Throws what the system says of a file that may not be written. */
function demandWritable(path: string): void {
	const stat = statSync(path, { throwIfNoEntry: false });
	if (stat?.isFile()) accessSync(path, constants.R_OK | constants.W_OK);
	// A link whose file is not there yet is made its file. Of a folder, this is how the system says that it is one.
	else closeSync(openSync(path, "a"));
}

/**
 * How a file ledger is kept.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface FileLedgerOptions {
	/**
	 * `'run'`: the path is a folder, and each run has a file of its own in it, that can be read, kept or deleted by itself;
	 * two processes may write to one folder as long as they run different runs. Costs a sync a run at each barrier, and
	 * nothing tells in which order the entries of two runs were written. Default: all runs in one file.
	 */
	readonly rotate?: "run";
}

const FIELDS: KnownFields<FileLedgerOptions> = { rotate: true };

/**
 * Makes a ledger in a file: one JSON line an entry, each chained to the one before by its hash, with large values in
 * `<path>.blobs/` beside it.
 *
 * The file is created, or opened and what a crash left unfinished at its end cut off, at the first append; until then
 * nothing is locked. From then until `close` it has this one writer, in this process or any other.
 *
 * `append` throws `LEDGER_IN_USE` naming the process that holds the file, and `LEDGER_FAILED` when the folder is missing
 * or may not be written. `barrier` rejects with `LEDGER_DAMAGED` naming the line when an existing file does not read back
 * as it was written, and with `LEDGER_FAILED` when a write or a sync fails, or when the file was deleted, moved or replaced
 * since it was opened; after any of these nothing is taken any more.
 *
 * @param path - The file, or with `rotate` the folder of the files. The folder must exist.
 * @throws EngineError `INVALID_OPTIONS` for a path that is no text or an empty one, an option that does not exist, and a
 * `rotate` that is not `'run'`.
 * @remarks Since 0.1.0.
 * @public
 */
export function fileLedger(path: string, options: FileLedgerOptions = {}): Ledger {
	const problem = pathProblem(path) ?? problemIn(options);
	if (problem !== undefined) throw new EngineError("INVALID_OPTIONS", { action: "make a file ledger", problem });
	return options.rotate === undefined ? fileAt(path) : new RotatedLedger({ folder: path, ledgerAt: fileAt });
}

/** What keeps a value from being a ledger's path: a setting that was left out is one of these. */
export function pathProblem(path: string): string | undefined {
	if (typeof path !== "string") return `the path is ${showValue(path)}, not a text`;
	return path === "" ? "the path is empty" : undefined;
}

function problemIn(options: FileLedgerOptions): string | undefined {
	if (typeof options !== "object" || options === null) return `what was given is ${showValue(options)}, not an object`;
	const { rotate } = options;
	if (rotate !== undefined && rotate !== "run") return `rotate is ${showValue(rotate)}, not "run"`;
	return strayField(options, FIELDS);
}

function fileAt(path: string): Ledger {
	return new StoredLedger(new FileStore(path, nodeFileSystem));
}
