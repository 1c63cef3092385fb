// A run that pauses, and goes on from its checkpoint: in the same engine, in another, after a reload.

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
	type Engine,
	fileLedger,
	type Message,
	memoryLedger,
	type RunCheckpoint,
	type RunResult,
	type ScriptedReply,
	scriptedModel,
} from "../../engine/index.js";
import { temporaryFolders } from "../ledger/temporary-folder.js";
import { benchOf, canonicalOf, entriesOf, short, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";
import { asking, lasting } from "../support/pause-kit.js";

const folder = temporaryFolders();
const asks = (...names: string[]) => ({ calls: names.map((name, n) => ({ name, args: { n } })) });

const SCRIPT: ScriptedReply[] = [
	{ text: "first", ...asks("put", "ask", "put") },
	{ text: "second", ...asks("ask", "gated") },
	"done",
];

function family() {
	const did: string[] = [];
	const put = toolOf("put", ({ n = 0 }) => void did.push(`put ${n}`), { effect: "write" });
	const gated = toolOf("gated", () => did.push("gated"), { requiresApproval: true });
	return { did, tools: [put, gated, asking("ask", 1).tool] };
}

function told(messages: readonly Message[]): string[] {
	return messages.map((message) => {
		if (message.role === "tool") return short(message.outcome);
		return message.role === "assistant" ? `model ${message.text}` : message.text;
	});
}

function checkpointOf(run: RunResult): RunCheckpoint {
	if (run.status !== "paused") throw new Error(`the run is ${run.status}`);
	return JSON.parse(JSON.stringify(run.checkpoint)) as RunCheckpoint;
}

const answersTo = ({ questions }: Pick<RunCheckpoint, "questions">) =>
	Object.fromEntries(questions.map(({ id, question }) => [id, typeof question === "string" ? `to ${id}` : true]));

/** Until nothing is asked, each time in the engine that `next` gives. */
async function through(run: RunResult, next: () => Promise<Engine>): Promise<RunResult> {
	let now = run;
	while (now.status === "paused") {
		const checkpoint = checkpointOf(now);
		const engine = await next();
		now = await engine.resume(checkpoint, { model: scriptedModel(SCRIPT), answers: answersTo(checkpoint) });
	}
	return now;
}

describe("a run that pauses", () => {
	it("says what it asks, and keeps the reply whose calls wait out of the conversation", async () => {
		const { did, tools } = family();
		const { engine } = benchOf({ tools });
		const run = await engine.run({ model: scriptedModel(SCRIPT), input: "x", runId: "r" });
		expect(run).toMatchObject({
			status: "paused",
			text: "first",
			steps: 1,
			questions: [{ id: "r/0/1/1", index: 1, question: "about 1, 1" }],
			checkpoint: { kind: "run", runId: "r", step: 0 },
		});
		expect(told(run.messages)).toEqual(["x"]);
		expect(did).toEqual(["put 0"]);
	});

	it("goes on first with its wave, then with the model, and nothing that had ended runs again", async () => {
		const { did, tools } = family();
		const { engine } = benchOf({ tools });
		const paused = await engine.run({ model: scriptedModel(SCRIPT), input: "x", runId: "r" });
		const run = await through(paused, async () => engine);
		expect(run).toMatchObject({ status: "done", steps: 3, runId: "r" });
		expect(told(run.messages)).toEqual([
			"x",
			"model first",
			"nothing",
			'["to r/0/1/1"]',
			"nothing",
			"model second",
			'["to r/1/0/1"]',
			"3",
			"model done",
		]);
		expect(did).toEqual(["put 0", "put 2", "gated"]);
	});

	it("in other processes has the ledger and the result of a run that was never interrupted", async () => {
		const path = join(folder(), "ledger");
		const { tools } = family();
		const first = benchOf({ tools, ledger: fileLedger(path) });
		const paused = await first.engine.run({ model: scriptedModel(SCRIPT), input: "x", runId: "r" });
		let last = first.engine;
		const run = await through(paused, async () => {
			await last.close();
			last = benchOf({ tools, ledger: fileLedger(path) }).engine;
			return last;
		});
		await last.close();
		const ledger = memoryLedger();
		const asker = ({ id, question }: { id: string; question: unknown }) =>
			typeof question === "string" ? `to ${id}` : true;
		const unbroken = benchOf({ tools: family().tools, ledger, asker });
		const reference = await unbroken.engine.run({ model: scriptedModel(SCRIPT), input: "x", runId: "r" });
		expect(told(run.messages)).toEqual(told(reference.messages));
		const written = (lines: string[]) => lines.filter((line) => line !== "");
		expect(written(await canonicalOf(fileLedger(path)))).toEqual(written(await canonicalOf(ledger)));
	});

	it("keeps how its calls ran, its limits, and the time that it has used", async () => {
		const { tool } = asking("ask", 1);
		const { engine, clock, held } = benchOf({ tools: [tool] });
		const model = scriptedModel([asks("read"), asks("ask"), asks("read"), "never"]);
		const options = { maxSteps: 3, parallelToolCalls: false, timeouts: { totalMs: 100, toolMs: 90 } };
		const run = engine.run({ model, input: "x", ...options });
		await clock.pass(40);
		held.releaseAll();
		const checkpoint = checkpointOf(await run);
		expect(checkpoint.toolExecution).toMatchObject({ schedule: "serial", timeouts: { totalMs: 100, toolMs: 90 } });
		const elsewhere = async (passMs: number, own: object = {}) => {
			const other = benchOf({ tools: [tool] });
			await other.clock.pass(1_000);
			const rest = other.engine.resume(checkpoint, { model, answers: answersTo(checkpoint), ...own });
			await other.clock.pass(passMs);
			other.held.releaseAll();
			return rest;
		};
		expect(await elsewhere(59)).toMatchObject({ status: "limit", limit: "maxSteps", steps: 3 });
		expect(await elsewhere(60)).toMatchObject({ status: "limit", limit: "totalMs", steps: 3 });
		const own = { timeouts: { totalMs: 1_000 }, maxSteps: 4 };
		expect(await elsewhere(80, own)).toMatchObject({ status: "done", steps: 4 });
	});

	it("keeps a steer that came before the pause and is written nowhere", async () => {
		const { tool } = asking("ask", 1);
		const { engine, held } = benchOf({ tools: [tool] });
		const model = scriptedModel([asks("read", "ask"), "done"]);
		const run = engine.run({ model, input: "x" });
		await settled();
		run.steer("mind the gap");
		held.releaseAll();
		const checkpoint = checkpointOf(await run);
		expect(run.steer("too late")).toBe(false);
		const rest = await engine.resume(checkpoint, { model, answers: answersTo(checkpoint) });
		expect(told(rest.messages).slice(-2)).toEqual(["mind the gap", "model done"]);
	});

	it("is answered in parts, by id", async () => {
		const { tool } = asking("ask", 1);
		const { engine } = benchOf({ tools: [tool] });
		const model = scriptedModel([asks("ask", "ask"), "done"]);
		const paused = checkpointOf(await engine.run({ model, input: "x", runId: "r" }));
		const half = checkpointOf(await engine.resume(paused, { model, answers: { "r/0/1/1": "B" } }));
		expect(half.questions.map(({ id }) => id)).toEqual(["r/0/0/1"]);
		const run = await engine.resume(half, { model, answers: { "r/0/0/1": "A" } });
		expect(told(run.messages)).toEqual(["x", "model ", '["A"]', '["B"]', "model done"]);
	});
});

describe("a run's checkpoint", () => {
	it("CH1: that was changed, is a wave's, or goes on without a model is refused, and nothing runs", async () => {
		const { did, tools } = family();
		const ledger = memoryLedger();
		const { engine } = benchOf({ tools, ledger: lasting(ledger) });
		const model = scriptedModel(SCRIPT);
		const good = checkpointOf(await engine.run({ model, input: "x", runId: "r" }));
		const before = (await entriesOf(ledger)).length;
		const text = JSON.stringify(good);
		for (const wrong of [
			{ ...good, runId: "other" },
			JSON.parse(text.replace('"text":"x"', '"text":"y"')),
			JSON.parse(text.replace('"name":"put"', '"name":"pat"')),
			{ ...good, content: null },
		]) {
			const resuming = engine.resume(wrong as RunCheckpoint, { model, answers: answersTo(good) });
			await expect(resuming).rejects.toMatchObject({ code: "INVALID_CHECKPOINT" });
		}
		for (const bare of [{}, null]) {
			await expect(engine.resume(good, bare as never)).rejects.toMatchObject({ code: "INVALID_OPTIONS" });
		}
		const foreign = engine.resume(good, { model, answers: { "r/9/9/9": 1 } });
		await expect(foreign).rejects.toMatchObject({ code: "INVALID_ANSWER" });
		expect(await entriesOf(ledger)).toHaveLength(before);
		expect(did).toEqual(["put 0"]);
	});

	it("keeps large values beside a ledger that keeps such", async () => {
		const path = join(folder(), "ledger");
		const large = toolOf("large", () => "x".repeat(200_000));
		const bytes = toolOf("bytes", () => new Uint8Array(300_000).fill(7));
		const tools = [large, bytes, asking("ask", 1).tool];
		const { engine } = benchOf({ tools, ledger: fileLedger(path) });
		const model = scriptedModel([asks("large", "bytes"), asks("large", "ask"), "done"]);
		const checkpoint = checkpointOf(await engine.run({ model, input: "x" }));
		expect(JSON.stringify(checkpoint).length).toBeLessThan(10_000);
		const run = await engine.resume(checkpoint, { model, answers: answersTo(checkpoint) });
		const lengths = run.messages.flatMap((message) => {
			if (message.role !== "tool" || !message.outcome.ok) return [];
			return [(message.outcome.value as { length: number }).length];
		});
		expect(lengths).toEqual([200_000, 300_000, 200_000, 1]);
	});
});
