// Ledger writer
//
// The file of a ledger, open for writing: it finds the end of what is there, and adds batches of records to it. A batch is
// one write and one sync, however many records it has. What a batch's lines name beside the file is durable before them.
//
// Owns:      the open file, the place of its end, and what is done to a torn end.
// Does not:  know who asked for a batch, or when (stored-ledger.ts).
//
// Invariants:
//   W1. The file behind the end's offset holds nothing that anybody was told is durable.
//   W2. Nothing but a torn end is ever cut off, and nothing that is not a ledger is ever written to.
//   W3. A mark is written only when all before it is durable.
//   W4. Behind the end stand NUL bytes alone, and no more of them than LEDGER_SPARE_BYTES_MAX and a block; none once closed.

import { dirname } from "node:path";
import { systemClock } from "../core/clock.js";
import { invariant } from "../core/invariant.js";
import { LEDGER_BLOCK_BYTES, LEDGER_LINES_A_TURN, LEDGER_SPARE_BYTES_MAX } from "../core/ledger-limits.js";
import { BlobFolder } from "./blob-folder.js";
import { type DurableFile, type FileSystem, type LedgerFile, syncFolder, writeAll } from "./file-system.js";
import { damagedError } from "./ledger-error.js";
import type { StoreWriter } from "./ledger-store.js";
import { type EncodedLine, encodeLine, HEADER, markBody } from "./line-format.js";
import { FILE_START, type LinePlace, LineScanner } from "./line-scanner.js";
import { bodyOf, type HeldRecord } from "./record-text.js";

interface Encoded {
	readonly bytes: Buffer;
	readonly end: LinePlace;
}

export class LedgerWriter implements StoreWriter {
	readonly #file: DurableFile;
	readonly #blobs: BlobFolder;
	#end: LinePlace;
	/** How far the file reaches: the end, and what is written ahead behind it. */
	#reach: number;
	/** The mark that the next batch begins with, unless the end is marked. */
	#mark: EncodedLine | undefined;
	/** Whether bytes may stand behind the end: while a batch is written, and for ever after one that failed. */
	#isWriting = false;

	private constructor(file: DurableFile, blobs: BlobFolder, end: LinePlace) {
		this.#file = file;
		this.#blobs = blobs;
		this.#end = end;
		this.#reach = end.offset;
		this.#mark = markOf(end);
	}

	/** Opens an existing file (it may be empty), reads it to its end and cuts off what is torn. */
	static async open(path: string, files: FileSystem): Promise<LedgerWriter> {
		const file = await files.openDurable(path);
		try {
			const end = await prepareEnd(file, path);
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

	async write(batch: readonly HeldRecord[]): Promise<void> {
		this.#isWriting = true;
		const { bytes, end } = await this.#encode(batch);
		await this.#blobs.syncNames();
		const written = this.#file.writeDurably(this.#withSpare(bytes, end.offset), this.#end.offset);
		// While the disk works: the next batch would have to wait for it.
		const mark = markOf(end);
		await written;
		// W1: the end moves only now, so that a reader up to it meets durable lines alone. W3: and the mark is there only now.
		this.#end = end;
		this.#mark = mark;
		this.#isWriting = false;
	}

	/**
	 * The bytes of a batch, and what is written ahead behind them where they do not fit into what was. A write that makes a
	 * file longer waits for the file system's own journal, and for room; of fifty lines it costs a third more.
	 */
	#withSpare(bytes: Buffer, end: number): Buffer {
		if (end <= this.#reach) return bytes;
		// As much as there is: short ledgers stay short, and long ones are seldom made longer.
		const wanted = end + Math.min(end, LEDGER_SPARE_BYTES_MAX);
		this.#reach = Math.ceil(wanted / LEDGER_BLOCK_BYTES) * LEDGER_BLOCK_BYTES;
		const spare = this.#reach - end;
		invariant(spare <= LEDGER_SPARE_BYTES_MAX + LEDGER_BLOCK_BYTES, "W4", `${spare} bytes are written ahead`);
		return Buffer.concat([bytes], bytes.length + spare);
	}

	async close(): Promise<void> {
		try {
			if (!this.#isWriting) await this.#endFile();
		} finally {
			await this.#file.close();
		}
	}

	/** Not synced: a mark or a cut that is lost leaves the file as it is between two barriers. */
	async #endFile(): Promise<void> {
		const { offset } = this.#end;
		const last = Buffer.from(this.#mark?.text ?? "");
		if (last.length > 0) await writeAll(this.#file, last, offset);
		// W4: nothing was written ahead where nothing was written.
		if (offset + last.length < this.#reach) await this.#file.truncate(offset + last.length);
	}

	async #encode(batch: readonly HeldRecord[]): Promise<Encoded> {
		const pieces: Buffer[] = [];
		let { marked, line, seq, hash } = this.#end;
		const { offset } = this.#end;
		let text = "";
		if (this.#mark !== undefined) {
			({ text, hash } = this.#mark);
			marked = offset + text.length;
			line += 1;
		}
		for (const [place, held] of batch.entries()) {
			if (place > 0 && place % LEDGER_LINES_A_TURN === 0) {
				pieces.push(Buffer.from(text));
				text = "";
				await systemClock.nextTurn();
			}
			const refs = held.large.length === 0 ? [] : await this.#blobs.keep(held.large);
			const encoded = encodeLine(bodyOf(held, seq, refs), hash);
			text += encoded.text;
			hash = encoded.hash;
			line += 1;
			if (held.kind === "entry") seq += 1;
		}
		const last = Buffer.from(text);
		const bytes = pieces.length === 0 ? last : Buffer.concat([...pieces, last]);
		return { bytes, end: { offset: offset + bytes.length, marked, line, seq, hash } };
	}
}

function markOf({ offset, marked, hash }: LinePlace): EncodedLine | undefined {
	return offset === marked ? undefined : encodeLine(markBody(offset), hash);
}

async function prepareEnd(file: LedgerFile, path: string): Promise<LinePlace> {
	const scanner = new LineScanner(file);
	while ((await scanner.next()).length > 0) {
		// Only the place behind the last line is wanted here.
	}
	const { end, place } = scanner;
	// W2: damage leaves before anything is written; only what is torn, or was written ahead, goes on to be cut.
	if (end.kind === "damaged") throw damagedError(path, end.problem);
	if (end.kind === "torn" || end.spareBytes > 0) await file.truncate(place.offset);
	if (place.offset === 0) await writeAll(file, HEADER, 0);
	// Until the cut is durable a crash could bring the torn bytes back behind new lines. W3: a process that was killed may
	// have left whole lines that are not durable yet, and the first mark will vouch for them.
	await file.sync();
	return place.offset === 0 ? FILE_START : place;
}
