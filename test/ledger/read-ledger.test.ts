// Reading a ledger's file: as a stream, beside a writer, and with one small piece of it in memory at a time.

import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileLedger } from "../../engine/ledger/file-ledger.js";
import { memoryLedger } from "../../engine/ledger/memory-ledger.js";
import { readLedger, verifyLedger } from "../../engine/ledger/read-ledger.js";
import { codeOf, collect, draftOf } from "../contracts/ledger.js";
import { linesOf, writeLedger } from "./ledger-text.js";
import { temporaryFolders } from "./temporary-folder.js";

const folder = temporaryFolders();

describe("readLedger", () => {
	it("an open ledger is read with what it holds", async () => {
		const ledger = memoryLedger();
		ledger.append([draftOf(0)]);
		expect(await collect(readLedger(ledger))).toEqual([{ seq: 0, ...draftOf(0) }]);
	});

	it("a file that is not there is LEDGER_FAILED, from the reader and from the check", async () => {
		const path = join(folder(), "missing");
		expect(await codeOf(() => collect(readLedger(path)))).toBe("LEDGER_FAILED");
		expect(await codeOf(() => verifyLedger(path))).toBe("LEDGER_FAILED");
	});

	it("an empty file is a ledger without entries", async () => {
		const path = join(folder(), "l");
		writeFileSync(path, "");
		expect(await collect(readLedger(path))).toEqual([]);
		expect(await verifyLedger(path)).toEqual({ ok: true, entries: 0 });
	});

	it("reading beside a writer sees whole lines only, and neither locks nor cuts", async () => {
		const path = join(folder(), "l");
		const ledger = fileLedger(path);
		ledger.append([draftOf(0)]);
		await ledger.barrier();
		appendFileSync(path, '{"seq":1,"ki');
		const during = readFileSync(path);
		expect(await collect(readLedger(path))).toEqual([{ seq: 0, ...draftOf(0) }]);
		expect(readFileSync(path).equals(during)).toBe(true);
		await ledger.close();
		expect(existsSync(`${path}.lock`)).toBe(false);
	});

	it("entries that a writer adds while a file is read are read as well, if whole by the time the end is reached", async () => {
		const path = join(folder(), "l");
		const whole = await writeLedger(path);
		const lines = linesOf(whole);
		writeFileSync(path, Buffer.concat(lines.slice(0, 3)));
		const read: number[] = [];
		for await (const { seq } of readLedger(path)) {
			if (seq === 0) writeFileSync(path, whole);
			read.push(seq);
		}
		expect(read).toEqual([0, 1, 2, 3, 4]);
	});

	it("lines that fall on any border between two reads are whole", async () => {
		const path = join(folder(), "l");
		const drafts = Array.from({ length: 60 }, (_, index) => draftOf(index, { text: "ä".repeat(9_000 + index) }));
		await writeLedger(path, drafts);
		expect(readFileSync(path).length).toBeGreaterThan(1_000_000);
		expect(await collect(readLedger(path))).toEqual(drafts.map((draft, seq) => ({ seq, ...draft })));
	});

	it("a reader that stops early lets go of the file", async ({ skip }) => {
		if (!existsSync("/proc/self/fd")) return skip("this system does not list the files a process has open");
		const path = join(folder(), "l");
		await writeLedger(path);
		const { ino } = statSync(path);
		const inodeOf = (descriptor: string): number | undefined =>
			statSync(join("/proc/self/fd", descriptor), { throwIfNoEntry: false })?.ino;
		const isOpen = (): boolean => readdirSync("/proc/self/fd").some((descriptor) => inodeOf(descriptor) === ino);
		for await (const { seq } of readLedger(path)) {
			expect(isOpen()).toBe(true);
			if (seq === 1) break;
		}
		expect(isOpen()).toBe(false);
	});
});

describe("verifyLedger", () => {
	it("a whole file is ok, and says how many entries it has", async () => {
		const path = join(folder(), "l");
		await writeLedger(path);
		expect(await verifyLedger(path)).toEqual({ ok: true, entries: 5 });
	});

	it("B2: a value beside the file that was changed or is missing is found, at the line that names it", async () => {
		const path = join(folder(), "l");
		const text = "x".repeat(100_000);
		const bytes = await writeLedger(path, [draftOf(0), draftOf(1, { text }), draftOf(2)]);
		const sha256 = /"sha256":"(\w+)"/.exec(bytes.toString("utf8"))?.[1] ?? "";
		const blob = join(`${path}.blobs`, sha256);
		const value = readFileSync(blob);
		value[5] = 0;
		writeFileSync(blob, value);
		const changed = { line: 3, reason: `the value ${sha256} beside the ledger is not what was written` };
		expect(await verifyLedger(path)).toEqual({ ok: false, entries: 1, problem: changed });
		rmSync(blob);
		const missing = { line: 3, reason: `the value ${sha256} beside the ledger is missing` };
		expect(await verifyLedger(path)).toEqual({ ok: false, entries: 1, problem: missing });
		expect(await codeOf(() => collect(readLedger(path)))).toBe("LEDGER_DAMAGED");
	});
});
