// Record reader
//
// The records of a ledger's file, one after another. Damage ends the stream and is told afterwards, because whoever reads
// a damaged file wants the whole records before the damage first.
//
// Owns:      the file, open for reading, and turning its lines into records.
// Does not:  hold more than one chunk of the file and one record's large values at a time.

import { BlobFolder } from "./blob-folder.js";
import type { Entry, Intent } from "./entry.js";
import type { FileHandle, FileSystem } from "./file-system.js";
import { damagedError, failedError, isSystemError, type LedgerProblem } from "./ledger-error.js";
import { LineScanner, type ScannedLine, type TornEnd } from "./line-scanner.js";
import { parseLine, type ReadRecord, withLargeValues } from "./record-text.js";

export class RecordReader {
	readonly #file: FileHandle;
	readonly #scanner: LineScanner;
	readonly #blobs: BlobFolder;
	#unreadable: LedgerProblem | undefined;

	private constructor(file: FileHandle, blobs: BlobFolder) {
		this.#file = file;
		this.#scanner = new LineScanner(file);
		this.#blobs = blobs;
	}

	static async open(path: string, files: FileSystem): Promise<RecordReader> {
		try {
			// Links are followed first: the values lie beside the file itself, whatever path led to it.
			const realPath = await files.realpath(path);
			return new RecordReader(await files.open(realPath, "r"), new BlobFolder(realPath, files));
		} catch (error) {
			throw failedError(`read the ledger ${path}`, error);
		}
	}

	/** How much of the file was read as whole lines. */
	get offset(): number {
		return this.#scanner.place.offset;
	}

	/** What stopped the records before the end of the file, once they have ended. */
	get problem(): LedgerProblem | undefined {
		const { end } = this.#scanner;
		return this.#unreadable ?? (end.kind === "damaged" ? end.problem : undefined);
	}

	/** What stands behind the last whole line, once the records have ended. */
	get torn(): TornEnd | undefined {
		const { end } = this.#scanner;
		return end.kind === "torn" ? end : undefined;
	}

	/** The records from where the last call of this ended to the end of the file, or to the byte `until`. */
	async *records(until?: number): AsyncGenerator<ReadRecord, void> {
		for (;;) {
			const lines = await this.#scanner.next(until);
			if (lines.length === 0) return;
			for (const line of lines) {
				const record = await this.#recordOf(line);
				if (record === undefined) return;
				yield record;
			}
		}
	}

	close(): Promise<void> {
		return this.#file.close();
	}

	async #recordOf({ line, bytes }: ScannedLine): Promise<ReadRecord | undefined> {
		const parsed = parseLine(bytes);
		if (parsed !== undefined && parsed.refs.length === 0) return parsed.record;
		const read = parsed === undefined ? { problem: "it is no record" } : await withLargeValues(parsed, this.#blobs);
		if (!("problem" in read)) return read;
		this.#unreadable = { line, reason: read.problem };
		return undefined;
	}
}

/** Every record of a file. Throws at damage, after the records before it. */
export async function* recordsOf(
	path: string,
	files: FileSystem,
	whenMissing: "missing is empty" | "missing throws",
): AsyncGenerator<ReadRecord, void> {
	let reader: RecordReader;
	try {
		reader = await RecordReader.open(path, files);
	} catch (error) {
		if (whenMissing === "missing is empty" && isSystemError((error as Error).cause, "ENOENT")) return;
		throw error;
	}
	try {
		yield* reader.records();
		if (reader.problem !== undefined) throw damagedError(path, reader.problem);
	} finally {
		await reader.close();
	}
}

export async function* entriesOf(records: AsyncIterable<ReadRecord>): AsyncGenerator<Entry, void> {
	for await (const record of records) if (record.kind !== "intent") yield record;
}

export async function* intentsOf(records: AsyncIterable<ReadRecord>): AsyncGenerator<Intent, void> {
	for await (const record of records) if (record.kind === "intent") yield record;
}
