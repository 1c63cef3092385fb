// wavetrain ledger
//
// Printing and checking a ledger that a replay left.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileLedger } from "../../engine/index.js";
import { commandRun } from "../support/command-run.js";
import { recordedReply } from "../support/recorded-reply.js";
import { scratchFolder } from "../support/scratch-folder.js";

const CALLS = [
	{ name: "read_file", args: { path: "a.md" } },
	{ name: "nothing", args: {} },
	{ name: "write_file", args: { path: "b.md", text: "\u001B[31mred" } },
];

async function ledgerOf(calls: typeof CALLS) {
	const folder = scratchFolder({ "reply.sse": recordedReply(calls), "a.md": "here" });
	await commandRun(["replay", "reply.sse", "--pace", "0", "--ledger", "run.jsonl"], { folder });
	return { folder, path: join(folder, "run.jsonl") };
}

describe("wavetrain ledger", () => {
	it("prints two lines a call in call order, one line an entry, cut to the width", async () => {
		const { folder } = await ledgerOf(CALLS);
		const { out, errors, code } = await commandRun(["ledger", "run.jsonl"], { folder, columns: 72 });
		const [first, ...lines] = out.trimEnd().split("\n");
		expect(first).toMatch(/^run [0-9a-f-]{36}$/);
		expect({ errors, code }).toEqual({ errors: "", code: 0 });
		expect(lines.map((line) => Number(line.slice(0, 6)))).toEqual([...lines.keys()]);
		expect(lines.filter((line) => line.length > 72)).toEqual([]);
		const calls = lines.filter((line) => line.includes(" tool_")).map((line) => line.slice(8, 40).trimEnd());
		expect(calls).toEqual([
			"tool_called     0 read_file [rea",
			'tool_result     0 {"path":"a.md"',
			"tool_called     1 nothing {}",
			"tool_result     1 UNKNOWN_TOOL:",
			'tool_called     2 write_file [{"',
			'tool_result     2 {"path":"b.md"',
		]);
	});

	it("shows control characters that a model wrote instead of obeying them", async () => {
		const { folder } = await ledgerOf(CALLS);
		const { out } = await commandRun(["ledger", "run.jsonl"], { folder });
		expect(out).not.toContain("\u001B");
	});

	it("prints every entry as JSON with --json", async () => {
		const { folder } = await ledgerOf(CALLS);
		const { out } = await commandRun(["ledger", "run.jsonl", "--json"], { folder });
		const entries = out
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line) as { seq: number; kind: string });
		expect(entries.map(({ seq }) => seq)).toEqual([...entries.keys()]);
		expect(entries.filter(({ kind }) => kind === "tool_result")).toHaveLength(3);
	});

	it("finds a whole ledger whole", async () => {
		const { folder } = await ledgerOf(CALLS);
		const { out, code } = await commandRun(["ledger", "run.jsonl", "--verify"], { folder });
		expect(out).toMatch(/^run\.jsonl is whole: \d+ entries\.\n$/);
		expect(code).toBe(0);
	});

	it("tells of a last line that a crash cut short, which is no damage", async () => {
		const { folder, path } = await ledgerOf(CALLS);
		writeFileSync(path, readFileSync(path).subarray(0, -5));
		const { out, code } = await commandRun(["ledger", "run.jsonl", "--verify"], { folder });
		expect(out).toMatch(
			/ is whole: \d+ entries\. Line \d+ was cut short by a crash \(\d+ bytes\); the next writer removes it\.\n$/,
		);
		expect(code).toBe(0);
	});

	it("says whose each entry is where one file holds several runs", async () => {
		const folder = scratchFolder({});
		const ledger = fileLedger(join(folder, "run.jsonl"));
		const entry = { kind: "steer_received", at: 1, data: { text: "left" } } as const;
		ledger.append(["one", "one", "two"].map((runId) => ({ ...entry, runId })));
		await ledger.close();
		const { out } = await commandRun(["ledger", "run.jsonl"], { folder });
		const lines = out.trimEnd().split("\n");
		expect(lines.map((line) => line.trim().split("  ")[0])).toEqual(["run one", "0", "1", "run two", "2"]);
	});

	it("prints a result whatever a host has appended as its outcome", async () => {
		const folder = scratchFolder({});
		const ledger = fileLedger(join(folder, "run.jsonl"));
		const outcomes = [undefined, null, 3, "text", [], {}, { ok: true }, { ok: false }, { ok: false, error: 7 }];
		const data = outcomes.map((outcome, index) => ({ index, ...(outcome !== undefined && { outcome }) }));
		ledger.append(data.map((one) => ({ kind: "tool_result", runId: "run", at: 1, data: one })));
		await ledger.close();
		const { out, errors, code } = await commandRun(["ledger", "run.jsonl"], { folder });
		const [, ...lines] = out.trimEnd().split("\n");
		const texts = lines.map((line) => line.replace(/^.*tool_result +\d /, "").trim());
		const plain = ["no outcome", "null", "3", '"text"'];
		expect(texts).toEqual([...plain, "error:", "error:", "no value", "error:", "error:"]);
		expect({ errors, code }).toEqual({ errors: "", code: 0 });
	});

	it("finds one changed letter, names its line, and exits with 1", async () => {
		const { folder, path } = await ledgerOf(CALLS);
		const text = readFileSync(path, "utf8");
		const at = text.indexOf("UNKNOWN_TOOL");
		const line = text.slice(0, at).split("\n").length;
		writeFileSync(path, text.replace("UNKNOWN_TOOL", "UNKNOWN_TOOM"));
		const checked = await commandRun(["ledger", "run.jsonl", "--verify"], { folder });
		expect(checked.errors).toMatch(new RegExp(`^wavetrain: "run\\.jsonl" is not whole, at line ${line}: .+\n$`));
		expect({ out: checked.out, code: checked.code }).toEqual({ out: "", code: 1 });
		const printed = await commandRun(["ledger", "run.jsonl"], { folder });
		expect(printed.errors).toContain(`line ${line}`);
		expect(printed.code).toBe(1);
	});

	it("tells a program what a check found with --verify --json", async () => {
		const { folder, path } = await ledgerOf(CALLS);
		const text = readFileSync(path, "utf8");
		writeFileSync(path, text.replace("read_file", "read_filf"));
		const { out, code } = await commandRun(["ledger", "run.jsonl", "--verify", "--json"], { folder });
		expect(JSON.parse(out)).toMatchObject({ ok: false, problem: { line: expect.any(Number) as number } });
		expect(code).toBe(1);
	});

	it("reads the folder of a ledger that is rotated by run, each run under its id", async () => {
		const folder = scratchFolder({});
		const ledger = fileLedger(folder, { rotate: "run" });
		const entry = { kind: "steer_received", at: 1, data: { text: "left" } } as const;
		ledger.append([
			{ ...entry, runId: "one" },
			{ ...entry, runId: "two", at: 2 },
		]);
		await ledger.close();
		const printed = await commandRun(["ledger", "."], { folder });
		expect(
			printed.out
				.trimEnd()
				.split("\n")
				.map((line) => line.trim().slice(0, 17)),
		).toEqual([...["run one", "0  steer_received", "run two", "0  steer_received"]]);
		const checked = await commandRun(["ledger", ".", "--verify"], { folder });
		expect([checked.out, checked.code]).toEqual([". is whole: 2 entries.\n", 0]);
	});
});
