// SQLite writer
//
// The database of a ledger, open for writing: one transaction a batch, synced in full when it ends. Opening looks at the
// end of the chain alone, so that it costs the same in a database of millions of records; the check of a whole ledger is
// verifyLedger's.
//
// Owns:      the open database and the place of its end.
// Does not:  know who asked for a batch, or when (stored-ledger.ts).
//
// Invariants:
//   G1. A database that is not a ledger is never written to.
//   G3. No barrier resolves for records in a log that the database's path does not lead to.

import { dirname } from "node:path";
import { systemClock } from "../core/clock.js";
import { LEDGER_LINES_A_TURN } from "../core/ledger-limits.js";
import { BlobFolder } from "./blob-folder.js";
import { ClaimedFile, ITS_WAL } from "./claimed-file.js";
import { nodeFileSystem, syncFolder } from "./file-system.js";
import { damagedError } from "./ledger-error.js";
import type { StoreEnd, StoreWriter } from "./ledger-store.js";
import { CHAIN_START, type ChainPlace, linkOf } from "./line-chain.js";
import { claimedHash, encodeLine, seqOf } from "./line-format.js";
import { bodyOf, type HeldRecord } from "./record-text.js";
import type { Connect, SqliteConnection, SqliteStatement } from "./sqlite-connection.js";
import {
	CREATE_SCHEMA,
	damageIn,
	headOf,
	INSERT_LINE,
	SELECT_BOUNDS,
	SELECT_HEAD,
	SELECT_LAST_LINES,
} from "./sqlite-format.js";

export class SqliteWriter implements StoreWriter {
	readonly #connection: SqliteConnection;
	readonly #insert: SqliteStatement;
	readonly #file: ClaimedFile;
	readonly #wal: ClaimedFile;
	readonly #blobs: BlobFolder;
	#place: ChainPlace;
	/** Whether a transaction is open: while a batch is written, and for ever after one that failed. */
	#isWriting = false;

	private constructor(opened: Opened, blobs: BlobFolder) {
		this.#connection = opened.connection;
		this.#insert = opened.insert;
		this.#file = opened.file;
		this.#wal = opened.wal;
		this.#place = opened.place;
		this.#blobs = blobs;
	}

	/** Opens an existing file; an empty one is made a ledger. */
	static async open(path: string, connect: Connect, file: ClaimedFile): Promise<SqliteWriter> {
		const connection = connect(path);
		try {
			await prepareDatabase(connection, path);
			const place = await findPlace(connection, path);
			await syncFolder(dirname(path), nodeFileSystem);
			const insert = await connection.prepare(INSERT_LINE);
			// It is there since the chain was read, and is the database's own until the last connection of all ends.
			const wal = ClaimedFile.held(path, ITS_WAL);
			return new SqliteWriter({ connection, insert, file, wal, place }, new BlobFolder(path, nodeFileSystem));
		} catch (error) {
			connection.close();
			const reason = damageIn(error);
			throw reason === undefined ? error : damagedError(path, { line: 1, reason });
		}
	}

	get end(): StoreEnd {
		const { line, seq } = this.#place;
		return { offset: line, seq };
	}

	async write(batch: readonly HeldRecord[]): Promise<void> {
		this.#isWriting = true;
		await this.#connection.exec("BEGIN IMMEDIATE");
		// G3: a client that saw no lock of ours would have taken the log away. What went into it before is in the database then.
		this.#demandWal();
		let place = this.#place;
		for (const [index, held] of batch.entries()) {
			if (index > 0 && index % LEDGER_LINES_A_TURN === 0) await systemClock.nextTurn();
			const refs = held.large.length === 0 ? [] : await this.#blobs.keep(held.large);
			const { text, hash } = encodeLine(bodyOf(held, place.seq, refs), place.hash);
			this.#insert.run(place.line, text.slice(0, -1));
			place = { line: place.line + 1, seq: held.kind === "entry" ? place.seq + 1 : place.seq, hash };
		}
		await this.#blobs.syncNames();
		await this.#connection.exec("COMMIT");
		this.#demandWal();
		// The end moves only now, so that a reader up to it meets durable records alone.
		this.#place = place;
		this.#isWriting = false;
	}

	#demandWal(): void {
		try {
			this.#wal.demandInPlace();
		} catch (error) {
			// A database that is gone took its log along, and is what is to be told of.
			this.#file.demandInPlace();
			throw error;
		}
	}

	async close(): Promise<void> {
		try {
			// What SQLite does when the last connection ends, only now: until then a copy of the file alone would lack records.
			if (!this.#isWriting) await this.#connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
		} finally {
			// SQLite has its locks in other files than the log.
			this.#wal.close();
			this.#connection.close();
		}
	}
}

interface Opened {
	readonly connection: SqliteConnection;
	readonly insert: SqliteStatement;
	readonly file: ClaimedFile;
	readonly wal: ClaimedFile;
	readonly place: ChainPlace;
}

async function prepareDatabase(connection: SqliteConnection, path: string): Promise<void> {
	const [row] = await rowsOf(connection, SELECT_HEAD);
	const head = headOf(row);
	// G1: nothing is written before this is known.
	if (head.kind === "other") throw damagedError(path, { line: 1, reason: head.problem });
	if (head.kind === "empty") await connection.exec(CREATE_SCHEMA);
	await connection.exec("PRAGMA journal_mode = WAL");
	await connection.exec("PRAGMA synchronous = FULL");
}

/** The place behind the last record, which must stand behind the one before it and fit the hash which that one claims. */
async function findPlace(connection: SqliteConnection, path: string): Promise<ChainPlace> {
	const [last, beforeLast] = await rowsOf(connection, SELECT_LAST_LINES);
	if (last === undefined) return CHAIN_START;
	const [position, value] = last;
	const [[first, lastSeq] = []] = await rowsOf(connection, SELECT_BOUNDS);
	const text = String(value);
	const line = Number(position);
	// Behind a place that is left out, or beside a row before the first, nobody would read what is written.
	const due = beforeLast === undefined ? CHAIN_START.line : Number(beforeLast[0]) + 1;
	if (line !== due || first !== CHAIN_START.line) {
		throw damagedError(path, {
			line: due,
			reason: `the records from ${first} to ${position} are not one after another from 1`,
		});
	}
	const entries = lastSeq === null ? 0 : Number(lastSeq) + 1;
	const seq = seqOf(text) === "intent" ? entries : entries - 1;
	const hash = beforeLast === undefined ? CHAIN_START.hash : claimedHash(String(beforeLast[1]));
	const link = linkOf(text, { line, seq, hash });
	if (link.kind === "record") return link.place;
	throw damagedError(path, { line, reason: "its hash does not fit its line and the record before it" });
}

async function rowsOf(connection: SqliteConnection, sql: string): Promise<readonly (readonly unknown[])[]> {
	return (await connection.prepare(sql)).all();
}
