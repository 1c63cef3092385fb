// A ledger's database beside clients of other processes, which know of each other by locks that POSIX lets go of as soon as
// the process closes any descriptor of the file.

import { once } from "node:events";
import { closeSync, copyFileSync, existsSync, linkSync, openSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../engine/core/clock.js";
import {
	fileLedger,
	type Ledger,
	listRuns,
	readLedger,
	recover,
	sqliteLedger,
	verifyLedger,
} from "../../engine/index.js";
import { readHead } from "../../engine/ledger/file-head.js";
import { codeOf, collect, draftOf } from "../contracts/ledger.js";
import { HeldDatabase } from "./held-database.js";
import { recordsOutside, writingOutside } from "./outside-client.js";
import { temporaryFolders } from "./temporary-folder.js";

const folder = temporaryFolders();

async function add(ledger: Ledger, index: number): Promise<void> {
	ledger.append([draftOf(index)]);
	await ledger.barrier();
}

async function closedWith(path: string, count: number): Promise<string> {
	const ledger = sqliteLedger(path);
	for (let index = 0; index < count; index += 1) await add(ledger, index);
	await ledger.close();
	return path;
}

/** What a process may do with the path of a ledger that it has open. */
const USES: readonly [string, (path: string) => Promise<unknown>][] = [
	["verifyLedger", verifyLedger],
	["readLedger", (path) => collect(readLedger(path))],
	["listRuns", listRuns],
	["recover", (path) => codeOf(() => recover(path, "run"))],
	["a second sqliteLedger, refused", (path) => refused(sqliteLedger(path))],
	["a fileLedger, refused", (path) => refused(fileLedger(path))],
	["a fileLedger that is only read", (path) => codeOf(() => collect(fileLedger(path).entries()))],
];

/** A reading that failed is a ledger's own error, or SQLite's in one. */
function noted(error: unknown): void {
	expect(error).toMatchObject({ code: "LEDGER_FAILED" });
}

async function refused(ledger: Ledger): Promise<void> {
	expect(await codeOf(() => add(ledger, 9))).toMatch(/^LEDGER_(IN_USE|DAMAGED|FAILED)$/);
	await ledger.close().catch(() => undefined);
}

const NAMES: readonly [string, (path: string) => string][] = [
	["its path", (path) => path],
	["a symbolic link", (path) => linked(path, symlinkSync)],
	["another of its names", (path) => linked(path, linkSync)],
];

const OPEN_ON_THREAD = `
const { parentPort, workerData } = require("node:worker_threads");
const database = new (require("libsql"))(workerData);
database.exec("PRAGMA user_version");
parentPort.postMessage("open");
parentPort.once("message", () => database.close());
`;

function linked(path: string, link: (from: string, to: string) => void): string {
	const to = join(folder(), "link.db");
	link(path, to);
	return to;
}

describe("a client of another process that comes and goes", () => {
	for (const [use, act] of USES) {
		for (const [name, through] of NAMES) {
			it(`FD1: leaves an open ledger its log, after ${use} by ${name} in the ledger's process`, async () => {
				const path = join(folder(), "l.db");
				const ledger = sqliteLedger(path);
				await add(ledger, 0);
				// SQLite reads no log that stands beside another name, and may say so; here it is asked what is left behind.
				await act(through(path)).catch(noted);
				expect(existsSync(`${path}-wal`)).toBe(true);
				expect(recordsOutside(path)).toBe(1);
				expect(existsSync(`${path}-wal`)).toBe(true);
				await add(ledger, 1);
				expect(recordsOutside(path)).toBe(2);
				await ledger.close();
			});
		}
	}

	for (const [use, act] of USES.filter(([name]) => !name.startsWith("a second"))) {
		it(`FD1: leaves a ledger its log that is opened behind a reader's connection, and ${use}`, async () => {
			const path = await closedWith(join(folder(), "l.db"), 1);
			await verifyLedger(path);
			await act(path);
			const ledger = sqliteLedger(path);
			await add(ledger, 1);
			expect(recordsOutside(path)).toBe(2);
			await add(ledger, 2);
			expect(recordsOutside(path)).toBe(3);
			await ledger.close();
		});
	}

	it("FD1: leaves a connection of another thread its log, after a look at its file on this one", async () => {
		const path = join(folder(), "l.db");
		// This thread has no connection to it, not even one that waits for a garbage collection.
		copyFileSync(await closedWith(join(folder(), "l.db"), 1), path);
		const worker = new Worker(OPEN_ON_THREAD, { eval: true, workerData: path });
		await once(worker, "message");
		expect(await verifyLedger(path)).toEqual({ ok: true, entries: 1 });
		expect(recordsOutside(path)).toBe(1);
		expect(existsSync(`${path}-wal`)).toBe(true);
		await worker.terminate();
	});

	it("G3: that took an open ledger's log away fails the next barrier before it writes, and loses nothing promised", async () => {
		const { path, disk, ledger } = await opened();
		takeLogAway(path);
		await expect(add(ledger, 1)).rejects.toThrow(LOG_LOST);
		await expect(add(ledger, 2)).rejects.toThrow(LOG_LOST);
		expect(disk.syncs).toBe(1);
		await ledger.close().catch(() => undefined);
		expect(recordsOutside(path)).toBe(1);
	});

	it("G3: that took the log away while a barrier was written fails that barrier", async () => {
		const { path, disk, ledger } = await opened();
		const held = disk.holdNextSync();
		const barrier = codeOf(() => add(ledger, 1));
		const release = await held;
		takeLogAway(path);
		release();
		expect(await barrier).toBe("LEDGER_FAILED");
		await ledger.close().catch(() => undefined);
		expect(recordsOutside(path)).toBe(1);
	});

	it("that is writing is waited for, and this thread goes on meanwhile", async () => {
		const { path, ledger } = await opened();
		const release = await writingOutside(path);
		const barrier = codeOf(() => add(ledger, 1));
		await systemClock.nextTurn();
		// Long enough for a barrier that does not wait to have failed.
		expect(recordsOutside(path)).toBe(1);
		await release();
		expect(await barrier).toBe("nothing was thrown");
		await ledger.close();
		expect(await verifyLedger(path)).toEqual({ ok: true, entries: 2 });
	});
});

const LOG_LOST = expect.objectContaining({
	code: "LEDGER_FAILED",
	message: expect.stringContaining("its log (-wal) was deleted or moved"),
});

async function opened(): Promise<{ path: string; disk: HeldDatabase; ledger: Ledger }> {
	const path = join(folder(), "l.db");
	const disk = new HeldDatabase();
	const ledger = disk.ledgerAt(path);
	await add(ledger, 0);
	return { path, disk, ledger };
}

/** What any code of a process may bring about that reads a file without knowing what it is. */
function takeLogAway(path: string): void {
	readFileSync(path);
	expect(recordsOutside(path)).toBe(1);
	expect(existsSync(`${path}-wal`)).toBe(false);
}

describe("the head of a file", () => {
	it("is that of the file, open or not, whole blocks or not, and none where there is no file", async () => {
		const path = await closedWith(join(folder(), "l.db"), 1);
		const head = readFileSync(path).subarray(0, 16);
		expect(readHead(path, 16)).toEqual(head);
		const writing = openSync(path, "a");
		expect(readHead(path, 16)).toEqual(head);
		closeSync(writing);
		expect(readHead(folder(), 16)).toBeUndefined();
		expect(() => readHead(join(folder(), "missing"), 16)).toThrow("ENOENT");
	});
});
