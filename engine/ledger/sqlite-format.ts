// SQLite format
//
// A ledger in an SQLite database, for histories of many runs that are to be queried. Version 1: a database whose
// `application_id` is 2004120174 (the letters `wtrn`) and whose `user_version` is 1, with one table, one index and two
// views:
//
//   records    position   1 for the first record, then one more each, entries and intents alike
//              line       the record as the line of a file ledger, without its LF (line-format.ts): the same fields, the
//                         same hash chained over the record before, the first one to the same header
//              seq, kind, runId, at, data     computed from `line` and not stored; `data` is JSON text; `seq` is null for
//                         an intent, whose `kind` is `intent`
//   recordsOfRun          the index of records by runId and position
//   entries    seq, kind, runId, at, data, position      of the records that are entries
//   intents    runId, at, data, position                 of those that are intents
//
// For example, how often each tool failed, over all runs:
//
//   SELECT called.data ->> '$.name' AS tool, count(*) AS failures
//   FROM entries AS result JOIN entries AS called
//     ON called.runId = result.runId AND called.seq = result.seq - 1 AND called.kind = 'tool_called'
//   WHERE result.kind = 'tool_result' AND result.data ->> '$.outcome.ok' = 0
//   GROUP BY tool ORDER BY failures DESC
//
// Nothing else stands in it but what ANALYZE writes (`sqlite_stat1`): another object, or one of these with another text, is
// damage. Queries and views of one's own have a place in a database that this one is attached to.
//
// The line is the one source of every field, so that no column can say other than what the chain vouches for. Columns of
// their own beside a hash were left out: what is hashed would have to be put together from them, byte for byte, by
// everyone who checks it.
//
// Large values are kept as for a file ledger: in `<database>.blobs/`, named in the line, `null` in its data. The database
// is in WAL mode (`-wal` and `-shm` stand beside it while it is open) and every barrier is one transaction, synced in
// full. No marks are needed: a transaction that a crash cut short was never there.
//
// Owns:      the schema and how a database of ours is told from others.
// Does not:  open databases (sqlite-connection.ts).
//
// Invariants:
//   G2. A database whose schema is not exactly this one is neither read nor written.

import type { FileSystem } from "./file-system.js";
import { OTHER_DATABASE, otherVersion } from "./ledger-error.js";

const APPLICATION_ID = 2004120174;
const FORMAT_VERSION = 1;

const MAGIC = Buffer.from("SQLite format 3\0");

/** What a file is, by its first bytes. An empty one may become either; no file is told from a file of lines by its reader. */
export function kindOfFile(path: string, files: Pick<FileSystem, "head">): "database" | "empty" | "lines" {
	const head = files.head(path, MAGIC.length);
	if (head?.length === 0) return "empty";
	return head?.equals(MAGIC) ? "database" : "lines";
}

/** What a ledger's database consists of, by name. SQLite keeps each text as it is here, so the texts are format. */
const SCHEMA: Readonly<Record<string, string>> = {
	records: `CREATE TABLE records (
	position INTEGER PRIMARY KEY,
	line TEXT NOT NULL,
	seq INTEGER GENERATED ALWAYS AS (line ->> '$.seq') VIRTUAL,
	kind TEXT GENERATED ALWAYS AS (line ->> '$.kind') VIRTUAL,
	runId TEXT GENERATED ALWAYS AS (line ->> '$.runId') VIRTUAL,
	at NUMERIC GENERATED ALWAYS AS (line ->> '$.at') VIRTUAL,
	data TEXT GENERATED ALWAYS AS (line -> '$.data') VIRTUAL
)`,
	recordsOfRun: "CREATE INDEX recordsOfRun ON records (runId, position)",
	entries: "CREATE VIEW entries AS SELECT seq, kind, runId, at, data, position FROM records WHERE kind <> 'intent'",
	intents: "CREATE VIEW intents AS SELECT runId, at, data, position FROM records WHERE kind = 'intent'",
};

/** Makes an empty database a ledger: the whole of it or, after a crash, none. */
export const CREATE_SCHEMA: string = [
	"BEGIN IMMEDIATE",
	`PRAGMA application_id = ${APPLICATION_ID}`,
	`PRAGMA user_version = ${FORMAT_VERSION}`,
	...Object.values(SCHEMA),
	"COMMIT",
].join(";\n");

/** The statistics that ANALYZE leaves are no part of a schema, and change no answer. */
export const SELECT_HEAD =
	"SELECT application_id, user_version, (SELECT json_group_array(json_array(type, name, sql)) FROM sqlite_schema " +
	"WHERE NOT (type = 'table' AND name GLOB 'sqlite_stat[1-4]')) FROM pragma_application_id, pragma_user_version";

export const SELECT_LINES =
	"SELECT position, line FROM records WHERE position >= ? AND position < ? ORDER BY position LIMIT ?";

/** The end of the chain: the last two lines, the last one first. */
export const SELECT_LAST_LINES = "SELECT position, line FROM records ORDER BY position DESC LIMIT 2";
/** Where the chain begins, and the number of the last entry. */
export const SELECT_BOUNDS =
	"SELECT (SELECT min(position) FROM records), " +
	"(SELECT seq FROM records WHERE kind <> 'intent' ORDER BY position DESC LIMIT 1)";

/** Says `ok`, or the first thing that is wrong with the database itself. */
export const CHECK_DATABASE = "PRAGMA integrity_check(1)";

export const INSERT_LINE = "INSERT INTO records (position, line) VALUES (?, ?)";

export type DatabaseHead =
	| { readonly kind: "empty" }
	| { readonly kind: "ledger" }
	| { readonly kind: "other"; readonly problem: string };

/** What the row of {@link SELECT_HEAD} says a database is. */
export function headOf(row: readonly unknown[] | undefined): DatabaseHead {
	const [applicationId, version, schema] = row ?? [];
	const objects: readonly SchemaObject[] = JSON.parse(String(schema ?? "[]"));
	if (applicationId === 0 && version === 0 && objects.length === 0) return { kind: "empty" };
	if (applicationId !== APPLICATION_ID) return { kind: "other", problem: OTHER_DATABASE };
	const problem = version === FORMAT_VERSION ? strangeIn(objects) : otherVersion(version, FORMAT_VERSION);
	return problem === undefined ? { kind: "ledger" } : { kind: "other", problem };
}

type SchemaObject = readonly [type: string, name: string, sql: string | null];

/**
 * G2: what a ledger's database has that this package does not make, or lacks. A trigger takes out of the chain what was
 * written, and a view of the host's under our name shows what the chain does not vouch for.
 */
function strangeIn(objects: readonly SchemaObject[]): string | undefined {
	const strange = objects.find(([, name, sql]) => SCHEMA[name] !== sql);
	if (strange !== undefined) {
		const [type, name] = strange;
		return `its ${type} ${JSON.stringify(name)} is none that this package makes; what is yours goes into a database of its own`;
	}
	const names = new Set(objects.map(([, name]) => name));
	const missing = Object.keys(SCHEMA).find((name) => !names.has(name));
	return missing === undefined ? undefined : `its ${JSON.stringify(missing)} is missing`;
}

/** What an error says about a database whose pages cannot be read; `undefined` when it says something else. */
export function damageIn(error: unknown): string | undefined {
	const { code, message } = error as { code?: unknown; message?: string };
	const isDamage = typeof code === "string" && /^SQLITE_(NOTADB|CORRUPT)/.test(code);
	return isDamage ? `the database cannot be read (${message})` : undefined;
}
