// `--trace` and `wavetrain locks`: the picture of who held what.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type EngineEvent, TRACE_HEADER, traceLine } from "../../engine/index.js";
import { commandRun } from "../support/command-run.js";
import { scratchFolder } from "../support/scratch-folder.js";

const call = (index: number) => ({ runId: "run", step: 0, index, name: "save_note" });
const EVENTS: readonly EngineEvent[] = [
	{ atMs: 1_000, kind: "call_holds_keys", write: ["note:plan"], read: [], ...call(0) },
	{ atMs: 1_100, kind: "call_waiting", for: "keys", blockers: [{ key: "note:plan", holder: "call 0" }], ...call(1) },
	{ atMs: 1_500, kind: "call_released_keys", write: ["note:plan"], read: [], ...call(0) },
	{ atMs: 1_500, kind: "call_holds_keys", write: ["note:plan"], read: [], ...call(1) },
];

describe("wavetrain locks", () => {
	it("shows who held a key and who waited for whom", async () => {
		const folder = await scratchFolder();
		await writeFile(join(folder, "run.trace"), `${[TRACE_HEADER, ...EVENTS.map(traceLine)].join("\n")}\n`);
		const { code, out } = await commandRun(["locks", "run.trace"], { folder });
		expect(code).toBe(0);
		expect(out.trimEnd().split("\n")).toEqual([
			"note:plan  (2 holds)",
			"    0.00 s –   0.50 s  call 0 save_note  held",
			"    0.50 s –           call 1 save_note  held, after waiting 0.40 s for call 0, and not let go",
		]);
	});

	it("reads what a replay kept with --trace", async () => {
		const folder = await scratchFolder();
		const replayed = await commandRun(["replay", "--pace", "0", "--trace", "run.trace"], { folder });
		expect(replayed.code).toBe(0);
		const { code, out } = await commandRun(["locks", "run.trace", "--json"], { folder });
		expect(code).toBe(0);
		const histories = out
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line) as { key: string; holds: unknown[] });
		expect(histories).toHaveLength(1);
		// The tool locks the file that its call holds already.
		expect(histories[0]?.holds).toHaveLength(1);
		expect(histories[0]?.key).toMatch(/^file:.*note\.md$/);
	});

	it.each([
		[["locks", "missing"], "missing"],
		[["replay", "--trace", "no/such/folder/run.trace"], "run.trace"],
	])("says in one line what is wrong with %j", async (args, said) => {
		const { code, errors } = await commandRun(args, { folder: await scratchFolder() });
		expect(code).toBe(1);
		expect(errors).toContain(said);
		expect(errors.trimEnd().split("\n")).toHaveLength(1);
	});

	it("refuses a file that is no trace", async () => {
		const folder = await scratchFolder();
		await writeFile(join(folder, "other.txt"), "hello\n");
		const { code, errors } = await commandRun(["locks", "other.txt"], { folder });
		expect(code).toBe(1);
		expect(errors).toContain("line 1");
	});
});
