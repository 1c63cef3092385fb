// Held database
//
// Connections to a real database with a hand on them: every end of a transaction is counted, the next one can be held,
// and the next row or end can be made to fail as a full disk does.
//
// Owns:      the faults.
// Does not:  keep rows (the real database does).

import type { Ledger } from "../../engine/ledger/ledger.js";
import { loadLibsql, type SqliteConnection } from "../../engine/ledger/sqlite-connection.js";
import { SqliteStore } from "../../engine/ledger/sqlite-ledger.js";
import { StoredLedger } from "../../engine/ledger/stored-ledger.js";
import type { LedgerDisk } from "../contracts/ledger.js";

export class HeldDatabase implements LedgerDisk {
	syncs = 0;
	#fails: "write" | "datasync" | undefined;
	#hold: { reached(release: () => void): void } | undefined;

	/** An SQLite ledger on these connections. */
	ledgerAt(path: string): Ledger {
		const connect = loadLibsql();
		return new StoredLedger(new SqliteStore(path, (file) => this.#watch(connect(file))));
	}

	holdNextSync(): Promise<() => void> {
		return new Promise((resolve) => {
			this.#hold = { reached: resolve };
		});
	}

	failNext(operation: "write" | "datasync"): void {
		this.#fails = operation;
	}

	#watch(connection: SqliteConnection): SqliteConnection {
		return {
			exec: (sql) => (sql === "COMMIT" ? this.#commit(connection) : connection.exec(sql)),
			prepare: async (sql) => {
				const statement = await connection.prepare(sql);
				const run: typeof statement.run = (...values) => {
					this.#failIf("write");
					return statement.run(...values);
				};
				return { run, all: (...values) => statement.all(...values) };
			},
			close: () => connection.close(),
		};
	}

	async #commit(connection: SqliteConnection): Promise<void> {
		const hold = this.#hold;
		this.#hold = undefined;
		if (hold !== undefined) await new Promise<void>((resolve) => hold.reached(resolve));
		this.#failIf("datasync");
		await connection.exec("COMMIT");
		this.syncs += 1;
	}

	#failIf(operation: "write" | "datasync"): void {
		if (this.#fails !== operation) return;
		this.#fails = undefined;
		throw Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
	}
}
