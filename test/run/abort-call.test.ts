// The abort of one call of a run, in every state that a call can be in. The calls beside it go on.

import { AsyncLocalStorage } from "node:async_hooks";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
	createEngine,
	KeyedLock,
	type Message,
	type ModelRequest,
	memoryLedger,
	type RunCheckpoint,
	scriptedModel,
	tool,
} from "../../engine/index.js";
import { HeldWork } from "../support/held-work.js";
import { benchOf, short, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";
import { asking } from "../support/pause-kit.js";

const asks = (...names: string[]) => ({ calls: names.map((name, n) => ({ name, args: { n } })) });
const enough = new Error("enough");

function outcomes({ messages }: { readonly messages: readonly Message[] }): string[] {
	return messages.flatMap((message) => (message.role === "tool" ? [short(message.outcome)] : []));
}

/** A run of one step, and what it takes to let everything that waits go on. */
function runOf(options: Parameters<typeof benchOf>[0], ...names: string[]) {
	const bench = benchOf(options);
	const model = scriptedModel([asks(...names), "done"]);
	const run = bench.engine.run({ model, input: "x", runId: "r" });
	const finish = async () => {
		for (let turn = 0; turn < 6; turn += 1) {
			bench.held.releaseAll();
			await settled();
		}
		return run;
	};
	return { ...bench, model, run, finish };
}

describe("the abort of one call", () => {
	it.each([
		["a read that runs", "read", "ABORTED"],
		["a write that runs", "write", "OUTCOME_UNKNOWN"],
	])("of %s answers it at once, and the rest of the step goes on", async (_which, name, code) => {
		const { run, entered, finish } = runOf({}, name, "read", "write");
		await settled();
		expect(run.abortCall(0, enough)).toBe(true);
		expect(outcomes(await finish())).toEqual([code, "1", "2"]);
		expect(entered.slice(1)).toEqual(["read 1", "write 2"]);
		expect(run.abortCall(1)).toBe(false);
	});

	it("starts what gets its slot where the run was started, and not where the abort came from", async () => {
		const place = new AsyncLocalStorage<string>();
		const seen: (string | undefined)[] = [];
		const look = tool({
			name: "look",
			parameters: z.object({ n: z.number() }),
			effect: "read",
			execute: ({ n }) => {
				seen.push(place.getStore());
				return n === 0 ? new Promise<number>(() => undefined) : n;
			},
		});
		const engine = createEngine({ tools: [look], ledger: memoryLedger(), maxParallelToolCalls: 1 });
		const model = scriptedModel([asks("look", "look"), "done"]);
		const run = place.run("the run", () => engine.run({ model, input: "x" }));
		await settled();
		place.run("the abort", () => run.abortCall(0, enough));
		expect(outcomes(await run)).toEqual(["ABORTED", "1"]);
		expect(seen).toEqual(["the run", "the run"]);
		await engine.close();
	});

	it("AC1: that is not admitted, or waits for its slot, never begins", async () => {
		const { run, entered, finish } = runOf({ maxParallelToolCalls: 1 }, "read", "read", "read", "write");
		await settled();
		expect([run.abortCall(1), run.abortCall(3), run.abortCall(1)]).toEqual([true, true, true]);
		const end = await finish();
		expect(outcomes(end)).toEqual(["0", "ABORTED_BEFORE_DISPATCH", "2", "ABORTED_BEFORE_DISPATCH"]);
		expect(entered).toEqual(["read 0", "read 2"]);
	});

	it("AC1: that the model still asks for never runs, though it had started early", async () => {
		const { engine, held, entered } = benchOf();
		const script = scriptedModel([asks("read", "read"), "done"]);
		const gate = new HeldWork();
		const model = {
			async *stream(request: ModelRequest) {
				for await (const item of script.stream(request)) {
					if (item.kind === "end" && request.messages.length === 1) await gate.hold("end");
					yield item;
				}
			},
		};
		const run = engine.run({ model, input: "x" });
		await settled();
		expect(entered).toEqual(["read 0", "read 1"]);
		expect(run.abortCall(0)).toBe(true);
		gate.releaseAll();
		await settled();
		held.releaseAll();
		expect(outcomes(await run)).toEqual(["ABORTED_BEFORE_DISPATCH", "1"]);
		expect(entered).toEqual(["read 0", "read 1"]);
	});

	it("of a run that has not begun yet is of its first step, and of no later one", async () => {
		const { engine, entered } = benchOf({ tools: [toolOf("quick", () => 1)] });
		const model = scriptedModel([
			{ calls: [{ name: "quick", args: {} }] },
			{ calls: [{ name: "quick", args: {} }] },
			"end",
		]);
		const run = engine.run({ model, input: "x" });
		expect(run.abortCall(0, "no")).toBe(true);
		const { messages } = await run;
		const ends = messages.flatMap((message) => (message.role === "tool" ? [short(message.outcome)] : []));
		expect(ends).toEqual(["ABORTED_BEFORE_DISPATCH", "1"]);
		expect(entered).toEqual([]);
	});

	it("AC1: that waits for its keys gives up its place and never begins", async () => {
		const locks = new KeyedLock();
		const release = await locks.acquire(["k"], new AbortController().signal);
		const keyed = toolOf("keyed", () => "ran", { effect: "write", isConcurrencySafe: true, lockKeys: () => ["k"] });
		const { run, finish } = runOf({ tools: [keyed], locks }, "keyed", "note");
		await settled();
		expect(run.abortCall(0, enough)).toBe(true);
		const end = await finish();
		expect(outcomes(end)).toEqual(["ABORTED", "1"]);
		release();
		expect(locks.size).toBe(0);
	});

	it("AC1: that works out its keys is answered at once, whatever they turn out to be", async () => {
		const keyed = toolOf("keyed", () => "ran", {
			effect: "write",
			lockKeys: () => new Promise<string[]>(() => undefined),
		});
		const { run, finish } = runOf({ tools: [keyed] }, "keyed", "write");
		await settled();
		expect(run.abortCall(0, enough)).toBe(true);
		expect(outcomes(await finish())).toEqual(["ABORTED", "1"]);
	});

	it("that has asked ends its question, and the run does not pause for it", async () => {
		const { tool } = asking("ask", 1);
		const { run, finish } = runOf({ tools: [tool] }, "ask", "read");
		await settled();
		expect(run.abortCall(0, enough)).toBe(true);
		const end = await finish();
		expect(end.status).toBe("done");
		expect(outcomes(end)).toEqual(["ABORTED", "1"]);
	});

	it("about which a person is being asked withdraws the question", async () => {
		let wanted: AbortSignal | undefined;
		const asker = (_question: unknown, signal: AbortSignal) => {
			wanted ??= signal;
			return signal === wanted ? new Promise(() => undefined) : "an answer";
		};
		const { tool } = asking("ask", 1);
		const { run, finish } = runOf({ tools: [tool], asker }, "ask", "ask");
		await settled();
		expect(run.abortCall(0, enough)).toBe(true);
		await settled();
		expect(wanted?.aborted).toBe(true);
		expect(outcomes(await finish())).toEqual(["ABORTED", '["an answer"]']);
	});

	it("that waits for an approval asks nobody, and is remembered over a pause", async () => {
		const did: number[] = [];
		const gated = toolOf("gated", ({ n = 0 }) => void did.push(n), { effect: "write", requiresApproval: true });
		const bench = benchOf({ tools: [gated] });
		const model = scriptedModel([asks("read", "gated", "gated", "write"), "done"]);
		const run = bench.engine.run({ model, input: "x", runId: "r" });
		await settled();
		expect([run.abortCall(1), run.abortCall(3)]).toEqual([true, true]);
		bench.held.releaseAll();
		const paused = await run;
		if (paused.status !== "paused") throw new Error(paused.status);
		expect(paused.questions.map(({ id }) => id)).toEqual(["r/0/2/0"]);
		const other = benchOf({ tools: [gated] });
		const checkpoint = JSON.parse(JSON.stringify(paused.checkpoint)) as RunCheckpoint;
		const end = await other.engine.resume(checkpoint, { model, answers: { "r/0/2/0": true } });
		const before = "ABORTED_BEFORE_DISPATCH";
		expect(outcomes(end)).toEqual(["0", before, "nothing", before]);
		expect(did).toEqual([2]);
		expect(other.entered).toEqual([]);
	});

	it("that is in the hands of its middleware settles it without waiting for that", async () => {
		const middleware = { name: "slow", wrapToolCall: () => new Promise<never>(() => undefined) };
		const { run, finish } = runOf({ middleware: [middleware] }, "read");
		await settled();
		expect(run.abortCall(0, enough)).toBe(true);
		expect(outcomes(await finish())).toEqual(["ABORTED_BEFORE_DISPATCH"]);
	});

	it("stops what it has made, to any depth", async () => {
		const signals: AbortSignal[] = [];
		const deep = toolOf("deep", async ({ n = 0 }, { invokeTool, signal }) => {
			signals.push(signal);
			return n < 2 ? invokeTool("deep", { n: n + 1 }) : new Promise(() => undefined);
		});
		const { run, finish } = runOf({ tools: [deep], ahead: false }, "deep", "read");
		await settled();
		expect(run.abortCall(0, enough)).toBe(true);
		expect(outcomes(await finish())).toEqual(["ABORTED", "1"]);
		expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
	});

	it("of a run that is over, or of no call, does nothing", async () => {
		const { run, finish } = runOf({}, "read");
		await settled();
		expect(run.abortCall(7)).toBe(false);
		await finish();
		expect(run.abortCall(0)).toBe(false);
	});
});
