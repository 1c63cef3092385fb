// Runs that had paused, or asked, when their process ended.

import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../engine/core/json-value.js";
import { definePolicy, type Ledger, memoryLedger, type RecordedEntry, recover } from "../../engine/index.js";
import { cutBefore, linesIn, recordsOf, recovered, recoveredWave, sketchOf } from "../support/crash-kit.js";
import { benchOf, callsOf, shorts, toolOf } from "../support/law-kit.js";
import { asking, gatedTools, idsOf, lasting, reloaded } from "../support/pause-kit.js";

/** A ledger whose wave `ask 0`, `put 1` paused with a question, and what ran. */
async function paused(calls = ["note 1", "ask 0", "put 2"]) {
	const ledger = memoryLedger();
	const did: string[] = [];
	const tools = [
		asking("ask", 1, { effect: "write", isConcurrencySafe: true }).tool,
		toolOf("put", ({ n = 0 }) => did.push(`put ${n}`), { effect: "write" }),
		toolOf("note", ({ n = 0 }) => did.push(`note ${n}`), { effect: "write", isConcurrencySafe: true }),
	];
	const { engine } = benchOf({ tools, ledger: lasting(ledger) });
	const wave = await engine.executeWave(callsOf(...calls), { runId: "r" });
	expect(wave.status).toBe("paused");
	return { ledger, did, tools, engine, wave };
}

describe("a run that was paused", () => {
	it("is paused: its checkpoint is the one that its wave gave, but for how calls were run", async () => {
		const { ledger, wave } = await paused(["ask 0", "note 1", "put 2"]);
		const { toolExecution: _execution, digest: _digest, ...given } = reloaded(wave.checkpoint);
		const { digest: _other, ...found } = reloaded(await recoveredWave(ledger, "r"));
		expect(found).toEqual(given);
	});

	it("pauses again where it has no answer, and nothing runs", async () => {
		const { ledger, did, tools } = await paused();
		const { wave } = await recovered(ledger, { tools });
		expect([wave.status, idsOf(wave)]).toEqual(["paused", ["r/0/1/1"]]);
		expect(did).toEqual(["note 1"]);
	});

	it("goes on with its answers: what had finished does not run again", async () => {
		const { ledger, did, tools } = await paused(["ask 0", "note 1", "put 2"]);
		const { wave } = await recovered(ledger, { tools }, { answers: { "r/0/0/1": "yes" } });
		expect(shorts(wave)).toEqual(['["yes"]', "1", "2"]);
		expect(did).toEqual(["note 1", "put 2"]);
	});

	it("RH2: and whose last lines were lost has no write that waits for its answer taken for one that ran", async () => {
		const { ledger, tools } = await paused(["ask 0", "put 2"]);
		const cut = await cutBefore(ledger, "run_paused");
		expect(await sketchOf(cut)).toEqual(["model_returned", "intent 0", "question_asked 0"]);
		const { wave } = await recovered(cut, { tools });
		expect(idsOf(wave)).toEqual(["r/0/0/1"]);
		const rest = await recovered(cut, { tools }, { answers: { "r/0/0/1": "yes" } });
		expect(shorts(rest.wave)).toEqual(['["yes"]', "1"]);
	});

	it("RH2: runs a write that its question had kept from starting, though its intent stood", async () => {
		const tools = [
			asking("ask", 1, { effect: "write", isConcurrencySafe: true }).tool,
			toolOf("put", ({ n = 0 }) => n, { effect: "write", isConcurrencySafe: true }),
		];
		const ledger = memoryLedger();
		const first = benchOf({ tools, ledger: lasting(ledger), maxParallelToolCalls: 1 });
		await first.engine.executeWave(callsOf("ask 0", "put 1"), { runId: "r" });
		expect(await sketchOf(ledger)).toContain("intent 1");
		const { wave } = await recovered(ledger, { tools }, { answers: { "r/0/0/1": "yes" } });
		expect(shorts(wave)).toEqual(['["yes"]', "1"]);
	});

	it("RV1: and died after it was resumed has its answers, and its writes that had begun are not known", async () => {
		const { ledger, tools, engine, wave } = await paused(["ask 0", "put 2"]);
		await engine.resume(reloaded(wave.checkpoint), { answers: { "r/0/0/1": "yes" } });
		const sketch = await sketchOf(ledger);
		expect(sketch.slice(3)).toEqual([
			...["run_paused", "run_resumed", "answer_received", "intent 0", "tool_called 0", "tool_result 0", "intent 1"],
			...["tool_called 1", "tool_result 1"],
		]);
		const records = await recordsOf(ledger);
		const outcomes: string[][] = [];
		for (const left of [6, 7, 9, 10]) {
			const cut = memoryLedger();
			cut.append(records.slice(0, left));
			const { wave: rest } = await recovered(cut, { tools });
			outcomes.push(shorts(rest));
		}
		expect(outcomes).toEqual([
			['["yes"]', "2"],
			["OUTCOME_UNKNOWN", "3"],
			['["yes"]', "4"],
			['["yes"]', "OUTCOME_UNKNOWN"],
		]);
	});

	it("and asked through a call that it made has the question, and the answer reaches that call", async () => {
		const outer = toolOf("outer", async (_args, { invokeTool }) => invokeTool("ask", { n: 3 }), { mayAsk: true });
		const tools = [outer, asking("ask", 1).tool];
		const ledger = memoryLedger();
		const first = benchOf({ tools, ledger: lasting(ledger) });
		await first.engine.executeWave(callsOf("outer"), { runId: "r" });
		const { questions } = await recover(ledger, "r");
		expect(questions).toEqual([{ id: "r/0/0.0/1", index: 0, question: "about 3, 1" }]);
		const { wave } = await recovered(ledger, { tools }, { answers: { "r/0/0.0/1": "yes" } });
		expect(shorts(wave)).toEqual(['["yes"]']);
	});

	it("keeps what a person had approved for always", async () => {
		const { tools, did } = gatedTools();
		const ledger = memoryLedger();
		const first = benchOf({ tools, ledger: lasting(ledger) });
		const wave = await first.engine.executeWave(callsOf("send 1", "send 2"), { runId: "r" });
		const answers = { [idsOf(wave)[0] ?? ""]: { approve: true, always: true } };
		await first.engine.resume(reloaded(wave.checkpoint), { answers });
		const cut = await cutBefore(ledger, "intent 0");
		did.length = 0;
		const { wave: rest, engine } = await recovered(cut, { tools });
		expect([rest.status, did]).toEqual(["done", ["send 1", "send 2"]]);
		const later = await engine.executeWave(callsOf("send 3"), { runId: "r", step: 1 });
		expect(later.status).toBe("done");
	});
});

describe("a run whose host answers while it waits", () => {
	async function ended(tools: readonly ReturnType<typeof toolOf>[], calls: string[]): Promise<Ledger> {
		const ledger = memoryLedger();
		const { engine } = benchOf({ tools: [...tools], ledger: lasting(ledger), asker: () => true });
		await engine.executeWave(callsOf(...calls), { runId: "r" });
		return ledger;
	}

	it("asks nobody twice after a crash", async () => {
		const { tools, did } = gatedTools();
		const ask = asking("ask", 2);
		const ledger = await ended([...tools, ask.tool], ["gated 1", "ask 2", "plain 3"]);
		const cut = await cutBefore(ledger, "tool_called 1");
		did.length = 0;
		const asked: unknown[] = [];
		const asker = (question: unknown) => asked.push(question);
		const { wave } = await recovered(cut, { tools: [...tools, ask.tool], asker });
		expect(shorts(wave)).toEqual(["1", "[true,true]", "3"]);
		expect(asked).toEqual([]);
		expect(await linesIn(cut)).toEqual(await linesIn(ledger));
	});

	it("RV2: is asked again where a policy kept the answer out of the ledger", async () => {
		const hiding = definePolicy({
			name: "hiding",
			record: ({ data }: RecordedEntry) => (data.answer === undefined ? data : { ...data, answer: "[hidden]" }),
		});
		const { tool } = asking("ask", 1);
		const ledger = memoryLedger();
		const first = benchOf({ tools: [tool], ledger: lasting(ledger), policies: [hiding], asker: () => "a password" });
		await first.engine.executeWave(callsOf("ask 1"), { runId: "r" });
		const cut = await cutBefore(ledger, "tool_called 0");
		const says: JsonValue = "once more";
		const { wave } = await recovered(cut, { tools: [tool], policies: [hiding], asker: () => says });
		expect(shorts(wave)).toEqual(['["once more"]']);
	});
});
