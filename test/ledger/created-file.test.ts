// The file that a ledger's first append creates, or finds: what is there already is asked and not opened.

import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileLedger, type Ledger, sqliteLedger, verifyLedger } from "../../engine/index.js";
import { codeOf, draftOf } from "../contracts/ledger.js";
import { temporaryFolders } from "./temporary-folder.js";

const folder = temporaryFolders();

const KINDS: [string, (path: string) => Ledger][] = [
	["a file ledger", (path) => fileLedger(path)],
	["an SQLite ledger", (path) => sqliteLedger(path)],
];

describe.each(KINDS)("%s", (_kind, make) => {
	it("makes the file of a link that leads to none yet", async () => {
		const file = join(folder(), "file");
		const link = join(folder(), "link");
		symlinkSync(file, link);
		const ledger = make(link);
		ledger.append([draftOf(0)]);
		await ledger.close();
		expect(await verifyLedger(file)).toEqual({ ok: true, entries: 1 });
	});

	it("is refused a folder at the first append, in words", async () => {
		const path = join(folder(), "sub");
		mkdirSync(path);
		const ledger = make(path);
		expect(() => ledger.append([draftOf(0)])).toThrow("it is a folder (EISDIR)");
		expect(await codeOf(() => ledger.append([draftOf(0)]))).toBe("LEDGER_FAILED");
	});
});

it("a file ledger refuses a database at its first barrier, says what it is, and lets the next writer in", async () => {
	const path = join(folder(), "l.db");
	const database = sqliteLedger(path);
	database.append([draftOf(0)]);
	await database.close();
	const before = readFileSync(path);
	const ledger = fileLedger(path);
	ledger.append([draftOf(1)]);
	await expect(ledger.barrier()).rejects.toThrow("line 1 is damaged: it is a database, and not a file of lines");
	await expect(ledger.close()).rejects.toThrow("it is a database");
	expect(readFileSync(path).equals(before)).toBe(true);
	const next = sqliteLedger(path);
	next.append([draftOf(1)]);
	await next.close();
	expect(await verifyLedger(path)).toEqual({ ok: true, entries: 2 });
});
