// Record reader
//
// The records of a ledger's file, in order.
//
// Owns:      the file, open for reading, and turning its lines into records.
// Does not:  hold more than one piece of the file and one record's large values at a time.

import { BlobFolder } from "./blob-folder.js";
import type { FileSystem, LedgerFile } from "./file-system.js";
import { failedError, type LedgerProblem, unreadError } from "./ledger-error.js";
import type { StoreReader, TornEnd, WantedRun } from "./ledger-store.js";
import { LineScanner, type ScannedLine } from "./line-scanner.js";
import { RecordParser } from "./record-parser.js";
import type { ReadRecord } from "./record-text.js";

export class RecordReader implements StoreReader {
	readonly #path: string;
	readonly #file: LedgerFile;
	readonly #scanner: LineScanner;
	readonly #parser: RecordParser;

	private constructor(path: string, file: LedgerFile, parser: RecordParser) {
		this.#path = path;
		this.#file = file;
		this.#scanner = new LineScanner(file);
		this.#parser = parser;
	}

	/** `wanted`: whoever reads wants this run; records of others may be left out. */
	static async open(path: string, files: FileSystem, wanted?: WantedRun): Promise<RecordReader> {
		try {
			// Links are followed first: the values lie beside the file itself, whatever path led to it.
			const realPath = await files.realpath(path);
			const parser = new RecordParser(new BlobFolder(realPath, files), wanted);
			return new RecordReader(path, await files.open(realPath, "r"), parser);
		} catch (error) {
			throw unreadError(path, error);
		}
	}

	get offset(): number {
		return this.#scanner.place.offset;
	}

	get problem(): LedgerProblem | undefined {
		const { end } = this.#scanner;
		return this.#parser.problem ?? (end.kind === "damaged" ? end.problem : undefined);
	}

	get torn(): TornEnd | undefined {
		const { end } = this.#scanner;
		return end.kind === "torn" ? end : undefined;
	}

	/** Whoever stops before the end goes on nowhere: what comes next has been read by then. */
	async *batches(until?: number): AsyncGenerator<readonly ReadRecord[], void> {
		let lines = await this.#next(until);
		while (lines.length > 0) {
			// Read while these are parsed and used.
			const coming = this.#next(until);
			// Whoever stops early does not hear of it.
			coming.catch(() => undefined);
			yield* this.#parser.batches(lines);
			if (this.#parser.problem !== undefined) return;
			lines = await coming;
			// The end that it saw may have been written on since.
			if (lines.length === 0) lines = await this.#next(until);
		}
	}

	async #next(until?: number): Promise<readonly ScannedLine[]> {
		try {
			return await this.#scanner.next(until);
		} catch (error) {
			throw failedError(`read the ledger ${this.#path}`, error);
		}
	}

	close(): Promise<void> {
		return this.#file.close();
	}
}
