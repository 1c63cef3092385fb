// A recorded call is answered again, before any effect, and only that call.

import { describe, expect, it } from "vitest";
import { failed, type Outcome } from "../../engine/core/outcome.js";
import { dedup, memoryLedger, type Policy, type RecordedAnswer } from "../../engine/index.js";
import { benchOf, callsOf, shorts } from "../support/law-kit.js";
import { LedgerSpy } from "../support/ledger-spy.js";

const first: RecordedAnswer = {
	runId: "run",
	step: 2,
	index: 1,
	name: "write",
	args: { n: 1, z: 2 },
	outcome: { ok: true, value: "then" },
};

describe("dedup", () => {
	it("answers a recorded write without running it, asking later policies or writing an intent", async () => {
		const asked: string[] = [];
		const later: Policy = {
			name: "later",
			admit: ({ name }) => {
				asked.push(name);
				return "clear";
			},
		};
		const ledger = new LedgerSpy(memoryLedger());
		const answers = [{ ...first, index: 0 }];
		const { engine, entered } = benchOf({ ledger, policies: [dedup({ answers }), later] });
		const wave = await engine.executeWave([{ id: "", name: "write", args: '{"z":2,"n":1}' }], {
			runId: "run",
			step: 2,
		});
		expect(shorts(wave)).toEqual(['"then"']);
		expect([entered, asked]).toEqual([[], []]);
		expect(ledger.log).not.toContain("intent 0");
	});

	it("answers with a failure as with a value, and of two recorded outcomes with the first", async () => {
		const unknown: Outcome = failed("OUTCOME_UNKNOWN", { message: "The process died." });
		const answers = [
			{ ...first, index: 0, outcome: unknown },
			{ ...first, index: 0 },
		];
		const { engine } = benchOf({ policies: [dedup({ answers })] });
		const { results } = await engine.executeWave([{ id: "", name: "write", args: { n: 1, z: 2 } }], {
			runId: "run",
			step: 2,
		});
		expect(results[0]?.outcome).toEqual(unknown);
	});

	it.each<[string, Partial<RecordedAnswer>]>([
		["of another run", { runId: "other" }],
		["of another step", { step: 3 }],
		["of another place", { index: 2 }],
		["of another tool", { name: "note" }],
		["with other arguments", { args: { n: 1 } }],
	])("does not answer a call %s", (_which, other) => {
		const { args, name, ...place } = { ...first, ...other };
		const view = { ...place, at: 0, segment: 0, args, effect: "write" } as const;
		expect(dedup({ answers: [first] }).admit?.({ id: "same", name, args }, view)).toBe("clear");
	});

	it("does not remember what this process runs: a wave that is run again runs again", async () => {
		const { engine, entered, held } = benchOf({ policies: [dedup({ answers: [] })] });
		for (let time = 0; time < 2; time += 1) {
			const wave = engine.executeWave(callsOf("read 1"), { runId: "run" });
			while (held.waiting.length === 0) await Promise.resolve();
			held.releaseAll();
			await wave;
		}
		expect(entered).toEqual(["read 1", "read 1"]);
	});

	it("refuses an answer that is no outcome", () => {
		const answers = [{ ...first, outcome: "then" as never }];
		expect(() => dedup({ answers })).toThrow(expect.objectContaining({ code: "INVALID_OPTIONS" }));
	});
});
