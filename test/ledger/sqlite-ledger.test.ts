// The SQLite ledger keeps the contract of every ledger, can be queried, and says clearly what it cannot open.

import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import Module from "node:module";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { EntryDraft, Intent } from "../../engine/ledger/entry.js";
import { fileLedger } from "../../engine/ledger/file-ledger.js";
import { readLedger, verifyLedger } from "../../engine/ledger/read-ledger.js";
import { loadLibsql } from "../../engine/ledger/sqlite-connection.js";
import { sqliteLedger } from "../../engine/ledger/sqlite-ledger.js";
import { codeOf, collect, draftOf, intentOf, ledgerContract } from "../contracts/ledger.js";
import { HeldDatabase } from "./held-database.js";
import { RECORDS } from "./ledger-text.js";
import { temporaryFolders } from "./temporary-folder.js";

const folder = temporaryFolders();

ledgerContract("sqliteLedger", {
	make() {
		const path = join(folder(), "ledger.db");
		const disk = new HeldDatabase();
		const ledger = disk.ledgerAt(path);
		return { path, disk, ledger, dispose: () => ledger.close().catch(() => undefined) };
	},
	reopen: ({ path }) => sqliteLedger(path),
	disk: ({ disk }) => disk,
});

async function written(records: readonly (EntryDraft | Intent)[] = RECORDS): Promise<string> {
	const path = join(folder(), "l.db");
	const ledger = sqliteLedger(path);
	ledger.append(records);
	await ledger.close();
	return path;
}

async function rows(path: string, sql: string): Promise<readonly (readonly unknown[])[]> {
	const connection = loadLibsql()(path);
	try {
		return await (await connection.prepare(sql)).all();
	} finally {
		connection.close();
	}
}

async function change(path: string, sql: string): Promise<void> {
	const connection = loadLibsql()(path);
	try {
		await connection.exec(sql);
	} finally {
		connection.close();
	}
}

describe("querying an SQLite ledger", () => {
	it("its views have every field of every entry and every intent", async () => {
		const path = await written();
		const entries = RECORDS.filter(({ kind }) => kind !== "intent");
		expect(await rows(path, "SELECT seq, kind, runId, at, data FROM entries ORDER BY seq")).toEqual(
			entries.map(({ kind, runId, at, data }, seq) => [seq, kind, runId, at, JSON.stringify(data)]),
		);
		expect(await rows(path, "SELECT runId, at, data FROM intents")).toEqual([["run", 1_002, '{"index":2}']]);
	});

	it("the entries of one run among many are found through an index", async () => {
		const path = await written(["a", "b", "a"].map((runId, index) => ({ ...draftOf(index), runId })));
		expect(await rows(path, "SELECT seq FROM entries WHERE runId = 'a' ORDER BY seq")).toEqual([[0], [2]]);
		const plan = await rows(path, "EXPLAIN QUERY PLAN SELECT seq FROM entries WHERE runId = 'a'");
		expect(plan.flat().join(" ")).toContain("USING INDEX recordsOfRun");
	});

	it("the query that the format's page shows gives failures by tool", async () => {
		const call = (name: string, ok: boolean): EntryDraft[] => [
			{ ...draftOf(0, { name }), kind: "tool_called" },
			{ ...draftOf(0, { outcome: { ok } }), kind: "tool_result" },
		];
		const path = await written([call("b", false), call("a", true), call("b", false), call("c", false)].flat());
		const page = readFileSync(join(import.meta.dirname, "../../engine/ledger/sqlite-format.ts"), "utf8");
		const query = page.split("\n").filter((line) => line.startsWith("//   ") && /[A-Z]{2}/.test(line));
		const from = query.findIndex((line) => line.includes("SELECT"));
		const sql = query.slice(from).map((line) => line.slice(2));
		expect(await rows(path, sql.slice(0, 5).join("\n"))).toEqual([
			["b", 2],
			["c", 1],
		]);
	});

	it("its lines behind a header are a file ledger", async () => {
		const path = await written();
		const lines = (await rows(path, "SELECT line FROM records ORDER BY position")).flat();
		const copy = join(folder(), "l");
		writeFileSync(copy, ['{"format":"wavetrain-ledger","version":1}', ...lines, ""].join("\n"));
		expect(await verifyLedger(copy)).toEqual({ ok: true, entries: 5 });
		expect(await collect(readLedger(copy))).toEqual(await collect(readLedger(path)));
	});
});

describe("reading and checking an SQLite ledger by its path", () => {
	it("readLedger and verifyLedger know it by its first bytes", async () => {
		const path = await written();
		expect(await verifyLedger(path)).toEqual({ ok: true, entries: 5 });
		expect((await collect(readLedger(path))).map(({ data }) => data)).toEqual(
			RECORDS.filter(({ kind }) => kind !== "intent").map(({ data }) => data),
		);
	});

	it("a large value is kept beside it and reads back", async () => {
		const drafts = [draftOf(0), draftOf(1, { text: "x".repeat(100_000) })];
		const path = await written(drafts);
		expect(await collect(readLedger(path))).toEqual(drafts.map((draft, seq) => ({ seq, ...draft })));
		expect(existsSync(`${path}.blobs`)).toBe(true);
	});

	it("what a writer has committed is read beside it, and its rows are not locked", async () => {
		const path = join(folder(), "l.db");
		const ledger = sqliteLedger(path);
		ledger.append([draftOf(0)]);
		await ledger.barrier();
		ledger.append([draftOf(1)]);
		expect(await collect(readLedger(path))).toEqual([{ seq: 0, ...draftOf(0) }]);
		await ledger.barrier();
		expect(await collect(readLedger(path))).toHaveLength(2);
		await ledger.close();
	});

	const tampering: readonly [string, string, number, number][] = [
		["a character of a line", "UPDATE records SET line = replace(line, '1001', '1002')", 2, 1],
		[
			"the order of two lines",
			"UPDATE records SET position = 99 WHERE position = 4; UPDATE records SET position = position - 1 WHERE position = 5",
			4,
			2,
		],
		["a record taken out", "DELETE FROM records WHERE position = 2", 2, 1],
		["a first record taken out", "DELETE FROM records WHERE position = 1", 1, 0],
		["a record put in", "INSERT INTO records (position, line) SELECT 7, line FROM records WHERE position = 6", 7, 5],
		["a line that is a number", "UPDATE records SET line = 7 WHERE position = 6", 6, 4],
		["a line without fields", "UPDATE records SET line = '{}' WHERE position = 3", 3, 2],
	];
	for (const [what, sql, line, entries] of tampering) {
		it(`S1: ${what} is found, at its own record`, async () => {
			const path = await written();
			await change(path, sql.replace("position = 9 - position", "position = -position"));
			if (sql.includes("9 - position"))
				await change(path, "UPDATE records SET position = 9 + position WHERE position < 0");
			const check = await verifyLedger(path);
			expect({ ...check, problem: check.problem?.line }).toEqual({ ok: false, entries, problem: line });
			expect(await codeOf(() => collect(readLedger(path)))).toBe("LEDGER_DAMAGED");
		});
	}

	it("a last record that was changed is refused by the next writer", async () => {
		const path = await written();
		await change(path, "UPDATE records SET line = replace(line, '1005', '1006')");
		const ledger = sqliteLedger(path);
		ledger.append([draftOf(9)]);
		await expect(ledger.barrier()).rejects.toThrow("line 6 is damaged");
		await ledger.close().catch(() => undefined);
	});

	it("an intent at the end takes no number from the entry that comes after a reopening", async () => {
		const path = await written([intentOf(0), draftOf(1), intentOf(2), intentOf(3)]);
		const ledger = sqliteLedger(path);
		ledger.append([draftOf(4)]);
		await ledger.close();
		expect((await collect(readLedger(path))).map(({ seq, data }) => [seq, data.index])).toEqual([
			[0, 1],
			[1, 4],
		]);
		expect(await verifyLedger(path)).toEqual({ ok: true, entries: 2 });
	});
});

describe("opening an SQLite ledger", () => {
	it("a second writer is refused at its first append, with its holder named", async () => {
		const path = join(folder(), "l.db");
		const first = sqliteLedger(path);
		first.append([draftOf(0)]);
		const second = sqliteLedger(path);
		expect(() => second.append([draftOf(1)])).toThrow(`process ${process.pid} on host`);
		expect(await codeOf(() => second.append([draftOf(1)]))).toBe("LEDGER_IN_USE");
		await first.close();
		second.append([draftOf(1)]);
		await second.close();
		expect(await verifyLedger(path)).toEqual({ ok: true, entries: 2 });
	});

	it("a folder that is missing is LEDGER_FAILED at the first append, in words", async () => {
		const path = join(folder(), "missing", "l.db");
		expect(() => sqliteLedger(path).append([draftOf(0)])).toThrow("does not exist");
		expect(await codeOf(() => collect(readLedger(path)))).toBe("LEDGER_FAILED");
	});

	it("G1: a file of lines, and a text, are refused and left as they are", async () => {
		const lines = join(folder(), "l");
		const file = fileLedger(lines);
		file.append([draftOf(0)]);
		await file.close();
		const text = join(folder(), "text");
		writeFileSync(text, "buy milk\n".repeat(100));
		for (const path of [lines, text]) {
			const before = readFileSync(path);
			const ledger = sqliteLedger(path);
			ledger.append([draftOf(0)]);
			expect(await codeOf(() => ledger.barrier())).toBe("LEDGER_DAMAGED");
			await ledger.close().catch(() => undefined);
			expect(readFileSync(path).equals(before)).toBe(true);
		}
	});

	const later = "PRAGMA application_id = 2004120174; PRAGMA user_version = 2";
	const foreign: readonly [what: string, sql: string, words: string, recovery: string][] = [
		["a database of something else", "CREATE TABLE notes (text)", "not of a wavetrain ledger", "Give another path"],
		["a ledger of a later version", later, "in version 2", "Read it with a package that knows"],
	];
	for (const [what, sql, words, recovery] of foreign) {
		it(`G1: ${what} is refused and left as it is`, async () => {
			const path = join(folder(), "l.db");
			await change(path, sql);
			const before = readFileSync(path);
			const ledger = sqliteLedger(path);
			ledger.append([draftOf(0)]);
			await expect(ledger.barrier()).rejects.toThrow(words);
			await ledger.close().catch(() => undefined);
			await expect(collect(readLedger(path))).rejects.toThrow(recovery);
			expect((await verifyLedger(path)).problem?.reason).toContain(words);
			expect(readFileSync(path).equals(before)).toBe(true);
		});
	}

	it("a damaged index is found, by which queries would miss records", async () => {
		const path = await written(Array.from({ length: 20 }, (_, index) => draftOf(index)));
		const [[root, size] = []] = await rows(
			path,
			"SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_schema WHERE name = 'recordsOfRun'",
		);
		const bytes = readFileSync(path);
		bytes.fill(7, Number(root) * Number(size) - 100, Number(root) * Number(size));
		writeFileSync(path, bytes);
		expect((await collect(readLedger(path))).length).toBe(20);
		expect(await verifyLedger(path)).toMatchObject({
			ok: false,
			problem: { reason: expect.stringContaining("damaged") },
		});
	});

	it("a database that was copied in the middle of a page is damage and not an error of the driver", async () => {
		const path = await written(Array.from({ length: 500 }, (_, index) => draftOf(index)));
		const copy = join(folder(), "copy.db");
		copyFileSync(path, copy);
		const bytes = readFileSync(copy);
		bytes.fill(7, 8_192, bytes.length);
		writeFileSync(copy, bytes);
		expect((await verifyLedger(copy)).problem?.reason).toContain("the database cannot be read");
	});
});

describe("without the package libsql", () => {
	const loader = Module as unknown as { _load(request: string, ...rest: unknown[]): unknown };
	const load = loader._load;
	afterEach(() => {
		loader._load = load;
	});

	it("an SQLite ledger says what to install, when it is made and when it is read", async () => {
		const path = await written();
		loader._load = (request, ...rest) => {
			if (request.startsWith("libsql")) throw new Error(`Cannot find module '${request}'`);
			return load.call(Module, request, ...rest);
		};
		expect(() => sqliteLedger(path)).toThrow("npm install libsql");
		expect(await codeOf(() => sqliteLedger(path))).toBe("LEDGER_FAILED");
		expect(await codeOf(() => collect(readLedger(path)))).toBe("LEDGER_FAILED");
	});
});
