// How a run ends other than by a reply without calls.

import { describe, expect, it } from "vitest";
import { MODEL_SILENCE_MS_MAX } from "../../engine/core/limits.js";
import { type Message, type ModelItem, memoryLedger, type RunOptions, scriptedModel } from "../../engine/index.js";
import { benchOf, linesOf, short, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";

const double = toolOf("double", ({ n = 0 }) => n * 2);
const asks = (...names: string[]) => ({ calls: names.map((name, n) => ({ name, args: { n } })) });
const always = Array.from({ length: 99 }, () => asks("double"));

function outcomes(messages: readonly Message[]): string[] {
	return messages.flatMap((message) => (message.role === "tool" ? [short(message.outcome)] : []));
}

async function runOf(options: Partial<RunOptions>) {
	const ledger = memoryLedger();
	const bench = benchOf({ tools: [double], ledger });
	const run = await bench.engine.run({ model: scriptedModel(always), input: "x", ...options });
	return { ...bench, run, lines: await linesOf(ledger) };
}

describe("a run ends", () => {
	it("at maxSteps after the whole step, with the outcomes of its calls", async () => {
		const { run, lines } = await runOf({ maxSteps: 2 });
		expect(run).toMatchObject({ status: "limit", limit: "maxSteps", steps: 2 });
		expect(run.messages).toHaveLength(5);
		expect(lines.at(-1)).toBe("run_finished");
	});

	it("where a stop predicate says so, the first of several, asked with the step that was taken", async () => {
		const asked: unknown[] = [];
		const stop = [
			({ steps, results }: { steps: number; results: readonly unknown[] }) => {
				asked.push([steps, results.length]);
				return false;
			},
			async ({ steps }: { steps: number }) => steps === 3,
			() => {
				asked.push("third");
				return false;
			},
		];
		const { run } = await runOf({ stop });
		expect(run).toMatchObject({ status: "stopped", steps: 3 });
		expect(asked).toEqual([[1, 1], "third", [2, 1], "third", [3, 1]]);
	});

	it("as failed where a stop predicate throws, because nobody can say whether to go on", async () => {
		const { run } = await runOf({ stop: () => Promise.reject(new Error("no idea")) });
		expect(run).toMatchObject({ status: "failed", error: { message: "no idea" }, steps: 1 });
		expect(outcomes(run.messages)).toEqual(["0"]);
	});

	it.each<[string, () => AsyncIterable<ModelItem>, string]>([
		[
			"throws at once",
			() => {
				throw new Error("no network");
			},
			"no network",
		],
		["is no stream", () => [] as never, "cannot be iterated"],
		[
			"stops without an end",
			async function* () {
				yield { kind: "text", text: "so" };
			},
			"without an end",
		],
		[
			"yields what is no item",
			async function* () {
				yield "so" as never;
			},
			"which is no item",
		],
		[
			"closes without a call",
			async function* () {
				const call = { id: "", name: "double", args: {} };
				yield { kind: "call-closed", index: 1, ...call, argsText: "{}", call };
				yield { kind: "end", good: true };
			},
			"without call 0",
		],
		[
			"asks for a call at no place",
			async function* () {
				const call = { id: "", name: "double", args: {} };
				yield { kind: "call-closed", index: -1, ...call, argsText: "{}", call };
				yield { kind: "end", good: true };
			},
			"a call at -1",
		],
		[
			"says that it failed",
			async function* () {
				yield { kind: "end", good: false, problem: "overloaded" };
			},
			"overloaded",
		],
	])("as failed where the model %s, and nothing of the reply is written", async (_how, stream, message) => {
		const { run, lines } = await runOf({ model: { stream } });
		expect(run).toMatchObject({ status: "failed", steps: 1 });
		expect(run.status === "failed" && run.error.message).toContain(message);
		expect(run.messages).toHaveLength(1);
		expect(lines).toEqual(["run_started", "model_called", "run_finished"]);
	});

	it("RR1: as failed where the model is silent for longer than the bound", async () => {
		const { engine, clock } = benchOf();
		const hangs = async function* (): AsyncGenerator<ModelItem> {
			yield { kind: "text", text: "so" };
			await new Promise(() => undefined);
		};
		const running = engine.run({ model: { stream: hangs }, input: "x" });
		await clock.pass(MODEL_SILENCE_MS_MAX - 1);
		let over = false;
		void running.then(() => {
			over = true;
		});
		await settled();
		expect(over).toBe(false);
		await clock.pass(1);
		expect(await running).toMatchObject({ status: "failed", text: "so" });
		expect(clock.timersSet).toBe(0);
	});

	it("Law 5: a reply that failed runs none of its calls, and nothing that ran ahead of it counts", async () => {
		const { run, lines, events } = await runOf({ model: scriptedModel([{ ...asks("double"), cut: "failed" }]) });
		expect(run.status).toBe("failed");
		expect(lines).toEqual(["run_started", "model_called", "run_finished"]);
		expect(events.map(({ kind }) => kind)).not.toContain("call_admitted");
	});

	it.each(["length", "filtered"] as const)(
		"not by a reply that was cut (%s) and had whole calls: the model reads that none ran, and goes on",
		async (cut) => {
			const model = scriptedModel([{ text: "a", ...asks("double", "double"), cut }, "b"]);
			const { run, entered } = await runOf({ model });
			expect(run).toMatchObject({ status: "done", text: "b" });
			expect(outcomes(run.messages)).toEqual(["RESPONSE_INCOMPLETE", "RESPONSE_INCOMPLETE"]);
			expect(entered).toEqual([]);
		},
	);

	it("and a call that was closed and never complete is none of a reply that was cut", async () => {
		const half = { index: 1, id: "", name: "double", argsText: "{", call: { id: "", name: "double", args: "{" } };
		const whole = { ...half, index: 0, argsText: "{}", call: { ...half.call, args: "{}" } };
		const items = (end: ModelItem): ModelItem[] => [
			{ kind: "call-complete", ...whole },
			{ kind: "call-closed", ...whole },
			{ kind: "call-closed", ...half },
			end,
		];
		const models = [items({ kind: "end", good: false, cut: "length" }), items({ kind: "end", good: true })];
		const model = {
			async *stream({ messages }: { messages: readonly Message[] }) {
				const number = messages.filter(({ role }) => role === "assistant").length;
				yield* models[number] ?? [{ kind: "end", good: true } as const];
			},
		};
		const { run } = await runOf({ model });
		expect(outcomes(run.messages)).toEqual(["RESPONSE_INCOMPLETE", "0", "INVALID_ARGUMENTS"]);
	});

	it("as incomplete where a reply was cut before any of its calls was whole", async () => {
		const { run, lines } = await runOf({ model: scriptedModel([{ text: "half a sent", cut: "length" }]) });
		expect(run).toMatchObject({ status: "incomplete", cut: "length", text: "half a sent" });
		expect(run.messages.at(-1)).toEqual({ role: "assistant", text: "half a sent", calls: [] });
		expect(lines).toEqual(["run_started", "model_called", "model_returned", "run_finished"]);
	});

	it("by timeouts.totalMs, which counts the model and the calls together, and a wave has no limit of its own", async () => {
		const { engine, clock, held, events } = benchOf({ tools: [double], timeouts: { totalMs: 100 } });
		const slow = { stream: (request: Parameters<ReturnType<typeof scriptedModel>["stream"]>[0]) => slowly(request) };
		async function* slowly(request: Parameters<ReturnType<typeof scriptedModel>["stream"]>[0]) {
			await held.hold("model");
			yield* scriptedModel([asks("read"), asks("read")]).stream(request);
		}
		const running = engine.run({ model: slow, input: "x" });
		await clock.pass(60);
		held.release("model");
		await clock.pass(39);
		expect(events.some(({ kind }) => kind === "wave_finished")).toBe(false);
		await clock.pass(1);
		const run = await running;
		expect(run).toMatchObject({ status: "limit", limit: "totalMs", steps: 1 });
		expect(outcomes(run.messages)).toEqual(["ABORTED"]);
		expect(clock.timersSet).toBe(0);
	});

	it("rejects where the ledger fails, and is closed with its engine", async () => {
		const { engine } = benchOf();
		await engine.close();
		await expect(engine.run({ model: scriptedModel(["a"]), input: "x" })).rejects.toMatchObject({
			code: "ENGINE_CLOSED",
		});
		const ledger = memoryLedger();
		const failing = { ...broken(ledger) };
		const other = benchOf({ ledger: failing });
		const running = other.engine.run({ model: scriptedModel(["a"]), input: "x" });
		await expect(running).rejects.toMatchObject({ code: "LEDGER_FAILED", cause: { message: "the disk is full" } });
	});
});

function broken(ledger: ReturnType<typeof memoryLedger>) {
	return {
		append: (records: Parameters<typeof ledger.append>[0]) => ledger.append(records),
		barrier: () => Promise.reject(new Error("the disk is full")),
		entries: () => ledger.entries(),
		intents: () => ledger.intents(),
		records: () => ledger.records(),
		close: async () => undefined,
	};
}
