// The runs of a ledger, whatever keeps it, and what is told where it does not read back.

import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import {
	type EntryDraft,
	type EntryKind,
	fileLedger,
	type Intent,
	isEngineError,
	type JsonObject,
	type Ledger,
	type ListedRun,
	listRuns,
	memoryLedger,
	readLedger,
	recover,
	sqliteLedger,
	systemClock,
	verifyLedger,
} from "../../engine/index.js";
import { runFile } from "../../engine/ledger/run-folder.js";
import { codeOf, collect } from "../contracts/ledger.js";
import { temporaryFolders } from "../ledger/temporary-folder.js";

const folder = temporaryFolders();

let at = 0;
function line(runId: string, kind: EntryKind | "intent", data: JsonObject = {}): EntryDraft | Intent {
	at += 1;
	return { kind, runId, at, data } as EntryDraft | Intent;
}

const asked = (count: number): JsonObject => ({
	step: 0,
	calls: Array.from({ length: count }, (_, index) => ({ id: `${index}`, name: "look", args: {} })),
});
const called = (runId: string, ...lineage: number[]) => line(runId, "tool_called", { lineage, name: "look", args: {} });
const returned = (runId: string, index: number) => line(runId, "tool_result", { index, outcome: { ok: true } });

/** A run of each standing, side by side, and lines of a run that is not there. */
function sideBySide(): (EntryDraft | Intent)[] {
	at = 1_000;
	const memory = { answers: {}, questions: { 1: "which?", 2: "sure?" }, nested: {} };
	const records = [{ kind: "cleared", at: 1, timing: {}, ahead: false, memory }];
	return [
		line("over", "run_started", { messages: [] }),
		line("cut", "run_started", { messages: [] }),
		line("lost", "steer_received", { text: "left" }),
		line("over", "model_called", { step: 0 }),
		line("hosted", "model_returned", asked(2)),
		line("cut", "model_called", { step: 0 }),
		line("asks", "model_returned", asked(1)),
		called("hosted", 0),
		called("hosted", 0, 0),
		returned("hosted", 0),
		returned("hosted", 0),
		called("hosted", 1),
		line("half", "model_returned", asked(2)),
		called("half", 0),
		line("over", "model_returned", asked(0)),
		returned("half", 0),
		line("asks", "question_asked", { step: 0, id: "asks/0/0/1", lineage: [0], question: "which?" }),
		line("asks", "run_paused", { step: 0, checkpoint: { records } as unknown as JsonObject }),
		returned("hosted", 1),
		line("over", "run_finished", { status: "done", steps: 1 }),
		line("half", "intent", { step: 0, lineage: [1] }),
	];
}

const SIDE_BY_SIDE: readonly ListedRun[] = [
	{ runId: "over", kind: "run", firstAt: 1_001, lastAt: 1_020, steps: 1, standing: "finished", status: "done" },
	{ runId: "cut", kind: "run", firstAt: 1_002, lastAt: 1_006, steps: 1, standing: "unfinished" },
	{ runId: "hosted", kind: "wave", firstAt: 1_005, lastAt: 1_019, steps: 1, standing: "answered" },
	{ runId: "asks", kind: "wave", firstAt: 1_007, lastAt: 1_018, steps: 1, standing: "paused", questions: 2 },
	{ runId: "half", kind: "wave", firstAt: 1_013, lastAt: 1_021, steps: 1, standing: "unfinished" },
];

const KINDS: readonly (readonly [string, () => { readonly ledger: Ledger; readonly path?: string }])[] = [
	["in memory", () => ({ ledger: memoryLedger() })],
	["in a file", () => ledgerAt(join(folder(), "l.jsonl"), fileLedger)],
	["in a database", () => ledgerAt(join(folder(), "l.db"), sqliteLedger)],
	["rotated by run", () => ledgerAt(folder(), (path) => fileLedger(path, { rotate: "run" }))],
];

function ledgerAt(path: string, open: (path: string) => Ledger) {
	return { ledger: open(path), path };
}

async function inFolder(): Promise<string> {
	const path = folder();
	const ledger = fileLedger(path, { rotate: "run" });
	ledger.append(sideBySide());
	await ledger.close();
	return path;
}

const standings = (runs: readonly ListedRun[]) => runs.map(({ runId, standing }) => `${runId} ${standing}`);

describe("the runs of a ledger", () => {
	it.each(KINDS)("are listed in the order in which they began, each as it stands: %s", async (_, make) => {
		const { ledger, path } = make();
		expect(await listRuns(ledger)).toEqual([]);
		const [first, ...rest] = sideBySide();
		ledger.append(first === undefined ? [] : [first]);
		await ledger.barrier();
		ledger.append(rest);
		// What is only held is listed too.
		expect(await listRuns(ledger)).toEqual(SIDE_BY_SIDE);
		await ledger.barrier();
		if (path !== undefined) expect(await listRuns(path)).toEqual(SIDE_BY_SIDE);
		await ledger.close();
		expect(await listRuns(ledger)).toEqual(SIDE_BY_SIDE);
		if (path !== undefined) expect(await listRuns(path)).toEqual(SIDE_BY_SIDE);
	});

	it("LS1: are those that `recover` finds", async () => {
		const ledger = memoryLedger();
		ledger.append(sideBySide());
		for (const { runId = "" } of SIDE_BY_SIDE) expect(await recover(ledger, runId)).toMatchObject({ runId });
		expect(await codeOf(() => recover(ledger, "lost"))).toBe("RUN_NOT_FOUND");
	});

	it("stand as their last pause says, also where an answer had come by then", async () => {
		const ledger = memoryLedger();
		ledger.append([...sideBySide(), line("asks", "run_resumed", { step: 0 })]);
		expect((await listRuns(ledger))[3]).toMatchObject({ standing: "unfinished" });
		const memory = { answers: { 1: "that" }, questions: { 2: "sure?" }, nested: {} };
		const records = [{ kind: "cleared", at: 1, timing: {}, ahead: false, memory }];
		ledger.append([
			line("asks", "answer_received", { step: 0, id: "asks/0/0/1", answer: "that" }),
			line("asks", "run_paused", { step: 0, checkpoint: { records } as unknown as JsonObject }),
		]);
		expect((await listRuns(ledger))[3]).toMatchObject({ standing: "paused", questions: 1 });
	});

	it("RN1: are their host's again behind their end, and the model's where a run begins anew", async () => {
		const ledger = memoryLedger();
		ledger.append([...sideBySide(), line("over", "model_returned", asked(1))]);
		expect((await listRuns(ledger))[0]).toMatchObject({ kind: "wave", steps: 2, standing: "unfinished" });
		ledger.append([line("over", "run_started", { messages: [] }), line("over", "model_called", { step: 0 })]);
		expect((await listRuns(ledger))[0]).toMatchObject({ kind: "run", steps: 1, standing: "unfinished" });
	});

	it("RN2: are listed without keeping what their lines hold", async () => {
		setFlagsFromString("--expose-gc");
		const collect = runInNewContext("gc") as () => void;
		const seen: WeakRef<object>[] = [];
		let alive = 0;
		async function* records() {
			yield* [line("r", "model_returned", asked(1_000))];
			for (let index = 0; index < 500; index += 1) {
				const outcome = { ok: true, value: "x".repeat(1_000) };
				seen.push(new WeakRef(outcome));
				yield* [called("r", index), line("r", "tool_result", { index, outcome })];
			}
			// A reference that was just made keeps what it refers to until the turn is over.
			await systemClock.nextTurn();
			collect();
			alive = seen.filter((one) => one.deref() !== undefined).length;
		}
		const [run] = await listRuns({ ...memoryLedger(), records: () => records() as never });
		expect(run).toMatchObject({ runId: "r", standing: "unfinished" });
		expect(alive).toBeLessThan(3);
	});
});

describe("the runs of a ledger that does not read back", () => {
	it("are not listed: a file that is not there, and a damaged one by its line", async () => {
		const path = join(folder(), "l.jsonl");
		expect(await codeOf(() => listRuns(path))).toBe("LEDGER_FAILED");
		const ledger = fileLedger(path);
		ledger.append(sideBySide());
		await ledger.close();
		writeFileSync(path, readFileSync(path, "utf8").replace('"left"', '"lift"'));
		await expect(listRuns(path)).rejects.toMatchObject({
			code: "LEDGER_DAMAGED",
			message: expect.stringContaining("line 4"),
		});
		await expect(listRuns(fileLedger(path))).rejects.toMatchObject({ code: "LEDGER_DAMAGED" });
	});

	it("are not listed, nor read, where the path leads nowhere, in words of this package", async () => {
		const path = join(folder(), "file");
		writeFileSync(path, "");
		const readers = [
			listRuns,
			(given: string) => collect(readLedger(given)),
			(given: string) => recover(given, "r"),
			verifyLedger,
		];
		for (const nowhere of [join(path, "l.jsonl"), `${path}s`, "a\0b"]) {
			for (const reader of readers) expect(await codeOf(() => reader(nowhere))).toBe("LEDGER_FAILED");
		}
	});

	it.each([
		["by its path", (path: string) => path],
		["opened", (path: string) => fileLedger(path, { rotate: "run" })],
	])("are listed but for what is damaged, where each has its file: a folder %s", async (_, given) => {
		const path = await inFolder();
		const half = runFile(path, "half");
		writeFileSync(half, readFileSync(half, "utf8").replace('"ok":true', '"ok":false'));
		writeFileSync(runFile(path, "cut"), "no ledger");
		const runs = await listRuns(given(path));
		expect(standings(runs)).toEqual([
			"over finished",
			"hosted answered",
			"asks paused",
			"half damaged",
			"undefined damaged",
		]);
		const errors = runs.flatMap((run) => (run.standing === "damaged" ? [run.error] : []));
		expect(errors.map((error) => isEngineError(error) && error.code)).toEqual(["LEDGER_DAMAGED", "LEDGER_DAMAGED"]);
		expect(errors[0]?.message).toContain(half);
	});

	it("RF1: are damaged where a file holds another run's lines", async () => {
		const path = await inFolder();
		rmSync(runFile(path, "half"));
		renameSync(runFile(path, "over"), runFile(path, "half"));
		const stray = (await listRuns(path)).at(-1);
		expect(stray).toMatchObject({
			standing: "damaged",
			error: { message: expect.stringContaining('of the run "over"') },
		});
	});
});
