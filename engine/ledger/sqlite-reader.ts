// SQLite reader
//
// The records of a ledger in a database, in order, a limited number of rows at a time: reading them is work of the host's
// thread, which turns its event loop in between.
//
// Owns:      a connection that only reads, and holding the rows to the chain.
// Does not:  turn lines into records (record-parser.ts).

import { systemClock } from "../core/clock.js";
import { LEDGER_ROWS_A_READ } from "../core/ledger-limits.js";
import { BlobFolder } from "./blob-folder.js";
import { nodeFileSystem } from "./file-system.js";
import { failedError, type LedgerProblem, unreadError } from "./ledger-error.js";
import type { StoreReader, WantedRun } from "./ledger-store.js";
import { CHAIN_START, type ChainPlace, linkOf } from "./line-chain.js";
import type { ScannedLine } from "./line-scanner.js";
import { RecordParser } from "./record-parser.js";
import type { ReadRecord } from "./record-text.js";
import type { Connect, SqliteConnection, SqliteStatement } from "./sqlite-connection.js";
import { CHECK_DATABASE, damageIn, headOf, SELECT_HEAD, SELECT_LINES } from "./sqlite-format.js";

const DOES_NOT_FIT = "its hash does not fit its line and the record before it";

export class SqliteReader implements StoreReader {
	/** A transaction is there whole or not at all. */
	readonly torn = undefined;
	readonly #path: string;
	readonly #connection: SqliteConnection;
	readonly #parser: RecordParser;
	#statement: SqliteStatement | undefined;
	#place: ChainPlace = CHAIN_START;
	#problem: LedgerProblem | undefined;

	private constructor(path: string, connection: SqliteConnection, wanted: WantedRun | undefined) {
		this.#path = path;
		this.#connection = connection;
		this.#parser = new RecordParser(new BlobFolder(path, nodeFileSystem), wanted);
	}

	/** `wanted`: whoever reads wants this run; records of others may be left out. */
	static async open(path: string, connect: Connect, wanted?: WantedRun): Promise<SqliteReader> {
		try {
			// Connecting would create a file that is missing.
			const realPath = await nodeFileSystem.realpath(path);
			return new SqliteReader(realPath, connect(realPath), wanted);
		} catch (error) {
			throw unreadError(path, error);
		}
	}

	get offset(): number {
		return this.#place.line;
	}

	get problem(): LedgerProblem | undefined {
		return this.#problem ?? this.#parser.problem;
	}

	async *batches(until = Number.POSITIVE_INFINITY): AsyncGenerator<readonly ReadRecord[], void> {
		while (this.problem === undefined) {
			const lines = await this.#nextLines(until);
			if (lines.length === 0) return;
			yield* this.#parser.batches(lines);
			await systemClock.nextTurn();
		}
	}

	/** The index and the pages, by which a host's own queries find records that the chain vouches for. */
	async check(): Promise<void> {
		try {
			const [[said] = ["ok"]] = await (await this.#connection.prepare(CHECK_DATABASE)).all();
			if (said !== "ok") this.#stopAt(`the database is damaged beside its records (${String(said)})`);
		} catch (error) {
			const damage = damageIn(error);
			if (damage === undefined) throw failedError(`check the ledger ${this.#path}`, error);
			this.#stopAt(damage);
		}
	}

	async close(): Promise<void> {
		this.#connection.close();
	}

	async #nextLines(until: number): Promise<readonly ScannedLine[]> {
		try {
			this.#statement ??= await this.#select();
			const { line } = this.#place;
			// From the very first: a row before the first place would be seen by who queries, and not by who checks.
			const from = line === CHAIN_START.line ? Number.NEGATIVE_INFINITY : line;
			const rows = (await this.#statement?.all(from, until, LEDGER_ROWS_A_READ)) ?? [];
			return this.#fitting(rows);
		} catch (error) {
			const damage = damageIn(error);
			if (damage === undefined) throw failedError(`read the ledger ${this.#path}`, error);
			this.#stopAt(damage);
			return [];
		}
	}

	/** `undefined` for a database that nobody has made a ledger yet. */
	async #select(): Promise<SqliteStatement | undefined> {
		await this.#connection.exec("PRAGMA query_only = ON");
		const [row] = await (await this.#connection.prepare(SELECT_HEAD)).all();
		const head = headOf(row);
		if (head.kind === "other") this.#stopAt(head.problem);
		return head.kind === "ledger" ? this.#connection.prepare(SELECT_LINES) : undefined;
	}

	#fitting(rows: readonly (readonly unknown[])[]): ScannedLine[] {
		const lines: ScannedLine[] = [];
		for (const [position, value] of rows) {
			const { line } = this.#place;
			const text = String(value);
			if (position !== line) {
				this.#stopAt(`a row in place ${position} stands where that in place ${line} is due`);
				return lines;
			}
			const link = linkOf(text, this.#place);
			if (link.kind !== "record") {
				this.#stopAt(link.kind === "wrong" ? link.reason : DOES_NOT_FIT);
				return lines;
			}
			lines.push({ line, text });
			this.#place = link.place;
		}
		return lines;
	}

	#stopAt(reason: string): void {
		this.#problem = { line: this.#place.line, reason };
	}
}
