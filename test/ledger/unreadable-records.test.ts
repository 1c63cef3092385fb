// Records that no reader would take for records: a ledger refuses them, because what stands behind one could not be read.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createEngine, fileLedger, type Ledger, readLedger, sqliteLedger, verifyLedger } from "../../engine/index.js";
import { draftOf } from "../contracts/ledger.js";
import { callsOf, toolOf } from "../support/law-kit.js";
import { ManualClock } from "../support/manual-clock.js";
import { temporaryFolders } from "./temporary-folder.js";

const folder = temporaryFolders();

const LEDGERS: Record<string, (path: string) => Ledger> = {
	file: fileLedger,
	SQLite: sqliteLedger,
	rotated(path) {
		mkdirSync(path);
		return fileLedger(path, { rotate: "run" });
	},
};

const UNREADABLE = {
	"a stamp that is no number": { at: Number.NaN },
	"a stamp that never comes": { at: Number.POSITIVE_INFINITY },
	"a run's id longer than a line": { runId: "r".repeat(5_000_000) },
};

const CASES = Object.keys(LEDGERS).flatMap((kind) => Object.keys(UNREADABLE).map((what) => [kind, what] as const));

describe("a record that would not be read back", () => {
	it.each(CASES)("is refused by a %s ledger that holds others: %s", async (kind, what) => {
		const path = join(folder(), "l");
		const ledger = (LEDGERS[kind] ?? fileLedger)(path);
		ledger.append([draftOf(0)]);
		const wrong = { ...draftOf(1), ...UNREADABLE[what as keyof typeof UNREADABLE] };
		expect(() => ledger.append([wrong])).toThrow(expect.objectContaining({ code: "LEDGER_FAILED" }));
		ledger.append([draftOf(2)]);
		await ledger.close();
		const kept: unknown[] = [];
		for await (const { data } of readLedger(path)) kept.push(data);
		expect(kept).toEqual([draftOf(0).data, draftOf(2).data]);
		expect(await verifyLedger(path)).toEqual({ ok: true, entries: 2 });
	});

	it("is not written by an engine whose clock has lost the time, and nothing acts", async () => {
		const did: unknown[] = [];
		const clock = Object.assign(new ManualClock(), { now: () => Number.NaN });
		const put = toolOf("put", (args) => did.push(args), { effect: "write" });
		const path = join(folder(), "l");
		const engine = createEngine({ tools: [put], ledger: fileLedger(path), clock });
		await expect(engine.executeWave(callsOf("put 1"))).rejects.toMatchObject({ code: "LEDGER_FAILED" });
		await engine.close();
		expect([did, await verifyLedger(path)]).toEqual([[], { ok: true, entries: 0 }]);
	});
});
