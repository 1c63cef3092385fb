// A step that is fed the items of a reply: it offers, starts over, and ends as the reply does.

import { describe, expect, it } from "vitest";
import { type ReplyItem, readStream, type ToolCall } from "../../engine/index.js";
import { benchOf, callsOf, linesOf, shorts } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";
import { recordedReply } from "../support/recorded-reply.js";

function itemOf(kind: "call-complete" | "call-closed", index: number, call: ToolCall): ReplyItem {
	return { kind, index, id: call.id, name: call.name, argsText: JSON.stringify(call.args), call };
}

const wholly = (index: number, call: ToolCall): ReplyItem[] => [
	itemOf("call-complete", index, call),
	itemOf("call-closed", index, call),
];

const [zero, one] = callsOf("read 0", "read 1") as [ToolCall, ToolCall];
const GOOD: ReplyItem = { kind: "end", good: true };

describe("a step that is fed", () => {
	it("starts what is complete, and runs what the reply closed with", async () => {
		const { engine, held, entered } = benchOf();
		const step = engine.openStep();
		for (const item of [...wholly(0, zero), ...wholly(1, one)]) step.feed(item);
		await settled();
		expect(entered).toEqual(["read 0", "read 1"]);
		step.feed(GOOD);
		const wave = step.settle();
		held.releaseAll();
		expect(shorts(await wave)).toEqual(["0", "1"]);
		expect(entered).toEqual(["read 0", "read 1"]);
	});

	it("takes what a reader yields as it is", async () => {
		const { engine, held } = benchOf();
		const step = engine.openStep();
		const reply = recordedReply([
			{ name: "read", args: { n: 3 } },
			{ name: "write", args: { n: 4 } },
		]);
		for await (const item of readStream("anthropic", reply)) step.feed(item);
		const wave = step.settle();
		await settled();
		held.releaseAll();
		await settled();
		held.releaseAll();
		expect(shorts(await wave)).toEqual(["3", "4"]);
	});

	it("throws away what was complete and went on, starts nothing more, and runs what it closed with", async () => {
		const { engine, held, entered, events } = benchOf();
		const step = engine.openStep();
		step.feed(itemOf("call-complete", 0, { ...zero, args: { n: 9 } }));
		step.feed(itemOf("call-closed", 0, zero));
		for (const item of wholly(1, one)) step.feed(item);
		await settled();
		expect(entered).toEqual(["read 9"]);
		step.feed(GOOD);
		const wave = step.settle();
		await settled();
		held.releaseAll();
		expect(shorts(await wave)).toEqual(["0", "1"]);
		expect(events.filter(({ kind }) => kind === "ahead_discarded")).toHaveLength(1);
	});

	it("starts over at a restart, at its first place", async () => {
		const { engine, held, entered } = benchOf();
		const step = engine.openStep();
		for (const item of [...wholly(0, zero), { kind: "restart" } as const, ...wholly(0, one), GOOD]) step.feed(item);
		const wave = step.settle();
		await settled();
		held.releaseAll();
		expect(shorts(await wave)).toEqual(["1"]);
		expect(entered).toEqual(["read 0", "read 1"]);
	});

	it.each([
		["without an end", [], "the reply has no good end"],
		["with a failed end", [{ kind: "end", good: false, cut: "failed" }], "the reply has no good end"],
		["with an end that says why", [{ kind: "end", good: false, cut: "failed", problem: "overloaded" }], "overloaded"],
	] as [string, ReplyItem[], string][])(
		"ST2: %s admits nothing, though its host settles",
		async (_how, end, problem) => {
			const { engine, entered, ledger } = benchOf();
			const step = engine.openStep();
			for (const item of [...wholly(0, { ...zero, name: "write" }), ...end]) step.feed(item);
			expect(await step.settle([zero])).toMatchObject({ status: "aborted", results: [], problem });
			expect([entered, await linesOf(ledger)]).toEqual([[], []]);
		},
	);

	it("ST2: that was cut by its length accounts each whole call as incomplete, though its host settles", async () => {
		const { engine } = benchOf();
		const step = engine.openStep();
		for (const item of [...wholly(0, zero), { kind: "end", good: false, cut: "length" } as const]) step.feed(item);
		expect(shorts(await step.settle())).toEqual(["RESPONSE_INCOMPLETE"]);
	});

	it("starts nothing once the reply has ended, and takes no more once it is settled", async () => {
		const { engine, held, entered } = benchOf({ maxParallelToolCalls: 1 });
		const step = engine.openStep();
		for (const item of [...wholly(0, zero), ...wholly(1, one), GOOD]) step.feed(item);
		held.releaseAll();
		await settled();
		expect(entered).toEqual(["read 0"]);
		const wave = step.settle();
		expect(() => step.feed(GOOD)).toThrow(expect.objectContaining({ code: "STEP_CLOSED" }));
		await settled();
		held.releaseAll();
		expect(shorts(await wave)).toEqual(["0", "1"]);
	});

	it("reads deltas only where it is asked for them, and they are the beginning of the arguments", async () => {
		const reply = recordedReply([{ name: "read", args: { text: "a longer argument" } }]);
		const kinds: string[] = [];
		for await (const { kind } of readStream("anthropic", reply)) kinds.push(kind);
		expect(kinds).not.toContain("call-delta");
		let text = "";
		let whole = "";
		for await (const item of readStream("anthropic", reply, { deltas: true })) {
			if (item.kind === "call-delta") text += item.delta;
			if (item.kind === "call-closed") whole = item.argsText;
		}
		expect(whole).not.toBe("");
		expect(text).toBe(whole);
	});
});
