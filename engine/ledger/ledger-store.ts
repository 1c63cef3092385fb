// Ledger store
//
// The port between a ledger that lives on and what it lives in: a file of lines (file-ledger.ts) or a database
// (sqlite-ledger.ts). A store knows how records are kept; who appended them, and who waits for them, it does not.
//
// Owns:      the port.
// Does not:  hold records back or share barriers (stored-ledger.ts).

import type { BlobFolder } from "./blob-folder.js";
import type { ClaimedFile } from "./claimed-file.js";
import type { LedgerProblem } from "./ledger-error.js";
import type { HeldRecord, ReadRecord } from "./record-text.js";
import type { WriterLock } from "./writer-lock.js";

export interface LedgerStore {
	readonly path: string;
	/**
	 * Creates what is missing and takes the writer's lock, synchronously, so that a refusal meets who appends; the rest of
	 * opening goes on behind the writer's promise.
	 */
	claim(): StoreClaim;
	/**
	 * Opens what is there for reading, without the lock. Throws `LEDGER_FAILED`, its cause `ENOENT`, when nothing is.
	 * `wanted`: whoever reads wants this run; records of others may be left out.
	 */
	read(wanted?: WantedRun): Promise<StoreReader>;
	/** The folder of large values beside what exists already. One writer at a time: in line with the batches. */
	blobs(): BlobFolder;
}

export interface WantedRun {
	readonly runId: string;
	/** Records may come unread (usual-line.ts). */
	readonly unread?: boolean;
}

export interface StoreClaim {
	readonly lock: WriterLock;
	readonly writer: Promise<StoreWriter>;
	/** To be closed after the writer. */
	readonly file: ClaimedFile;
}

export interface StoreWriter {
	/** Where the durable records end. */
	readonly end: StoreEnd;
	/** Makes records durable. After a failure nothing but `close` may be called. */
	write(batch: readonly HeldRecord[]): Promise<void>;
	close(): Promise<void>;
}

export interface StoreEnd {
	/** Grows with every batch; a reader counts its own place in the same measure. */
	readonly offset: number;
	/** The number that the next entry has. */
	readonly seq: number;
}

/** Damage ends the records and is told afterwards, because whoever reads wants the whole records before it first. */
export interface StoreReader {
	/** How far the records were read. */
	readonly offset: number;
	/** What stopped the records before the end, once they have ended. */
	readonly problem: LedgerProblem | undefined;
	/** What a crash left behind the last whole record, once the records have ended. */
	readonly torn: TornEnd | undefined;
	/** The records from where the last call of this ended to the end, or to the writer's end `until`; some at a time. */
	batches(until?: number): AsyncGenerator<readonly ReadRecord[], void>;
	/** Looks at what is beside the records, once they have ended without a problem. Left out: nothing is. */
	check?(): Promise<void>;
	close(): Promise<void>;
}

export interface TornEnd {
	readonly line: number;
	readonly bytes: number;
	/** It cannot be a mere cut of what was written. */
	readonly changed: boolean;
}
