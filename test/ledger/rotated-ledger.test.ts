// A ledger that keeps each run in a file of its own: the contract of every ledger, and what the folder holds.

import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RUN_FILES_OPEN_MAX } from "../../engine/core/ledger-limits.js";
import { type EntryDraft, fileLedger, readLedger, recover, verifyLedger } from "../../engine/index.js";
import { RotatedLedger } from "../../engine/ledger/rotated-ledger.js";
import { runFile } from "../../engine/ledger/run-folder.js";
import { codeOf, collect, draftOf, ledgerContract } from "../contracts/ledger.js";
import { HeldDisk } from "./held-disk.js";
import { temporaryFolders } from "./temporary-folder.js";

const folder = temporaryFolders();

ledgerContract("fileLedger rotated by run", {
	make() {
		const path = folder();
		const disk = new HeldDisk();
		const ledger = new RotatedLedger({ folder: path, ledgerAt: (file) => disk.ledgerAt(file) });
		return { path, disk, ledger, dispose: () => ledger.close().catch(() => undefined) };
	},
	reopen: ({ path }) => fileLedger(path, { rotate: "run" }),
	disk: ({ disk }) => disk,
});

const draftIn = (runId: string, index: number): EntryDraft => ({ ...draftOf(index), runId });

const filesIn = (path: string): string[] => readdirSync(path).filter((name) => name.endsWith(".jsonl"));

describe("a file ledger that is rotated by run", () => {
	it("RF1: keeps each run in a file of its own, whatever its id, that is a ledger by itself", async () => {
		const path = folder();
		const ledger = fileLedger(path, { rotate: "run" });
		const ids = ["a", "A", "a/../b", "", "ä", "x".repeat(300), "CON", "a\u0000b"];
		for (let index = 0; index < 2; index += 1) ledger.append(ids.map((id) => draftIn(id, index)));
		await ledger.close();
		expect(filesIn(path)).toHaveLength(ids.length);
		for (const id of ids) {
			const entries = await collect(readLedger(runFile(path, id)));
			expect(entries).toEqual([0, 1].map((seq) => ({ seq, ...draftIn(id, seq) })));
		}
	});

	it("gives its runs one after another, in the order in which they began, whoever reads", async () => {
		const path = folder();
		const ledger = fileLedger(path, { rotate: "run" });
		ledger.append([draftIn("z", 1), draftIn("a", 2), draftIn("z", 3), draftIn("a", 4)]);
		const order = ["z 0", "z 1", "a 0", "a 1"];
		const read = async (from: Parameters<typeof readLedger>[0]) =>
			(await collect(readLedger(from))).map(({ runId, seq }) => `${runId} ${seq}`);
		expect(await read(ledger)).toEqual(order);
		await ledger.close();
		expect(await read(path)).toEqual(order);
		expect(await verifyLedger(path)).toEqual({ ok: true, entries: 4 });
	});

	it("lets two writers run different runs in one folder, and refuses the second of one run at its first append", async () => {
		const path = folder();
		const [one, other] = [fileLedger(path, { rotate: "run" }), fileLedger(path, { rotate: "run" })];
		one.append([draftIn("a", 0)]);
		other.append([draftIn("b", 0)]);
		expect(await codeOf(() => other.append([draftIn("a", 1)]))).toBe("LEDGER_IN_USE");
		await one.close();
		other.append([draftIn("a", 1)]);
		await other.close();
		expect(await verifyLedger(path)).toEqual({ ok: true, entries: 3 });
	});

	it("RO1: has no more files open than the bound after a barrier, and goes on with a run whose file was closed", async () => {
		const path = folder();
		const ledger = fileLedger(path, { rotate: "run" });
		const runs = Array.from({ length: RUN_FILES_OPEN_MAX + 10 }, (_, index) => `run ${index}`);
		const held = () => readdirSync(path).filter((name) => name.endsWith(".lock")).length;
		for (const id of runs) {
			ledger.append([draftIn(id, 0)]);
			await ledger.barrier();
		}
		// At once: its file is being closed still.
		ledger.append([draftIn("run 9", 1), draftIn("run 0", 1)]);
		ledger.append([draftIn("run 9", 2)]);
		expect((await collect(ledger.entries())).filter(({ runId }) => runId === "run 9")).toHaveLength(3);
		await ledger.barrier();
		await ledger.barrier();
		// Whoever reads waits for the files that are being closed.
		await collect(ledger.entries());
		expect(held()).toBe(RUN_FILES_OPEN_MAX);
		await ledger.close();
		expect(held()).toBe(0);
		expect(await verifyLedger(path)).toEqual({ ok: true, entries: runs.length + 3 });
		const seqs = (await collect(readLedger(runFile(path, "run 9")))).map(({ seq }) => seq);
		expect(seqs).toEqual([0, 1, 2]);
	});

	it("RO2: fails as a whole when the file of one run fails", async () => {
		const disk = new HeldDisk();
		const path = folder();
		const ledger = new RotatedLedger({ folder: path, ledgerAt: (file) => disk.ledgerAt(file) });
		ledger.append([draftIn("a", 0)]);
		await ledger.barrier();
		disk.failNext("write");
		ledger.append([draftIn("a", 1)]);
		expect(await codeOf(() => ledger.barrier())).toBe("LEDGER_FAILED");
		expect(await codeOf(() => ledger.append([draftIn("b", 0)]))).toBe("LEDGER_FAILED");
		expect(existsSync(runFile(path, "b"))).toBe(false);
		await ledger.close().catch(() => undefined);
	});

	it("RF1: is damaged where a file holds another run's records, or its own are not what was written", async () => {
		const path = folder();
		const ledger = fileLedger(path, { rotate: "run" });
		ledger.append([draftIn("a", 0), draftIn("b", 0)]);
		await ledger.close();
		const [mine, other] = [runFile(path, "a"), runFile(path, "b")];
		const whole = readFileSync(mine);
		rmSync(mine);
		renameSync(other, mine);
		const check = await verifyLedger(path);
		expect(check).toMatchObject({ ok: false, problem: { line: 2 } });
		expect(check.problem?.reason).toContain('of the run "b"');
		expect(await codeOf(() => collect(readLedger(path)))).toBe("LEDGER_DAMAGED");
		writeFileSync(mine, whole.toString().replace('"index":0', '"index":1'));
		expect((await verifyLedger(path)).problem?.reason).toContain("in a-");
	});

	it.each([
		["by its path", (path: string) => path],
		["opened", (path: string) => fileLedger(path, { rotate: "run" })],
	])(
		"gives the runs whose files are whole before it tells of one whose first line is damaged: %s",
		async (_, given) => {
			const path = folder();
			const ledger = fileLedger(path, { rotate: "run" });
			ledger.append([draftIn("a", 0), draftIn("b", 1)]);
			await ledger.close();
			writeFileSync(runFile(path, "a"), "no ledger");
			const seen: string[] = [];
			const reading = async () => {
				for await (const { runId } of readLedger(given(path))) seen.push(runId);
			};
			expect(await codeOf(reading)).toBe("LEDGER_DAMAGED");
			expect(seen).toEqual(["b"]);
		},
	);
	it("RF1: reads what a file holds of its own run before another's records", async () => {
		const path = folder();
		const ledger = fileLedger(runFile(path, "c"));
		ledger.append(["c", "c", "d", "c"].map((runId) => draftIn(runId, 0)));
		await ledger.close();
		expect(await verifyLedger(path)).toMatchObject({ ok: false, entries: 2, problem: { line: 4 } });
	});

	it("says of a file in its folder that never was a ledger, or is a later one, what to do with that", async () => {
		for (const [text, recovery] of [
			["buy milk\n", /in x\.jsonl, it is no ledger.* Take that file out of the folder; the file is left as it is\.$/],
			['{"format":"wavetrain-ledger","version":2}\n', /in x\.jsonl, .*version 2.* Read it with a package that knows/],
		] as const) {
			const path = folder();
			writeFileSync(join(path, "x.jsonl"), text);
			await expect(collect(readLedger(path))).rejects.toThrow(recovery);
		}
	});

	it("is recovered by run, and its folder is asked for the run by name", async () => {
		const path = folder();
		const ledger = fileLedger(path, { rotate: "run" });
		const data = { step: 3, calls: [{ id: "1", name: "look", args: {} }] };
		for (const runId of ["a", "b"]) ledger.append([{ kind: "model_returned", runId, at: 1, data }]);
		await ledger.close();
		writeFileSync(runFile(path, "b"), "no ledger");
		expect(await recover(path, "a")).toMatchObject({ runId: "a", step: 3 });
		expect(await codeOf(() => recover(path, "c"))).toBe("RUN_NOT_FOUND");
		expect(await codeOf(() => recover(path, "b"))).toBe("LEDGER_DAMAGED");
	});

	it("is refused for another rotation", () => {
		expect(() => fileLedger(folder(), { rotate: "day" as "run" })).toThrow('"day"');
	});
});
