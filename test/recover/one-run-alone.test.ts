// A run is recovered from its own records: what is wrong with another run's is nothing to it.

import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileLedger, type Ledger, readLedger, recover, sqliteLedger, verifyLedger } from "../../engine/index.js";
import { temporaryFolders } from "../ledger/temporary-folder.js";
import { benchOf, callsOf, toolOf } from "../support/law-kit.js";
import { lasting } from "../support/pause-kit.js";

const folder = temporaryFolders();
const rotated = (path: string) => fileLedger(path, { rotate: "run" });
const big = toolOf("big", ({ n }) => "x".repeat(100_000) + n);

/** A ledger of the runs `mine` and `other`, of which the other has a value beside it. */
async function twoRuns(path: string, make: (path: string) => Ledger): Promise<void> {
	const { engine } = benchOf({ tools: [big, toolOf("look", () => 1)], ledger: make(path) });
	await engine.executeWave(callsOf("big 1"), { runId: "other" });
	await engine.executeWave(callsOf("look 1"), { runId: "mine" });
	await engine.close();
}

/** What becomes of the other run's file in a folder of runs. */
const BREAKS: Record<string, (file: string, mine: string) => void> = {
	"is changed": (file) => writeFileSync(file, readFileSync(file, "utf8").replace('"big"', '"bog"')),
	"is no ledger": (file) => writeFileSync(file, "hello\n"),
	"is gone": (file) => rmSync(file),
	"is a folder": (file) => {
		rmSync(file);
		mkdirSync(file);
	},
	"is a copy of this run's": (file, mine) => copyFileSync(mine, file),
	"has lost its values": (file) => rmSync(`${file}.blobs`, { recursive: true }),
};

describe("a run in a folder of runs", () => {
	it.each(Object.keys(BREAKS))("is recovered where another's file %s", async (what) => {
		const path = folder();
		await twoRuns(path, rotated);
		const fileOf = (run: string) => join(path, readdirSync(path).find((name) => name.startsWith(`${run}-`)) ?? "");
		BREAKS[what]?.(fileOf("other"), fileOf("mine"));
		const ledger = rotated(path);
		for (const from of [path, ledger]) expect(await recover(from, "mine")).toMatchObject({ runId: "mine", step: 0 });
		// And where the ledger is written to, its file open or not.
		const { engine } = benchOf({ tools: [big], ledger: lasting(ledger) });
		await engine.executeWave(callsOf("missing"), { runId: "new" });
		expect(await recover(ledger, "mine")).toMatchObject({ runId: "mine" });
		await engine.executeWave(callsOf("missing"), { runId: "mine", step: 1 });
		expect(await recover(ledger, "mine")).toMatchObject({ runId: "mine", step: 1 });
		await ledger.close();
		expect(await recover(ledger, "mine")).toMatchObject({ runId: "mine", step: 1 });
	});
});

describe("a run in a ledger of many", () => {
	it.each([
		["file", fileLedger],
		["SQLite", sqliteLedger],
	] as const)("is recovered from a %s ledger that lacks a value of another", async (_kind, make) => {
		const path = join(folder(), "l");
		await twoRuns(path, make);
		rmSync(`${path}.blobs`, { recursive: true });
		const ledger = make(path);
		for (const from of [path, ledger]) {
			expect(await recover(from, "mine")).toMatchObject({ runId: "mine" });
			await expect(recover(from, "other")).rejects.toMatchObject({ code: "LEDGER_DAMAGED" });
		}
		ledger.append([{ kind: "steer_received", runId: "mine", at: 1, data: { text: "on" } }]);
		expect(await recover(ledger, "mine")).toMatchObject({ runId: "mine" });
		await ledger.close();
	});
});

describe("what a disk refuses to whoever reads", () => {
	it("is LEDGER_FAILED: a value that is a folder, a run's file that is one", async () => {
		const failed = { code: "LEDGER_FAILED" };
		for (const make of [fileLedger, sqliteLedger]) {
			const path = join(folder(), "l");
			await twoRuns(path, make);
			const [value = ""] = readdirSync(`${path}.blobs`);
			rmSync(join(`${path}.blobs`, value));
			mkdirSync(join(`${path}.blobs`, value));
			for (const from of [path, make(path)]) await expect(recover(from, "other")).rejects.toMatchObject(failed);
			await expect(verifyLedger(path)).rejects.toMatchObject(failed);
		}
		const runs = folder();
		mkdirSync(join(runs, "a.jsonl"));
		await expect(verifyLedger(runs)).rejects.toMatchObject(failed);
		for (const from of [runs, rotated(runs)]) {
			await expect(readLedger(from)[Symbol.asyncIterator]().next()).rejects.toMatchObject(failed);
		}
	});
});
