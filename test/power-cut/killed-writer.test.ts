// Writers that are killed hard, one after another on the same ledger, wherever they are by the time the kill reaches them.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { FileStore } from "../../engine/ledger/file-ledger.js";
import { nodeFileSystem } from "../../engine/ledger/file-system.js";
import type { LedgerStore } from "../../engine/ledger/ledger-store.js";
import { verifyLedger } from "../../engine/ledger/read-ledger.js";
import type { ReadRecord } from "../../engine/ledger/record-text.js";
import { loadLibsql } from "../../engine/ledger/sqlite-connection.js";
import { SqliteStore } from "../../engine/ledger/sqlite-ledger.js";
import { temporaryFolders } from "../ledger/temporary-folder.js";
import { SOAK } from "../support/property-seed.js";
import { builtProcess } from "./built-process.js";
import { recordAt } from "./killed-records.js";

/** How many writers are killed in each test. A hundred take some seconds. */
const KILLS = 40 * SOAK;

/** Most barriers that a writer is left before it is killed. */
const BARRIERS_MAX = 6;

const folder = temporaryFolders();
const writer = builtProcess(new URL("./killed-writer.ts", import.meta.url));

/** Runs a writer and kills it after so many barriers; the number of records that it was told are durable. */
async function killAfter(barriers: number, args: readonly string[]): Promise<number> {
	const child = spawn(process.execPath, [writer(), ...args], {
		stdio: ["ignore", "pipe", "pipe"],
	});
	const gone = once(child, "exit");
	let said = "";
	child.stderr.on("data", (piece: Buffer) => {
		said += piece.toString();
	});
	let promised = Number(args[2]);
	let heard = 0;
	for await (const line of createInterface({ input: child.stdout })) {
		promised = Number(line);
		heard += 1;
		// What the pipe holds is read to its end all the same: it was said before the process died.
		if (heard === barriers) child.kill("SIGKILL");
	}
	const [, signal] = await gone;
	expect([signal, said]).toEqual(["SIGKILL", ""]);
	return promised;
}

async function read(store: LedgerStore): Promise<ReadRecord[]> {
	const records: ReadRecord[] = [];
	const reader = await store.read();
	try {
		for await (const batch of reader.batches()) records.push(...batch);
		expect(reader.problem).toBe(undefined);
	} finally {
		await reader.close();
	}
	return records;
}

/** The first records of the run that nobody killed. */
function uncut(count: number): ReadRecord[] {
	let seq = 0;
	return Array.from({ length: count }, (_, index) => {
		const record = recordAt(index);
		return record.kind === "intent" ? record : { seq: seq++, ...record };
	});
}

describe("writers that are killed one after another", () => {
	const stores: readonly [string, (path: string) => LedgerStore][] = [
		["file", (path) => new FileStore(path, nodeFileSystem)],
		["sqlite", (path) => new SqliteStore(path, loadLibsql())],
	];
	for (const [kind, storeAt] of stores) {
		it(
			`${kind}: each finds a beginning of the uncut run, with all that those before it were promised`,
			async () => {
				const path = join(folder(), "l");
				let count = 0;
				for (let kill = 0; kill < KILLS; kill += 1) {
					const promised = await killAfter(1 + (kill % BARRIERS_MAX), [kind, path, String(count)]);
					const records = await read(storeAt(path));
					expect(records.length).toBeGreaterThanOrEqual(promised);
					count = records.length;
					// A kill leaves what the system was given, cut at most: nothing is changed.
					expect((await verifyLedger(path)).ok).toBe(true);
				}
				expect(JSON.stringify(await read(storeAt(path))) === JSON.stringify(uncut(count))).toBe(true);
			},
			600_000 * SOAK,
		);
	}
});
