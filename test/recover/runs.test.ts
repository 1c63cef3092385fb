// Runs of a model whose process ended at any of their records: recovered, and gone on with in another engine.

import { describe, expect, it } from "vitest";
import {
	type EngineOptions,
	type Ledger,
	type Message,
	memoryLedger,
	type RunCheckpoint,
	type RunResult,
	type RunResumeOptions,
	recover,
	type ScriptedReply,
	scriptedModel,
	type Tool,
} from "../../engine/index.js";
import { cutAt, cutBefore, linesIn, recordsOf, sketchOf } from "../support/crash-kit.js";
import { type Bench, benchOf, short, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";
import { asking, lasting } from "../support/pause-kit.js";

const asks = (...names: string[]) => ({ calls: names.map((name, n) => ({ name, args: { n } })) });

function family(): { readonly did: string[]; readonly tools: Tool[] } {
	const did: string[] = [];
	const does = (name: string, rest = {}) => {
		const execute = ({ n = 0 }) => {
			did.push(`${name} ${n}`);
			return n;
		};
		return toolOf(name, execute, rest);
	};
	return { did, tools: [does("look"), does("put", { effect: "write" })] };
}

const SCRIPT: readonly ScriptedReply[] = [{ text: "first", ...asks("look", "put") }, asks("look"), "done"];

async function recoveredRun(ledger: Ledger | string, runId = "r"): Promise<RunCheckpoint> {
	const checkpoint = await recover(ledger, runId);
	if (checkpoint.kind !== "run") throw new Error(`the checkpoint is of kind ${checkpoint.kind}`);
	return JSON.parse(JSON.stringify(checkpoint)) as RunCheckpoint;
}

interface Resumed extends Bench {
	readonly run: RunResult;
	readonly asked: number;
}

async function goneOn(
	ledger: Ledger,
	options: Partial<EngineOptions> & { readonly script?: readonly ScriptedReply[] } = {},
	resume: Partial<RunResumeOptions> = {},
): Promise<Resumed> {
	const { script = SCRIPT, ...engineOptions } = options;
	const model = scriptedModel(script);
	const bench = benchOf({ ...engineOptions, ledger: lasting(ledger) });
	const run = await bench.engine.resume(await recoveredRun(ledger), { model, ...resume });
	return { ...bench, ledger, run, asked: model.requests.length };
}

/** The ledger of a run that nobody cut, and its result. */
async function uncut(tools: readonly Tool[], script = SCRIPT, options: Partial<EngineOptions> = {}) {
	const ledger = memoryLedger();
	const { engine } = benchOf({ ...options, tools, ledger: lasting(ledger) });
	const run = await engine.run({ model: scriptedModel(script), input: "x", runId: "r" });
	return { ledger, run };
}

function told({ messages }: { readonly messages: readonly Message[] }): string[] {
	return messages.map((message) => {
		if (message.role === "tool") return short(message.outcome);
		return message.role === "assistant" ? `model ${message.text}` : message.text;
	});
}

describe("a run of a model that is recovered", () => {
	it("from any of its records ends with the lines and the conversation of a run that nobody cut", async () => {
		const whole = await uncut(family().tools);
		const records = await recordsOf(whole.ledger);
		const lines = await linesIn(whole.ledger);
		for (let left = 1; left <= records.length; left += 1) {
			const cut = await cutAt(whole.ledger, left);
			const hasBegun = records[left - 1]?.kind === "intent" || records[left - 2]?.kind === "intent";
			const { run } = await goneOn(cut, { tools: family().tools });
			expect([left, run.status, run.steps, run.text]).toEqual([left, "done", 3, "done"]);
			if (hasBegun) continue;
			expect(await linesIn(cut)).toEqual(lines);
			expect(told(run)).toEqual(told(whole.run));
		}
	});

	it("asks a model again whose reply the ledger does not hold, and writes its request once", async () => {
		const { tools, did } = family();
		const { ledger } = await uncut(tools);
		const cut = await cutAt(ledger, 2);
		expect(await sketchOf(cut)).toEqual(["run_started", "model_called"]);
		did.length = 0;
		const { asked } = await goneOn(cut, { tools });
		expect([asked, did]).toEqual([3, ["look 0", "put 1", "look 0"]]);
		expect((await sketchOf(cut)).filter((line) => line === "model_called")).toHaveLength(3);
	});

	it("asks no model for a reply that stands", async () => {
		const { ledger } = await uncut(family().tools);
		const sketch = await sketchOf(ledger);
		const asked: number[] = [];
		for (const last of [sketch.indexOf("model_returned"), sketch.indexOf("tool_result 1"), sketch.length - 2]) {
			const cut = await cutAt(ledger, last + 1);
			asked.push((await goneOn(cut, { tools: family().tools })).asked);
		}
		expect(asked).toEqual([2, 2, 0]);
	});

	it("does not know what a write did that had begun, and tells its model so", async () => {
		const { tools, did } = family();
		const { ledger } = await uncut(tools);
		did.length = 0;
		const cut = await cutBefore(ledger, "tool_called 1");
		const { run } = await goneOn(cut, { tools });
		expect(told(run)).toEqual(["x", "model first", "0", "OUTCOME_UNKNOWN", "model ", "0", "model done"]);
		expect(did).toEqual(["look 0"]);
	});

	it("that had ended is resumed to how it ended: nothing runs, and nothing is written", async () => {
		const ends: {
			readonly script: readonly ScriptedReply[];
			readonly maxSteps?: number;
			readonly stop?: () => boolean;
		}[] = [
			{ script: SCRIPT },
			{ script: SCRIPT, maxSteps: 1 },
			{ script: SCRIPT, stop: () => true },
			{ script: [{ text: "half", cut: "filtered" }] },
			{ script: [] },
		];
		for (const { script, ...rest } of ends) {
			const { tools, did } = family();
			const ledger = memoryLedger();
			const { engine } = benchOf({ tools, ledger: lasting(ledger) });
			const first = await engine.run({ model: scriptedModel(script), input: "x", runId: "r", ...rest });
			const before = await recordsOf(ledger);
			did.length = 0;
			const { run, asked } = await goneOn(ledger, { tools, script });
			expect({ ...run, error: undefined }).toEqual({ ...first, error: undefined });
			expect([asked, did, await recordsOf(ledger)]).toEqual([0, [], before]);
		}
	});

	it("that was aborted stays so: its model is asked nothing more, and the line of it stands once", async () => {
		const ledger = memoryLedger();
		const { engine } = benchOf({ ledger: lasting(ledger) });
		const script = [asks("read", "write"), "never"];
		const running = engine.run({ model: scriptedModel(script), input: "x", runId: "r" });
		await settled();
		running.abort(new Error("enough"));
		await running;
		const lines = await linesIn(ledger);
		const records = await recordsOf(ledger);
		const from = (await sketchOf(ledger)).indexOf("cancel_received") + 1;
		expect(from).toBeGreaterThan(0);
		for (let left = from; left <= records.length; left += 1) {
			const cut = await cutAt(ledger, left);
			const { run, asked, entered } = await goneOn(cut, { script });
			expect([run.status, asked, entered]).toEqual(["aborted", 0, []]);
			expect(String((run as { reason?: unknown }).reason)).toContain("enough");
			const code = (line: string) => line.replaceAll(/"tool_result".*|.*"tool_result"}/g, "result");
			expect((await linesIn(cut)).map(code)).toEqual(lines.map(code));
		}
	});

	it("asks `stop` about a step of which nobody knows whether it was asked", async () => {
		const { ledger } = await uncut(family().tools);
		const cut = await cutAt(ledger, 8);
		const steps: number[] = [];
		const stop = ({ steps: taken }: { readonly steps: number }) => steps.push(taken) > 0;
		const { run } = await goneOn(cut, { tools: family().tools }, { stop });
		expect([run.status, run.steps, steps]).toEqual(["stopped", 1, [1]]);
		const asked = await cutAt(ledger, 9);
		const { run: rest } = await goneOn(asked, { tools: family().tools }, { stop });
		expect([rest.status, steps]).toEqual(["stopped", [1, 2]]);
	});

	it("has used the time that its ledger says, without the time that nobody was there", async () => {
		const script = [asks("read"), asks("read"), asks("read"), "done"];
		const model = scriptedModel(script);
		const timeouts = { totalMs: 100 };
		let ledger: Ledger = memoryLedger();
		// Two lives of forty milliseconds, a long time between them, and a third that may last twenty, tried twice.
		for (const [life, passedMs] of [40, 40, 19, 21].entries()) {
			const { clock, engine, held } = benchOf({ ledger: lasting(ledger) });
			await clock.pass(10_000 * life);
			const run =
				life === 0
					? engine.run({ model, input: "x", runId: "r", timeouts })
					: engine.resume(await recoveredRun(ledger), { model, timeouts });
			await clock.pass(passedMs);
			held.releaseAll();
			await settled();
			if (life >= 2) expect(await run).toMatchObject({ status: life === 2 ? "done" : "limit" });
			const sketch = await sketchOf(ledger);
			// What the third life wrote is left out for the fourth.
			ledger = await cutAt(ledger, life === 2 ? sketch.lastIndexOf("run_resumed") : sketch.length);
		}
	});

	it("begins again where it had come to, in a conversation with bytes and earlier calls", async () => {
		const bytes = new Uint8Array([1, 2, 3]);
		const input: Message[] = [
			{ role: "system", text: "be brief" },
			{ role: "assistant", text: "", calls: [{ id: "a", name: "look", args: {} }] },
			{ role: "tool", id: "a", name: "look", index: 0, outcome: { ok: true, value: bytes } },
			{ role: "user", text: "x" },
		];
		const ledger = memoryLedger();
		const { engine } = benchOf({ ledger: lasting(ledger) });
		await engine.run({ model: scriptedModel(["", "done"]), input, runId: "r" });
		const { run } = await goneOn(await cutAt(ledger, 1), { script: ["", "done"] });
		expect(run.messages.slice(0, -1)).toEqual(input);
	});

	it("is told from waves that a host runs by itself by its first line", async () => {
		const { ledger } = await uncut(family().tools);
		const { engine } = benchOf({ tools: family().tools, ledger: lasting(ledger) });
		expect((await recover(ledger, "r")).kind).toBe("run");
		await engine.executeWave([{ id: "0", name: "look", args: {} }], { runId: "w" });
		expect((await recover(ledger, "w")).kind).toBe("wave");
		await expect(recover(ledger, "none")).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
	});
});

describe("a run that had paused when its process ended", () => {
	const script = [asks("put", "ask", "put"), "done"];
	const withAsk = () => {
		const { did, tools } = family();
		return { did, tools: [...tools, asking("ask", 1).tool] };
	};

	it("is paused with its questions, and goes on with their answers", async () => {
		const { did, tools } = withAsk();
		const { ledger } = await uncut(tools, script);
		const checkpoint = await recoveredRun(ledger);
		expect(checkpoint.questions).toEqual([{ id: "r/0/1/1", index: 1, question: "about 1, 1" }]);
		const again = await goneOn(ledger, { tools, script });
		expect([again.run.status, again.asked]).toEqual(["paused", 0]);
		const { run } = await goneOn(ledger, { tools, script }, { answers: { "r/0/1/1": "yes" } });
		expect(told(run)).toEqual(["x", "model ", "0", '["yes"]', "2", "model done"]);
		expect(did).toEqual(["put 0", "put 2"]);
	});

	it("keeps a steer that it had taken and not written, until its line stands", async () => {
		const ledger = memoryLedger();
		const { tools } = withAsk();
		const { engine, held } = benchOf({ tools, ledger: lasting(ledger) });
		const steered = [asks("read", "ask", "put"), "done"];
		const running = engine.run({ model: scriptedModel(steered), input: "x", runId: "r" });
		await settled();
		running.steer("mind the gap");
		held.releaseAll();
		expect((await running).status).toBe("paused");
		const answers = { "r/0/1/1": "yes" };
		const first = await goneOn(ledger, { tools: withAsk().tools, script: steered }, { answers });
		const messages = ["x", "model ", "0", '["yes"]', "2", "mind the gap", "model done"];
		expect(told(first.run)).toEqual(messages);
		const lines = await linesIn(ledger);
		expect(lines.filter((line) => line.includes("mind the gap"))).toHaveLength(1);
		for (const place of ["answer_received", "steer_received", "tool_called 2", "model_called"]) {
			const sketch = await sketchOf(ledger);
			const left = place === "model_called" ? sketch.lastIndexOf(place) : sketch.indexOf(place);
			const cut = await cutAt(ledger, left);
			const resume = place === "answer_received" ? { answers } : {};
			const { run } = await goneOn(cut, { tools: withAsk().tools, script: steered }, resume);
			const unknown = messages.with(4, "OUTCOME_UNKNOWN");
			// The write behind the question had begun before its lines, and the steer's, were written.
			expect(told(run)).toEqual(place === "steer_received" || place === "tool_called 2" ? unknown : messages);
			expect((await linesIn(cut)).filter((line) => line.includes("mind the gap"))).toHaveLength(1);
		}
	});

	it("refuses an answer to a question that nobody asked, also where it is in no wave", async () => {
		const { ledger } = await uncut(family().tools);
		const cut = await cutAt(ledger, 2);
		const { engine } = benchOf({ tools: family().tools, ledger: lasting(cut) });
		const resuming = engine.resume(await recoveredRun(cut), {
			model: scriptedModel(SCRIPT),
			answers: { "r/0/0/1": 1 },
		});
		await expect(resuming).rejects.toMatchObject({ code: "INVALID_ANSWER" });
	});
});
