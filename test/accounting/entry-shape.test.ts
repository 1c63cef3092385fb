// A policy may write anything into history but what a recovery knows a line by. Each case breaks one kind of line, lets two
// writes run, and recovers the run as after a crash: neither write may run again, or read as one that had not run.

import { describe, expect, it } from "vitest";
import { shapeProblem } from "../../engine/accounting/entry-shape.js";
import type { JsonObject, JsonValue } from "../../engine/core/json-value.js";
import { createEngine, memoryLedger, type RecordedEntry, recover, tool } from "../../engine/index.js";
import { anything, entriesOf } from "../support/law-kit.js";

const of =
	(kinds: readonly string[], change: (data: JsonObject) => unknown) =>
	({ kind, data }: RecordedEntry): JsonObject =>
		(kinds.includes(kind) ? change(data) : data) as JsonObject;

const without =
	(name: string) =>
	({ [name]: _left, ...rest }: JsonObject): JsonObject =>
		rest;

const callsAs = (change: (call: JsonObject) => JsonValue) => (data: JsonObject) => {
	return { ...data, calls: (data.calls as readonly JsonObject[]).map(change) };
};

const REPLY = ["model_returned"];
const LINES = ["tool_called", "tool_result"];
const EVERY = [...REPLY, ...LINES];

const BROKEN: [string, ReturnType<typeof of>][] = [
	["nothing of any line", of(EVERY, () => ({}))],
	["a list for any line", of(EVERY, () => [])],
	["a map for any line", of(EVERY, (data) => new Map([["noted", data]]))],
	["a reply without calls", of(REPLY, without("calls"))],
	["a reply with fewer calls", of(REPLY, (data) => ({ ...data, calls: [] }))],
	[
		"a reply with calls that are nothing",
		of(
			REPLY,
			callsAs(() => null),
		),
	],
	[
		"a reply with calls of another tool",
		of(
			REPLY,
			callsAs((call) => ({ ...call, name: "read" })),
		),
	],
	["a reply with calls without arguments", of(REPLY, callsAs(without("args")))],
	["a reply of another step", of(REPLY, (data) => ({ ...data, step: 7 }))],
	["a reply that was cut", of(REPLY, (data) => ({ ...data, cut: "length" }))],
	["a reply of a nested call", of(REPLY, (data) => ({ ...data, lineage: [0] }))],
	["lines without an index", of(LINES, without("index"))],
	["lines of another call", of(LINES, (data) => ({ ...data, index: 9 }))],
	["lines without an id", of(LINES, without("id"))],
	["a call without a lineage", of(LINES, without("lineage"))],
	["a call with another lineage", of(["tool_called"], (data) => ({ ...data, lineage: [9] }))],
	["a call with another effect", of(["tool_called"], (data) => ({ ...data, effect: "read" }))],
	["a result without an outcome", of(["tool_result"], without("outcome"))],
	["a result that is a text", of(["tool_result"], (data) => ({ ...data, outcome: "fine" }))],
	["a result that failed", of(["tool_result"], (data) => ({ ...data, outcome: { ok: false } }))],
	["a result of another call's", of(["tool_result"], (data) => ({ ...data, replayOf: 1 }))],
];

function worldOf(record?: (entry: RecordedEntry) => JsonObject) {
	const ran: string[] = [];
	const ledger = memoryLedger();
	const write = tool({
		name: "write",
		parameters: anything,
		effect: "write",
		execute: (_args, { callId }) => {
			ran.push(callId);
			return "written";
		},
	});
	const make = (policies: Parameters<typeof createEngine>[0]["policies"]) =>
		createEngine({ ledger, tools: [write], ...(policies && { policies }) });
	return { ran, ledger, before: make(record && [{ name: "broken", record }]), after: make(undefined) };
}

describe("RL6: a policy that records", () => {
	it.each(BROKEN)("%s loses the line's content, and neither its place nor that its call ran", async (_what, record) => {
		const { ran, ledger, before, after } = worldOf(record);
		const calls = ["a", "b"].map((id) => ({ id, name: "write", args: { n: 1 } }));
		const { results } = await before.executeWave(calls, { runId: "run" });
		expect(results.map(({ outcome }) => outcome)).toEqual(calls.map(() => ({ ok: true, value: "written" })));
		const checkpoint = await recover(ledger, "run");
		if (checkpoint.kind !== "wave") throw new Error("a wave is a wave");
		const resumed = await after.resume(checkpoint);
		expect(ran).toEqual(["a", "b"]);
		expect(resumed.results.map(({ id, name }) => [id, name])).toEqual(calls.map(({ id, name }) => [id, name]));
		// What the ledger does not hold is known to have been recorded badly, and is no word about the call.
		for (const { outcome } of resumed.results) expect(outcome.ok || outcome.error.code === "POLICY_FAILED").toBe(true);
		expect(JSON.stringify(await entriesOf(ledger))).toContain('"broken"');
	});

	it("may note beside what was there, and change all that was said, asked and answered", async () => {
		const record = ({ data }: RecordedEntry): JsonObject => {
			const changed: Record<string, JsonValue> = { ...data, note: [1], status: "seen" };
			if ("args" in data) changed.args = "hidden";
			if (data.outcome !== undefined) changed.outcome = { ok: true, value: { hidden: true } };
			return changed;
		};
		const { ledger, before } = worldOf(record);
		await before.executeWave([{ id: "a", name: "write", args: { n: 1 } }], { runId: "run" });
		const entries = await entriesOf(ledger);
		expect(entries.map(({ data }) => data.note)).toEqual([[1], [1], [1]]);
		expect(entries[1]?.data.args).toBe("hidden");
		expect(entries[2]?.data.outcome).toEqual({ ok: true, value: { hidden: true } });
	});
});

it.each<[JsonObject, JsonObject, string | undefined]>([
	[{ checkpoint: { calls: [] } }, { checkpoint: {} }, undefined],
	[{ checkpoint: { calls: [] } }, { checkpoint: [] }, "checkpoint is [], not an object"],
	[{ checkpoint: "text" }, { checkpoint: 7 }, undefined],
	[{ steers: ["a"] }, { steers: ["b"] }, undefined],
	[{ steers: ["a"] }, { steers: [1] }, "steers holds at 0 what is 1, not a text"],
	[{ step: 0 }, { step: 0, steers: ["a"] }, "steers was not there"],
	[{ constructor: 1 }, { constructor: 2, toString: 3 }, undefined],
	[{ status: "done" }, { status: "failed" }, 'status is "failed", and was "done"'],
	[
		{ outcome: { ok: false, error: { code: "DENIED", message: "a", recovery: "b" } } },
		{ outcome: { ok: false, error: { code: "DENIED", message: "c", recovery: "d" } } },
		undefined,
	],
	[
		{ outcome: { ok: false, error: { code: "DENIED", message: "a", recovery: "b" } } },
		{ outcome: { ok: false, error: { code: "TOOL_FAILED", message: "a", recovery: "b" } } },
		'outcome error code is "TOOL_FAILED", and was "DENIED"',
	],
	[{ ranAs: { args: { a: 1 }, effect: { write: "x" } } }, { ranAs: { args: {}, effect: { write: "x" } } }, undefined],
	[
		{ ranAs: { args: { a: 1 }, effect: { write: "x" } } },
		{ ranAs: { args: {}, effect: "read" } },
		"ranAs effect is \"read\", and was { write: 'x' }",
	],
])("of %j the record %j is told to be wrong, or not", (before, after, problem) => {
	const said = shapeProblem(before, after);
	expect(said).toBe(problem && `what it recorded is not the same entry: ${problem}`);
});
