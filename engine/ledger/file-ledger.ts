// File ledger
//
// History on disk. Appending turns records into text and holds them; a barrier writes all that is held with one write and
// one sync. Nothing is opened before the first append, so that a ledger that is only read locks nothing and creates
// nothing; then the file is created and its lock taken at once, and the rest (finding the end of what is there) goes on
// behind the first barrier.
//
// Owns:      the phases of an open ledger, who shares which barrier, what is held.
// Does not:  know the file's format (line-format.ts) or write it (ledger-writer.ts).
//
// Invariants:
//   F1. A record is in exactly one place: held, being written, or in the file before the writer's end; in that order of
//       age, so the three read one after another are the history.
//   F2. After the first failure no record is taken and no barrier resolves.

import { closeSync, openSync, realpathSync } from "node:fs";
import * as nodeFiles from "node:fs/promises";
import type { EngineError } from "../core/errors.js";
import { invariant } from "../core/invariant.js";
import { LEDGER_HELD_CHARS_MAX } from "../core/limits.js";
import { BlobFolder } from "./blob-folder.js";
import type { Entry, EntryDraft, Intent } from "./entry.js";
import type { FileSystem } from "./file-system.js";
import type { Ledger, ValueStore } from "./ledger.js";
import { closedError, damagedError, failedError } from "./ledger-error.js";
import { LedgerWriter } from "./ledger-writer.js";
import { entriesOf, intentsOf, RecordReader, recordsOf } from "./record-reader.js";
import { type HeldRecord, holdRecord, type ReadRecord, readHeld } from "./record-text.js";
import { takeWriterLock, type WriterLock } from "./writer-lock.js";

const nothing = (): void => undefined;

interface Claim {
	readonly lock: WriterLock;
	readonly writer: Promise<LedgerWriter>;
}

type Phase =
	| { readonly kind: "unopened" }
	| { readonly kind: "open"; readonly claim: Claim }
	| { readonly kind: "failed"; readonly claim: Claim; readonly error: EngineError }
	| { readonly kind: "closing"; readonly closed: Promise<void> };

export class FileLedger implements Ledger {
	readonly #path: string;
	readonly #files: FileSystem;
	#phase: Phase = { kind: "unopened" };
	#held: HeldRecord[] = [];
	#heldChars = 0;
	#writing: readonly HeldRecord[] = [];
	/** The barrier that has not begun, which everyone who asks now shares. */
	#next: Promise<void> | undefined;
	/** The barrier asked for last; it settles after every one before it. */
	#last: Promise<void> = Promise.resolve();

	constructor(path: string, files: FileSystem) {
		this.#path = path;
		this.#files = files;
	}

	append(records: readonly (EntryDraft | Intent)[]): void {
		const phase = this.#phase;
		if (phase.kind === "failed") throw phase.error;
		if (phase.kind === "closing") throw closedError(`append to the ledger ${this.#path}`);
		if (phase.kind === "unopened") this.#phase = { kind: "open", claim: this.#claim() };
		for (const record of records) {
			const held = holdRecord(record);
			this.#held.push(held);
			this.#heldChars += held.fields.length + held.large.reduce((sum, { bytes }) => sum + bytes.length, 0);
		}
		// A run that only reads may go on for long without a barrier. A failure is told by the next append or barrier.
		if (this.#heldChars > LEDGER_HELD_CHARS_MAX) this.barrier().catch(() => undefined);
	}

	barrier(): Promise<void> {
		const phase = this.#phase;
		if (phase.kind === "unopened") return Promise.resolve();
		if (phase.kind === "failed") return Promise.reject(phase.error);
		if (phase.kind === "closing") return Promise.reject(closedError(`make the ledger ${this.#path} durable`));
		return this.#commitNext(phase.claim);
	}

	entries(): AsyncIterable<Entry> {
		return { [Symbol.asyncIterator]: () => entriesOf(this.#records()) };
	}

	intents(): AsyncIterable<Intent> {
		return { [Symbol.asyncIterator]: () => intentsOf(this.#records()) };
	}

	close(): Promise<void> {
		const phase = this.#phase;
		if (phase.kind === "closing") return phase.closed;
		const closed = phase.kind === "unopened" ? Promise.resolve() : this.#letGo(phase.claim, this.barrier());
		this.#phase = { kind: "closing", closed };
		return closed;
	}

	readonly values: ValueStore = {
		keep: (values) => this.#keep(values),
		load: async (sha256, bytes) => {
			const blobs = new BlobFolder(realpathSync(this.#path), this.#files);
			return blobs.load({ path: [], as: "json", sha256, bytes });
		},
	};

	/** In line with the barriers, because the folder has one writer at a time. A failure is told to who asked alone. */
	async #keep(values: readonly Uint8Array[]): Promise<readonly string[]> {
		const phase = this.#phase;
		if (phase.kind === "failed") throw phase.error;
		if (phase.kind === "closing") throw closedError(`keep values beside the ledger ${this.#path}`);
		const claim = phase.kind === "open" ? phase.claim : this.#claim();
		if (phase.kind === "unopened") this.#phase = { kind: "open", claim };
		const before = this.#last;
		const keeping = before.then(async () => (await claim.writer).keep(values));
		this.#last = keeping.then(nothing, nothing).then(() => before);
		this.#last.catch(nothing);
		try {
			return await keeping;
		} catch (error) {
			throw failedError(`keep values beside the ledger ${this.#path}`, error);
		}
	}

	/** Creates the file if it is missing and takes its lock. Synchronous, so that a refusal meets who appends. */
	#claim(): Claim {
		try {
			closeSync(openSync(this.#path, "a"));
			// Two paths to one file meet at its real path, and so at one lock.
			const realPath = realpathSync(this.#path);
			const lock = takeWriterLock(realPath);
			const writer = LedgerWriter.open(realPath, this.#files);
			// Whoever asks for a barrier awaits it; a failure before anyone does is theirs to see then.
			writer.catch(() => undefined);
			return { lock, writer };
		} catch (error) {
			throw failedError(
				`open the ledger ${this.#path}`,
				error,
				"Give the path of a file in a folder that may be written.",
			);
		}
	}

	// L3: whoever asks before the next barrier begins is given that one. L2: behind one that failed, `then` fails as well.
	#commitNext(claim: Claim): Promise<void> {
		this.#next ??= this.#last = this.#last.then(() => this.#commit(claim));
		return this.#next;
	}

	async #commit(claim: Claim): Promise<void> {
		try {
			const writer = await claim.writer;
			// Until here everyone who asked shares this barrier: what they appended is still held.
			this.#next = undefined;
			if (this.#held.length === 0) return;
			invariant(this.#writing.length === 0, "F1", "two batches were being written at once");
			this.#writing = this.#held;
			this.#held = [];
			this.#heldChars = 0;
			await writer.write(this.#writing);
			this.#writing = [];
		} catch (cause) {
			const error = failedError(`make the ledger ${this.#path} durable`, cause);
			// F2: the phase turns before anyone who waits is told.
			this.#held = [];
			if (this.#phase.kind === "open") this.#phase = { kind: "failed", claim, error };
			throw error;
		}
	}

	async #letGo({ lock, writer }: Claim, lastBarrier: Promise<void>): Promise<void> {
		try {
			await lastBarrier;
		} finally {
			const opened = await writer.catch(() => undefined);
			await opened?.close();
			await lock.release();
		}
	}

	async *#records(): AsyncGenerator<ReadRecord, void> {
		const phase = this.#phase;
		if (phase.kind === "closing") await phase.closed.catch(() => undefined);
		if (phase.kind === "open" || phase.kind === "failed") yield* this.#recordsWhileOpen(await phase.claim.writer);
		else yield* recordsOf(this.#path, this.#files, "missing is empty");
	}

	async *#recordsWhileOpen(writer: LedgerWriter): AsyncGenerator<ReadRecord, void> {
		const reader = await RecordReader.open(this.#path, this.#files);
		try {
			while (reader.offset < writer.end.offset) {
				const before = reader.offset;
				yield* reader.records(writer.end.offset);
				if (reader.problem !== undefined) throw damagedError(this.#path, reader.problem);
				invariant(reader.offset > before, "F1", `the file ends at ${before}, before the writer's end`);
			}
		} finally {
			await reader.close();
		}
		if (this.#phase.kind === "failed") throw this.#phase.error;
		yield* numbered([...this.#writing, ...this.#held], writer.end.seq);
	}
}

function* numbered(records: readonly HeldRecord[], firstSeq: number): Generator<ReadRecord, void> {
	let seq = firstSeq;
	for (const held of records) {
		yield readHeld(held, seq);
		if (held.kind === "entry") seq += 1;
	}
}

/**
 * Makes a ledger in a file: one JSON line an entry, each chained to the one before by its hash, with large values in
 * `<path>.blobs/` beside it.
 *
 * The file is created, or opened and its torn last line cut off, at the first append; until then nothing is locked. From
 * then until `close` it has this one writer, in this process or any other.
 *
 * `append` throws `LEDGER_IN_USE` naming the process that holds the file, and `LEDGER_FAILED` when the folder is missing
 * or may not be written. `barrier` rejects with `LEDGER_DAMAGED` naming the line when an existing file does not read back
 * as it was written, and with `LEDGER_FAILED` when a write or a sync fails; after either nothing is taken any more.
 *
 * @param path - The file; its folder must exist.
 * @remarks Since 0.1.0.
 * @public
 */
export function fileLedger(path: string): Ledger {
	return new FileLedger(path, nodeFiles);
}
