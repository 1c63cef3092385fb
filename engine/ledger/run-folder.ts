// Run folder
//
// A ledger that is rotated by run: a folder with one file a run, so that a run can be read, kept, moved or deleted by
// itself, and a run that is recovered is read alone. Version 1 of the layout:
//
//   <folder>/<name>-<digest>.jsonl          the run's records, a file ledger by itself (line-format.ts)
//   <folder>/<name>-<digest>.jsonl.blobs/   its large values
//   <folder>/<name>-<digest>.jsonl.lock     its writer, while it has one
//
//   <name>     the run's id for people to read: its lower-case ASCII letters, digits, `_`, and a `-` for every other
//              character, cut to 40 characters
//   <digest>   the first 32 hexadecimal digits of the SHA-256 of the run's id
//
// The digest is what tells two runs apart: file systems fold case, forbid characters and bound lengths, and ids know none of
// that. Each file numbers its entries from 0. Nothing says in which order the records of two runs were written; readers give
// the runs one after another, in the order of their first records' stamps.
//
// Owns:      the layout, and which file is which run's.
// Does not:  write files (rotated-ledger.ts), or read their lines (record-reader.ts).
//
// Invariants:
//   RF1. A file of the folder holds records of its own run alone.

import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isEngineError } from "../core/errors.js";
import { RUN_FILE_NAME_CHARS_MAX } from "../core/ledger-limits.js";
import { type LedgerProblem, unreadError } from "./ledger-error.js";
import type { StoreReader, TornEnd } from "./ledger-store.js";
import type { ReadRecord } from "./record-text.js";

const ENDING = ".jsonl";
const DIGEST_CHARS = 32;

export function runFile(folder: string, runId: string): string {
	const name = runId
		.toLowerCase()
		.replace(/[^a-z0-9_]/g, "-")
		.slice(0, RUN_FILE_NAME_CHARS_MAX);
	const digest = createHash("sha256").update(runId).digest("hex").slice(0, DIGEST_CHARS);
	return join(folder, `${name}-${digest}${ENDING}`);
}

/** RF1: whether a file of the folder is that of the run. */
export function isFileOf(path: string, runId: string): boolean {
	return runFile(dirname(path), runId) === path;
}

/** Whether a path is a folder of runs, and not a ledger in one file. */
export function isRunFolder(path: string): boolean {
	try {
		return statSync(path).isDirectory();
	} catch {
		// What is wrong with it is said by whoever opens it.
		return false;
	}
}

/** The files of a folder, in the order in which their runs began. */
export async function runFiles(folder: string, recordsIn: RecordsIn): Promise<readonly string[]> {
	const files: { readonly path: string; readonly at: number }[] = [];
	for (const path of await runFilesUnread(folder)) files.push({ path, at: await beginOf(recordsIn(path)) });
	return files.sort((one, other) => one.at - other.at).map(({ path }) => path);
}

/** The records of a file of the folder. */
type RecordsIn = (path: string) => AsyncIterable<ReadRecord>;

/** The files of a folder by name, none of them opened. */
export async function runFilesUnread(folder: string): Promise<readonly string[]> {
	try {
		const names = await readdir(folder);
		const files = names.filter((name) => name.endsWith(ENDING));
		return files.sort().map((name) => join(folder, name));
	} catch (error) {
		throw unreadError(folder, error);
	}
}

/** The stamp of a file's first record; a file without one is the last to be read. */
async function beginOf(records: AsyncIterable<ReadRecord>): Promise<number> {
	try {
		for await (const { at } of records) return at;
	} catch (error) {
		// Told when the file's turn has come, so that it keeps nobody from the files before it.
		if (!isEngineError(error) || error.code !== "LEDGER_DAMAGED") throw error;
	}
	return Number.POSITIVE_INFINITY;
}

/** Opens a file of the folder for reading. */
type OpenFile = (path: string) => Promise<StoreReader>;

/** Reads a folder as one store: its runs one after another. */
export class RunFolderReader implements StoreReader {
	readonly #folder: string;
	readonly #open: OpenFile;
	#problem: LedgerProblem | undefined;
	#torn: TornEnd | undefined;

	constructor(folder: string, open: OpenFile) {
		this.#folder = folder;
		this.#open = open;
	}

	readonly offset = 0;

	get problem(): LedgerProblem | undefined {
		return this.#problem;
	}

	get torn(): TornEnd | undefined {
		return this.#torn;
	}

	async *batches(): AsyncGenerator<readonly ReadRecord[], void> {
		for (const path of await runFiles(this.#folder, (file) => this.#recordsIn(file))) {
			yield* this.#ofFile(path);
			if (this.#problem !== undefined) return;
		}
	}

	/** Without a word about damage, which is told when the file's turn has come. */
	async *#recordsIn(path: string): AsyncGenerator<ReadRecord, void> {
		const reader = await this.#open(path);
		try {
			for await (const batch of reader.batches()) yield* batch;
		} finally {
			await reader.close();
		}
	}

	async *#ofFile(path: string): AsyncGenerator<readonly ReadRecord[], void> {
		const reader = await this.#open(path);
		try {
			let records = 0;
			for await (const batch of reader.batches()) {
				// RF1: a chain that fits says nothing of whose it is.
				const stray = batch.find(({ runId }) => runFile(this.#folder, runId) !== path);
				if (stray !== undefined) {
					yield batch.slice(0, batch.indexOf(stray));
					const line = records + batch.indexOf(stray) + 2;
					this.#problem = { line, reason: `in ${basename(path)}, it is of the run ${JSON.stringify(stray.runId)}` };
					return;
				}
				records += batch.length;
				yield batch;
			}
			this.#takeEnd(path, reader);
		} finally {
			await reader.close();
		}
	}

	#takeEnd(path: string, { problem, torn }: StoreReader): void {
		if (problem !== undefined) {
			this.#problem = { line: problem.line, reason: `in ${basename(path)}, ${problem.reason}` };
		} else if (torn?.changed) {
			this.#problem = { line: torn.line, reason: `in ${basename(path)}, it is not what was written` };
		} else {
			this.#torn ??= torn;
		}
	}

	close(): Promise<void> {
		return Promise.resolve();
	}
}
