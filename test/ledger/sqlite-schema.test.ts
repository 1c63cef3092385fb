// What stands in a ledger's database and is not what this package put there: rows outside the chain, and objects of a schema
// that change what is written or what is seen.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listRuns, readLedger, sqliteLedger, verifyLedger } from "../../engine/index.js";
import { loadLibsql } from "../../engine/ledger/sqlite-connection.js";
import { codeOf, collect, draftOf } from "../contracts/ledger.js";
import { RECORDS } from "./ledger-text.js";
import { temporaryFolders } from "./temporary-folder.js";

const folder = temporaryFolders();

async function written(): Promise<string> {
	const path = join(folder(), "l.db");
	const ledger = sqliteLedger(path);
	ledger.append(RECORDS);
	await ledger.close();
	return path;
}

async function changed(sql: string): Promise<string> {
	const path = await written();
	const connection = loadLibsql()(path);
	await connection.exec(`${sql}; PRAGMA wal_checkpoint(TRUNCATE)`);
	connection.close();
	return path;
}

async function expectRefusal(path: string): Promise<void> {
	const before = readFileSync(path);
	const ledger = sqliteLedger(path);
	ledger.append([draftOf(9)]);
	expect(await codeOf(() => ledger.barrier())).toBe("LEDGER_DAMAGED");
	await ledger.close().catch(() => undefined);
	expect(await codeOf(() => collect(readLedger(path)))).toBe("LEDGER_DAMAGED");
	expect(await codeOf(() => listRuns(path))).toBe("LEDGER_DAMAGED");
	expect(readFileSync(path).equals(before)).toBe(true);
}

const FORGED = `'{"seq":9,"kind":"tool_result","runId":"run","at":1,"data":{"forged":true}}'`;
const LAST = RECORDS.length;

describe("a row outside the chain", () => {
	const places = ["0", "-1", "-9007199254740993", "-9223372036854775808", "9007199254740993", "9223372036854775807"];
	for (const place of places) {
		it(`in place ${place} is found by the check, and refused by readers and the next writer`, async () => {
			const path = await changed(`INSERT INTO records (position, line) VALUES (${place}, ${FORGED})`);
			const isBefore = place === "0" || place.startsWith("-");
			const check = await verifyLedger(path);
			expect({ ok: check.ok, line: check.problem?.line }).toEqual({ ok: false, line: isBefore ? 1 : LAST + 1 });
			await expectRefusal(path);
		});
	}

	for (const [what, sql] of [
		["last record", `UPDATE records SET position = 100 WHERE position = ${LAST}`],
		["only record", `DELETE FROM records WHERE position < ${LAST}`],
		["every record", "UPDATE records SET position = -position; UPDATE records SET position = 1 - position"],
	] as const) {
		it(`where the ${what} was moved on is refused by the next writer, whose records nobody would read`, async () => {
			const path = await changed(sql);
			expect((await verifyLedger(path)).ok).toBe(false);
			await expectRefusal(path);
		});
	}
});

describe("the schema of a ledger's database", () => {
	const VIEW = "CREATE VIEW entries AS SELECT 1 AS seq, 'tool_result' AS kind";
	for (const [what, sql, words] of [
		["a trigger", "CREATE TRIGGER t AFTER INSERT ON records BEGIN DELETE FROM records; END", 'its trigger "t"'],
		["another view of the same name", `DROP VIEW entries; ${VIEW}`, 'its view "entries"'],
		["a view that lacks", "DROP VIEW intents", 'its "intents" is missing'],
		["an index that lacks", "DROP INDEX recordsOfRun", 'its "recordsOfRun" is missing'],
		["another index", "CREATE INDEX mine ON records (at)", 'its index "mine"'],
		["another table", "CREATE TABLE notes (text)", 'its table "notes"'],
		["another column", "ALTER TABLE records ADD COLUMN mine", 'its table "records"'],
	] as const) {
		it(`G2: with ${what} is refused by the check, by readers and by the next writer, and left as it is`, async () => {
			const path = await changed(sql);
			expect((await verifyLedger(path)).problem?.reason).toContain(words);
			await expectRefusal(path);
		});
	}

	it("may have the statistics of ANALYZE beside it", async () => {
		const path = await changed("ANALYZE");
		expect(await verifyLedger(path)).toEqual({ ok: true, entries: 5 });
		const ledger = sqliteLedger(path);
		ledger.append([draftOf(9)]);
		await ledger.close();
		expect(await verifyLedger(path)).toEqual({ ok: true, entries: 6 });
	});

	it("is version 1's, letter for letter: another text would be refused by every package that reads version 1", async () => {
		const connection = loadLibsql()(await written());
		const rows = await (await connection.prepare("SELECT sql FROM sqlite_schema ORDER BY name")).all();
		connection.close();
		const digest = createHash("sha256").update(rows.flat().join("\n")).digest("hex");
		expect(digest).toBe("3aa164e9f82eb770bcb20fc6bfbfc980a9a458bd2722f1e32ff0bba3a91d987e");
	});
});
