// Ledger writer
//
// The file of a ledger, open for writing: it finds the end of what is there, and adds batches of records to it. A batch is
// one write and one sync, however many records it has. What a batch's lines name beside the file is durable before them.
//
// Owns:      the open file, the place of its end, and what is done to a torn end.
// Does not:  know who asked for a batch, or when (file-ledger.ts).
//
// Invariants:
//   W1. The file behind the end's offset holds nothing that anybody was told is durable.
//   W2. Nothing but a torn last line is ever cut off, and nothing that is not a ledger is ever written to.

import { dirname } from "node:path";
import { systemClock } from "../core/clock.js";
import { LEDGER_LINES_A_TURN } from "../core/limits.js";
import { BlobFolder } from "./blob-folder.js";
import { type FileHandle, type FileSystem, syncFolder, writeAll } from "./file-system.js";
import { damagedError } from "./ledger-error.js";
import { encodeLine, HEADER } from "./line-format.js";
import { type LinePlace, LineScanner } from "./line-scanner.js";
import { bodyOf, type HeldRecord } from "./record-text.js";

export class LedgerWriter {
	readonly #file: FileHandle;
	readonly #blobs: BlobFolder;
	#end: LinePlace;

	private constructor(file: FileHandle, blobs: BlobFolder, end: LinePlace) {
		this.#file = file;
		this.#blobs = blobs;
		this.#end = end;
	}

	/** Opens an existing file (it may be empty), reads it to its end and cuts a torn line off. */
	static async open(path: string, files: FileSystem): Promise<LedgerWriter> {
		const file = await files.open(path, "r+");
		try {
			const end = await findEnd(file, path);
			await syncFolder(dirname(path), files);
			return new LedgerWriter(file, new BlobFolder(path, files), end);
		} catch (error) {
			await file.close();
			throw error;
		}
	}

	/** Where the durable part of the file ends. */
	get end(): LinePlace {
		return this.#end;
	}

	/** Makes records durable. After a failure the file's end is not known and the writer must not be used again. */
	async write(batch: readonly HeldRecord[]): Promise<void> {
		const { bytes, end } = await this.#encode(batch);
		await this.#blobs.syncNames();
		await writeAll(this.#file, bytes, this.#end.offset);
		await this.#file.datasync();
		// W1: the end moves only now, so that a reader up to it meets durable lines alone.
		this.#end = end;
	}

	/** Keeps values that no line names, durably; gives their hashes. */
	async keep(values: readonly Uint8Array[]): Promise<readonly string[]> {
		const large = values.map((bytes) => ({ path: [], as: "json" as const, bytes: Buffer.from(bytes) }));
		const refs = await this.#blobs.keep(large);
		await this.#blobs.syncNames();
		return refs.map(({ sha256 }) => sha256);
	}

	close(): Promise<void> {
		return this.#file.close();
	}

	async #encode(batch: readonly HeldRecord[]): Promise<{ readonly bytes: Buffer; readonly end: LinePlace }> {
		const pieces: Buffer[] = [];
		let { offset, line, seq, hash } = this.#end;
		if (offset === 0) {
			pieces.push(HEADER);
			line += 1;
		}
		for (let from = 0; from < batch.length; from += LEDGER_LINES_A_TURN) {
			if (from > 0) await systemClock.nextTurn();
			let text = "";
			for (const held of batch.slice(from, from + LEDGER_LINES_A_TURN)) {
				const refs = held.large.length === 0 ? [] : await this.#blobs.keep(held.large);
				const encoded = encodeLine(bodyOf(held, seq, refs), hash);
				text += encoded.text;
				hash = encoded.hash;
				line += 1;
				if (held.kind === "entry") seq += 1;
			}
			pieces.push(Buffer.from(text));
		}
		const bytes = Buffer.concat(pieces);
		offset += bytes.length;
		return { bytes, end: { offset, line, seq, hash } };
	}
}

async function findEnd(file: FileHandle, path: string): Promise<LinePlace> {
	const scanner = new LineScanner(file);
	while ((await scanner.next()).length > 0) {
		// Only the place behind the last line is wanted here.
	}
	const { end, place } = scanner;
	// W2: damage leaves before anything is written; only what is torn goes on to be cut.
	if (end.kind === "damaged") throw damagedError(path, end.problem);
	if (end.kind === "torn") {
		await file.truncate(place.offset);
		// Until the cut is durable a crash could bring the torn bytes back behind new lines.
		await file.datasync();
	}
	return place;
}
