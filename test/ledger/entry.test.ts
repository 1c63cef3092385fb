// What of an entry is compared between two runs, and what is not.

import { describe, expect, it } from "vitest";
import { failed, threw } from "../../engine/core/outcome.js";
import { canonical, type EntryDraft, outcomeData } from "../../engine/ledger/entry.js";
import { draftOf } from "../contracts/ledger.js";

describe("the canonical text of an entry", () => {
	it("N1: neither run, nor time, nor number, nor thread, nor reading of a clock changes it", () => {
		const dataOf = (thread: number): EntryDraft["data"] => {
			const details = { ranMs: thread * 1.5, waitedMs: thread, thread, path: "$.rows[3]" };
			return { index: 1, outcome: outcomeData(failed("WORKER_LOST", { message: "gone", details })) };
		};
		const one = canonical({ kind: "tool_result", runId: "one", at: 1, data: dataOf(1) });
		const other = { kind: "tool_result", runId: "other", at: 2, seq: 9, data: dataOf(2) } as const;
		expect(canonical(other)).toBe(one);
		expect(one).toContain('"details":{"path":"$.rows[3]"}');
	});

	it("N1: it holds no stack of a thrown error, nor of the errors that caused it", () => {
		const thrown = new Error("outer", { cause: new Error("inner") });
		const data = { outcome: outcomeData(threw(thrown)) };
		expect(canonical({ kind: "tool_result", runId: "run", at: 1, data })).not.toContain("stack");
	});

	it("N2: the entries of a pause have none", () => {
		for (const kind of ["question_asked", "answer_received", "run_paused", "run_resumed"] as const) {
			expect(canonical({ ...draftOf(0), kind })).toBe("");
		}
	});

	it("does not depend on the order in which fields were set", () => {
		expect(canonical(draftOf(0, { b: 1, a: { d: 2, c: 3 } }))).toBe(canonical(draftOf(0, { a: { c: 3, d: 2 }, b: 1 })));
	});
});
