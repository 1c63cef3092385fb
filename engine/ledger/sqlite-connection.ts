// SQLite connection
//
// The few calls of the package libsql that a ledger is kept through. It is an optional peer of this package, loaded when
// the first SQLite ledger is opened. Chosen because it runs on every supported Node from binaries inside its npm
// packages: better-sqlite3 downloads one or builds for minutes, for a single version of Node; Node's own `node:sqlite`
// is missing on Node 20; the WebAssembly builds of SQLite have no WAL or no syncs on Node.
//
// Beginning and ending a transaction run on a thread of libsql, so neither the sync of a barrier nor the wait for another
// client's lock holds up the host; the rows between go in on the host's thread, a few microseconds each. A query's locks are
// waited for on libsql's thread as well, and its rows are fetched on the host's.
//
// libsql lets go of a closed database's files when Node has collected the statements made on it, or at the process's end; it
// has no call that ends a statement. Until then the closed connection has its descriptors and its locks, and SQLite counts
// the next connection of the process to those locks without asking the system for more. So nothing may let go of a closed
// connection's locks either (file-head.ts).
//
// Owns:      the port, and loading the package.
// Does not:  know the schema (sqlite-format.ts).

import { createRequire } from "node:module";
import { EngineError } from "../core/errors.js";
import { LEDGER_DATABASE_WAIT_MS } from "../core/ledger-limits.js";

export interface SqliteConnection {
	/** Runs statements that give no rows, away from the host's thread. */
	exec(sql: string): Promise<void>;
	prepare(sql: string): Promise<SqliteStatement>;
	close(): void;
}

export interface SqliteStatement {
	run(...values: readonly (number | string)[]): unknown;
	/** Rows as lists of their columns. */
	all(...values: readonly (number | string)[]): Promise<readonly (readonly unknown[])[]>;
}

/** Opens a database, creating it if it is missing. */
export type Connect = (path: string) => SqliteConnection;

interface LibsqlDatabase {
	exec(sql: string): Promise<unknown>;
	prepare(sql: string): Promise<SqliteStatement & { readonly reader: boolean; raw(): SqliteStatement }>;
	close(): void;
}

/** `timeout`: how long a statement waits for another client's lock, in milliseconds. */
type Libsql = new (path: string, options: { readonly timeout: number }) => LibsqlDatabase;

const require = createRequire(import.meta.url);

/** Loads the package. Required and not imported, so that who makes a ledger learns at once that it is missing. */
export function loadLibsql(): Connect {
	const Database = requireLibsql();
	return (path) => {
		const database = new Database(path, { timeout: LEDGER_DATABASE_WAIT_MS });
		return {
			exec: async (sql) => {
				await database.exec(sql);
			},
			prepare: async (sql) => {
				const statement = await database.prepare(sql);
				return statement.reader ? statement.raw() : statement;
			},
			close: () => database.close(),
		};
	};
}

function requireLibsql(): Libsql {
	try {
		return require("libsql/promise");
	} catch (cause) {
		throw new EngineError("LEDGER_FAILED", {
			action: "open an SQLite ledger",
			problem: `the package libsql does not load (${(cause as Error).message.split("\n")[0]})`,
			recovery: "Run `npm install libsql`, or keep the history in a fileLedger.",
			cause,
		});
	}
}
