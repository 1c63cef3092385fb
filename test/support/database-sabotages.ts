// Database sabotages
//
// The faults that break what is promised of a ledger in an SQLite database: its locks, its log, its rows and its schema.
//
// Owns:      that part of the list.
// Does not:  apply it (sabotage.ts) or hold the faults of other ledgers (ledger-sabotages.ts).

import type { Sabotage } from "./sabotages.js";

export const DATABASE_SABOTAGES: readonly Sabotage[] = [
	{
		law: "FD1: a look at a file keeps the locks of its process",
		file: "engine/ledger/file-head.ts",
		find: "stat.size % BLOCK_BYTES === 0n ?",
		replace: "bytes < 0 ?",
		test: { file: "test/ledger/outside-clients.test.ts", title: "after verifyLedger by its path" },
	},
	{
		law: "FD1: claiming a ledger opens no file that is there",
		file: "engine/ledger/file-ledger.ts",
		find: 'openSync(path, "ax")',
		replace: 'openSync(path, "a")',
		test: { file: "test/ledger/outside-clients.test.ts", title: "after a second sqliteLedger, refused by its path" },
	},
	{
		law: "FD1: a file ledger claims no database",
		file: "engine/ledger/file-ledger.ts",
		find: 'if (kindOfFile(path, this.#files) === "database") {',
		replace: 'if (kindOfFile(path, this.#files) === "empty") {',
		test: { file: "test/ledger/outside-clients.test.ts", title: "after a fileLedger, refused by another of its names" },
	},
	{
		law: "FD1: a file ledger reads no database",
		file: "engine/ledger/file-ledger.ts",
		find: 'return kindOfFile(this.path, this.#files) === "database";',
		replace: 'return kindOfFile(this.path, this.#files) === "empty";',
		test: { file: "test/ledger/outside-clients.test.ts", title: "after a fileLedger that is only read by its path" },
	},
	{
		law: "G3: nothing is written into a log that was taken away",
		file: "engine/ledger/sqlite-writer.ts",
		find: "this.#demandWal();\n\t\tlet place",
		replace: "let place",
		test: { file: "test/ledger/outside-clients.test.ts", title: "fails the next barrier before it writes" },
	},
	{
		law: "G3: no barrier resolves whose log was taken away meanwhile",
		file: "engine/ledger/sqlite-writer.ts",
		find: 'exec("COMMIT");\n\t\tthis.#demandWal();',
		replace: 'exec("COMMIT");',
		test: { file: "test/ledger/outside-clients.test.ts", title: "while a barrier was written fails that barrier" },
	},
	{
		law: "A barrier waits for another client of its database",
		file: "engine/ledger/sqlite-connection.ts",
		find: "new Database(path, { timeout: LEDGER_DATABASE_WAIT_MS })",
		replace: "new Database(path, { timeout: 0 * LEDGER_DATABASE_WAIT_MS })",
		test: { file: "test/ledger/outside-clients.test.ts", title: "that is writing is waited for" },
	},
	{
		law: "S1: a check reads every row of a database",
		file: "engine/ledger/sqlite-reader.ts",
		find: "line === CHAIN_START.line ? Number.NEGATIVE_INFINITY : line",
		replace: "line",
		test: { file: "test/ledger/sqlite-schema.test.ts", title: "in place -1 is found" },
	},
	{
		law: "S1: a check reads a database to its last row",
		file: "engine/ledger/sqlite-reader.ts",
		find: "until = Number.POSITIVE_INFINITY",
		replace: "until = Number.MAX_SAFE_INTEGER",
		test: { file: "test/ledger/sqlite-schema.test.ts", title: "in place 9223372036854775807 is found" },
	},
	{
		law: "S1: nothing is written where nobody would read it",
		file: "engine/ledger/sqlite-writer.ts",
		find: "if (line !== due || first",
		replace: "if (first",
		test: { file: "test/ledger/sqlite-schema.test.ts", title: "where the last record was moved on" },
	},
	{
		law: "S1: nothing is written beside a row before the first",
		file: "engine/ledger/sqlite-writer.ts",
		find: " || first !== CHAIN_START.line",
		replace: "",
		test: { file: "test/ledger/sqlite-schema.test.ts", title: "in place 0 is found" },
	},
	{
		law: "G2: a changed view is found",
		file: "engine/ledger/sqlite-format.ts",
		find: "SCHEMA[name] !== sql",
		replace: "!Object.hasOwn(SCHEMA, name)",
		test: { file: "test/ledger/sqlite-schema.test.ts", title: "G2: with another view of the same name" },
	},
	{
		law: "G2: a view that lacks is found",
		file: "engine/ledger/sqlite-format.ts",
		find: ".find((name) => !names.has(name))",
		replace: ".find((name) => names.size === 0)",
		test: { file: "test/ledger/sqlite-schema.test.ts", title: "G2: with a view that lacks" },
	},
];
