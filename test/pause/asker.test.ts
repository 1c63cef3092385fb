// The host's asker: one question at a time, its limit, its silence, and a host that has none.

import { describe, expect, it } from "vitest";
import { type AskedQuestion, definePolicy, type JsonObject } from "../../engine/index.js";
import { HeldWork } from "../support/held-work.js";
import { benchOf, callsOf, entriesOf, shorts, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";
import { gatedTools } from "../support/pause-kit.js";

describe("an asker", () => {
	it("QU1, IR1: is given one question at a time, in call order, over all waves of its engine", async () => {
		const held = new HeldWork();
		const asked: string[] = [];
		const asker = async ({ id }: { id: string }) => {
			asked.push(id);
			await held.hold(id);
			return true;
		};
		const { engine } = benchOf({ tools: gatedTools().tools, asker });
		const waves = ["a", "b"].map((runId) => engine.executeWave(callsOf("gated 0", "send 1"), { runId }));
		await settled();
		for (let answered = 1; answered < 4; answered += 1) {
			expect(held.waiting).toHaveLength(1);
			held.releaseAll();
			await settled();
		}
		held.releaseAll();
		await Promise.all(waves);
		expect(asked.filter((id) => id.startsWith("a"))).toEqual(["a/0/0/0", "a/0/1/0"]);
		expect(asked).toHaveLength(4);
	});

	it("is given data and nothing else, and whatever it does to that is seen by nobody", async () => {
		const seen: unknown[] = [];
		const asker = (asked: AskedQuestion) => {
			seen.push(structuredClone(asked));
			Object.assign(asked.question as JsonObject, { tool: "other", args: {} });
			return true;
		};
		const { engine, ledger } = benchOf({ tools: gatedTools().tools, asker });
		await engine.executeWave(callsOf("gated 7"), { runId: "r" });
		const question = { kind: "approval", tool: "gated", args: { n: 7 } };
		expect(seen).toEqual([{ id: "r/0/0/0", index: 0, question: expect.objectContaining(question) }]);
		const line = (await entriesOf(ledger)).find(({ kind }) => kind === "question_asked");
		expect(line?.data.question).toMatchObject(question);
	});

	it("IR2: that says nothing in its time, throws, or says what is no answer, leaves its call NOT_ANSWERED", async () => {
		const say = [
			() => new Promise(() => undefined),
			() => undefined,
			() => "perhaps",
			() => Promise.reject(new Error("closed")),
		];
		const asker = ({ index }: { index: number }) => say[index]?.();
		const { engine, clock } = benchOf({ tools: gatedTools().tools, asker, timeouts: { askMs: 50 } });
		const wave = engine.executeWave(callsOf("gated 0", "gated 1", "gated 2", "gated 3", "plain 4"));
		await clock.pass(49);
		await clock.pass(1);
		expect(shorts(await wave)).toEqual(["NOT_ANSWERED", "NOT_ANSWERED", "NOT_ANSWERED", "NOT_ANSWERED", "4"]);
		expect(clock.timersSet).toBe(0);
	});

	it("Law 10: has its time told as personMs, and none of it counts toward a tool's limit", async () => {
		const held = new HeldWork();
		const asker = async () => {
			await held.hold("person");
			return "fine";
		};
		const patient = toolOf("patient", (_args, { interrupt }) => interrupt("?"), { mayAsk: true, timeout: 10 });
		const { engine, clock } = benchOf({ tools: [patient], asker });
		const wave = engine.executeWave(callsOf("patient"));
		await clock.pass(5_000);
		held.releaseAll();
		const { results } = await wave;
		expect(results[0]).toMatchObject({ outcome: { ok: true, value: "fine" } });
		expect(results[0]?.timing).toEqual({ gateMs: 0, lockMs: 0, slotMs: 0, personMs: 5_000, ranMs: 0 });
	});

	it("hears of an abort by its signal, and nothing that waited for it runs", async () => {
		const controller = new AbortController();
		const signals: AbortSignal[] = [];
		const asker = (_question: unknown, signal: AbortSignal) => {
			signals.push(signal);
			return new Promise(() => undefined);
		};
		const begun = toolOf("begun", (_args, { interrupt }) => interrupt("?"));
		const { did, tools: own } = gatedTools();
		const { engine, clock } = benchOf({ tools: [...own, begun], asker });
		const early = engine.executeWave(callsOf("gated 1", "read 2"), { signal: controller.signal });
		await settled();
		controller.abort(new Error("enough"));
		expect(shorts(await early)).toEqual(["ABORTED_BEFORE_DISPATCH", "ABORTED_BEFORE_DISPATCH"]);
		expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
		expect(did).toEqual([]);
		const second = new AbortController();
		const late = engine.executeWave(callsOf("begun"), { signal: second.signal });
		await clock.pass(1);
		second.abort(new Error("enough"));
		expect(await late).toMatchObject({ status: "aborted", results: [{ outcome: { error: { code: "ABORTED" } } }] });
	});

	it("that is none has approvals, questions and policies denied by the rule no-asker, as has a tool by itself", async () => {
		const asks = toolOf("asks", (_args, { interrupt }) => interrupt("?"));
		const own = [...gatedTools().tools, asks];
		const policy = definePolicy({ name: "wary", admit: ({ name }) => (name === "plain" ? { ask: "?" } : "clear") });
		const { engine } = benchOf({ tools: own, policies: [policy], asker: "none" });
		const { results } = await engine.executeWave(callsOf("gated", "asks", "plain"));
		const denied = { ok: false, error: { code: "DENIED", details: { rule: "no-asker" } } };
		expect(results.map(({ outcome }) => outcome)).toMatchObject([denied, denied, denied]);
		const standing = benchOf({ tools: own, policies: [policy] });
		for (const name of ["gated", "asks", "plain"]) {
			const alone = standing.engine.invokeTool(name, {});
			await expect(alone).rejects.toMatchObject({
				code: "DENIED",
				outcome: { error: { details: { rule: "no-asker" } } },
			});
		}
	});
});
