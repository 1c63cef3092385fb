// wavetrain ledger --runs
//
// Which runs a ledger holds, and how each stands.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type EntryDraft, type EntryKind, fileLedger, type JsonObject } from "../../engine/index.js";
import { runFile } from "../../engine/ledger/run-folder.js";
import { commandRun } from "../support/command-run.js";
import { scratchFolder } from "../support/scratch-folder.js";

const line = (runId: string, kind: EntryKind, data: JsonObject, at = 1_700_000_000_000): EntryDraft => {
	return { kind, runId, at, data };
};
const memory = { answers: {}, questions: { 1: "which?" }, nested: {} };
const waiting = { records: [{ kind: "cleared", at: 1, timing: {}, ahead: false, memory }] } as unknown as JsonObject;
const asked = { step: 0, calls: [{ id: "1", name: "look", args: {} }] };

const LINES: readonly EntryDraft[] = [
	line("bill", "run_started", { messages: [] }),
	line("bill", "model_called", { step: 0 }, 1_700_000_007_250),
	line("a\u001B[31mred", "run_started", { messages: [] }),
	line("a\u001B[31mred", "run_finished", { status: "aborted", steps: 0 }, 1e300),
	line("host", "model_returned", asked),
	line("host", "run_paused", { step: 0, checkpoint: waiting }),
];

async function folderOf(rotate?: "run"): Promise<string> {
	const folder = scratchFolder({});
	const ledger = rotate ? fileLedger(folder, { rotate }) : fileLedger(join(folder, "run.jsonl"));
	ledger.append(LINES);
	await ledger.close();
	return folder;
}

describe("wavetrain ledger --runs", () => {
	it("prints a line a run, its id last and whole", async () => {
		const folder = await folderOf();
		const { out, errors, code } = await commandRun(["ledger", "run.jsonl", "--runs"], { folder, columns: 40 });
		expect(out).toBe(
			[
				"2023-11-14T22:13:20.000Z  2023-11-14T22:13:27.250Z     1 step  unfinished            bill",
				"2023-11-14T22:13:20.000Z  1e+300                      0 steps  finished: aborted     a\\u{1b}[31mred",
				"2023-11-14T22:13:20.000Z  2023-11-14T22:13:20.000Z     1 wave  paused: 1 question    host",
				"",
			].join("\n"),
		);
		expect({ errors, code }).toEqual({ errors: "", code: 0 });
	});

	it("prints a run a line as JSON with --json", async () => {
		const { out } = await commandRun(["ledger", "run.jsonl", "--runs", "--json"], { folder: await folderOf() });
		const runs = out
			.trimEnd()
			.split("\n")
			.map((text) => JSON.parse(text) as object);
		expect(runs).toHaveLength(3);
		expect(runs[2]).toEqual({
			runId: "host",
			kind: "wave",
			firstAt: 1_700_000_000_000,
			lastAt: 1_700_000_000_000,
			steps: 1,
			standing: "paused",
			questions: 1,
		});
	});

	it("tells of a damaged file of a folder, lists the other runs, and exits with 1", async () => {
		const folder = await folderOf("run");
		writeFileSync(runFile(folder, "bill"), "no ledger");
		const { out, errors, code } = await commandRun(["ledger", ".", "--runs"], { folder });
		expect(out.split("\n").map((text) => text.slice(63).replace(/ +/g, " "))).toEqual([
			"finished: aborted a\\u{1b}[31mred",
			"paused: 1 question host",
			"damaged (no line of it is whole)",
			"",
		]);
		expect(errors).toMatch(/^wavetrain: Could not read the ledger .*bill-.*\n$/);
		expect(code).toBe(1);
		const { out: json } = await commandRun(["ledger", ".", "--runs", "--json"], { folder });
		expect(json).toContain('"error":{"code":"LEDGER_DAMAGED","message":"Could not read the ledger');
	});

	it("says so where there is no run", async () => {
		const folder = scratchFolder({ "run.jsonl": "" });
		const { out, code } = await commandRun(["ledger", "run.jsonl", "--runs"], { folder });
		expect({ out, code }).toEqual({ out: "run.jsonl holds no run.\n", code: 0 });
	});

	it("is not asked for together with --verify", async () => {
		const { errors, code } = await commandRun(["ledger", "run.jsonl", "--runs", "--verify"], {
			folder: await folderOf(),
		});
		expect(errors).toMatch(/^wavetrain: .*--runs.*--verify.*\n$/);
		expect(code).toBe(2);
	});
});
