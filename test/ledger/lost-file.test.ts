// A ledger whose file does not stand at its path any more, because somebody took it away while it was open.

import { existsSync, mkdirSync, readdirSync, readlinkSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createEngine, fileLedger, type Ledger, sqliteLedger, tool } from "../../engine/index.js";
import { draftOf } from "../contracts/ledger.js";
import { anything } from "../support/law-kit.js";
import { temporaryFolders } from "./temporary-folder.js";

const folder = temporaryFolders();

type TakeAway = (path: string, around: string) => void;

const WAYS: [string, TakeAway, string][] = [
	["was deleted", (path) => rmSync(path), "it was deleted or moved while it was open"],
	["was moved", (path) => renameSync(path, `${path}.old`), "it was deleted or moved while it was open"],
	["was deleted with its folder", (_path, around) => rmSync(around, { recursive: true }), "it was deleted or moved"],
	[
		"gave its name to another file",
		(path) => {
			renameSync(path, `${path}.old`);
			writeFileSync(path, "");
		},
		"another file was put in its place while it was open",
	],
];

const KINDS: [string, (path: string) => Ledger][] = [
	["a file ledger", (path) => fileLedger(path)],
	["an SQLite ledger", (path) => sqliteLedger(path)],
];

describe.each(KINDS)("F3: %s", (_kind, make) => {
	it.each(WAYS)(
		"whose file %s resolves no barrier more, takes nothing more, and says what happened",
		async (_how, takeAway, problem) => {
			const around = join(folder(), "around");
			mkdirSync(around);
			const path = join(around, "ledger");
			const ledger = make(path);
			ledger.append([draftOf(0)]);
			await ledger.barrier();
			ledger.append([draftOf(1)]);
			takeAway(path, around);
			const failure = expect.objectContaining({ code: "LEDGER_FAILED", message: expect.stringContaining(problem) });
			await expect(ledger.barrier()).rejects.toThrow(failure);
			expect(() => ledger.append([draftOf(2)])).toThrow(failure);
			await expect(ledger.barrier()).rejects.toThrow(failure);
			await expect(ledger.close()).rejects.toThrow(failure);
		},
	);

	it("whose file a write of the run deletes lets no later write begin", async () => {
		const path = join(folder(), "ledger");
		const ran: string[] = [];
		const clean = tool({
			name: "clean",
			parameters: anything,
			effect: "write",
			execute: (_args, { callId }) => {
				ran.push(callId);
				rmSync(path);
				return "clean";
			},
		});
		const engine = createEngine({ ledger: make(path), tools: [clean] });
		const calls = ["a", "b"].map((id) => ({ id, name: "clean", args: { id } }));
		await expect(engine.executeWave(calls)).rejects.toThrow(expect.objectContaining({ code: "LEDGER_FAILED" }));
		expect(ran).toEqual(["a"]);
		expect((await engine.close()).ledgerFailure).toMatchObject({ code: "LEDGER_FAILED" });
	});
});

describe("F3: the file of a ledger", () => {
	it("is held open by nobody once the ledger is closed, or was refused because another holds it", async ({ skip }) => {
		if (!existsSync("/proc/self/fd")) return skip("this system does not list the files a process has open");
		const path = join(folder(), "ledger");
		const openCount = (): number => readdirSync("/proc/self/fd").filter((one) => linkOf(one) === path).length;
		const ledger = fileLedger(path);
		ledger.append([draftOf(0)]);
		await ledger.barrier();
		const heldCount = openCount();
		expect(heldCount).toBeGreaterThan(0);
		const second = fileLedger(path);
		expect(() => second.append([draftOf(1)])).toThrow(expect.objectContaining({ code: "LEDGER_IN_USE" }));
		expect(openCount()).toBe(heldCount);
		await ledger.close();
		expect(openCount()).toBe(0);
	});
});

function linkOf(descriptor: string): string | undefined {
	try {
		return readlinkSync(join("/proc/self/fd", descriptor));
	} catch {
		return undefined;
	}
}
