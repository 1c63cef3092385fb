// What reaches a run from outside while it goes on: steers, aborts, watchers.

import { describe, expect, it } from "vitest";
import { RUN_EVENTS_MAX } from "../../engine/core/limits.js";
import { type Message, type ModelRequest, memoryLedger, type RunEvent, scriptedModel } from "../../engine/index.js";
import { benchOf, entriesOf, linesOf, short, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";

const asks = (...names: string[]) => ({ calls: names.map((name, n) => ({ name, args: { n } })) });

function told(messages: readonly Message[]): string[] {
	return messages.map((message) => {
		if (message.role === "tool") return short(message.outcome);
		return message.role === "assistant" ? `model ${message.text}` : message.text;
	});
}

describe("a steer", () => {
	it("RC2: is written before the next call that is admitted, and told to the model after the whole step", async () => {
		const ledger = memoryLedger();
		const { engine, held } = benchOf({ ledger });
		const model = scriptedModel([asks("read", "write", "read"), "done"]);
		const run = engine.run({ model, input: "x" });
		await settled();
		expect(run.steer("left")).toBe(true);
		expect(run.steer("right")).toBe(true);
		held.releaseAll();
		await settled();
		held.releaseAll();
		await settled();
		expect(run.steer("late")).toBe(true);
		held.releaseAll();
		const { messages } = await run;
		expect(told(messages)).toEqual(["x", "model ", "0", "1", "2", "left", "right", "late", "model done"]);
		const entries = await entriesOf(ledger);
		const lines = entries.map(({ kind, data }) => (kind === "steer_received" ? data.text : data.index));
		expect(lines.filter((line) => line !== undefined)).toEqual([0, 0, "left", 1, 1, "right", 2, 2, "late"]);
		expect(run.steer("over")).toBe(false);
	});

	it("that comes while the model writes a reply without calls keeps the run going", async () => {
		const ledger = memoryLedger();
		const { engine, held } = benchOf({ ledger });
		const script = scriptedModel(["first", "second"]);
		const model = {
			async *stream(request: ModelRequest) {
				await held.hold("model");
				yield* script.stream(request);
			},
		};
		const run = engine.run({ model, input: "x" });
		await settled();
		run.steer("no, again");
		held.releaseAll();
		await settled();
		held.releaseAll();
		const { messages, status } = await run;
		expect(status).toBe("done");
		expect(told(messages)).toEqual(["x", "model first", "no, again", "model second"]);
		expect(await linesOf(ledger)).toEqual([
			"run_started",
			"model_called",
			"model_returned",
			"steer_received",
			"model_called",
			"model_returned",
			"run_finished",
		]);
	});
});

describe("an abort", () => {
	it("RL3: while the model writes ends the run, and what comes of the reply afterwards runs nothing", async () => {
		const ledger = memoryLedger();
		const { engine, held, entered, clock } = benchOf({ ledger });
		let told: AbortSignal | undefined;
		const model = {
			async *stream(request: ModelRequest) {
				told = request.signal;
				yield { kind: "text" as const, text: "so" };
				await held.hold("model");
				yield* scriptedModel([asks("write")]).stream(request);
			},
		};
		const run = engine.run({ model, input: "x" });
		await settled();
		run.abort(new Error("enough"));
		run.abort(new Error("later"));
		expect(await run).toMatchObject({ status: "aborted", reason: { message: "enough" }, text: "so" });
		expect(told?.aborted).toBe(true);
		held.releaseAll();
		await settled();
		expect(entered).toEqual([]);
		expect(await linesOf(ledger)).toEqual(["run_started", "model_called", "cancel_received", "run_finished"]);
		expect(clock.timersSet).toBe(0);
	});

	it("of the signal, at once or later, gives every call of the step its outcome", async () => {
		const controller = new AbortController();
		const { engine } = benchOf();
		const model = scriptedModel([asks("read", "write", "read"), "never"]);
		const run = engine.run({ model, input: "x", signal: controller.signal });
		await settled();
		controller.abort(new Error("enough"));
		const { messages, status } = await run;
		expect(status).toBe("aborted");
		expect(told(messages).slice(2)).toEqual(["ABORTED", "ABORTED_BEFORE_DISPATCH", "ABORTED_BEFORE_DISPATCH"]);
		expect(model.requests).toHaveLength(1);
		const late = engine.run({ model, input: "x", signal: controller.signal });
		expect(await late).toMatchObject({ status: "aborted", steps: 0 });
		expect(model.requests).toHaveLength(1);
	});

	it("RC1: is what a closing engine does, and the run's lines are written before the ledger closes", async () => {
		const ledger = memoryLedger();
		const { engine, held } = benchOf({ ledger });
		const run = engine.run({ model: scriptedModel([asks("read")]), input: "x" });
		await settled();
		const closing = engine.close();
		held.releaseAll();
		await closing;
		expect(await run).toMatchObject({ status: "aborted", reason: { name: "AbortError" } });
		run.abort(new Error("later"));
		expect((await linesOf(ledger)).at(-1)).toBe("run_finished");
	});

	it("by a closing engine ends a run whose model still writes calls", async () => {
		const { engine } = benchOf();
		const model = {
			async *stream() {
				yield { kind: "call-started" as const, index: 0, id: "", name: "read" };
				await new Promise(() => undefined);
			},
		};
		const run = engine.run({ model, input: "x" });
		await settled();
		await engine.close();
		expect((await run).status).toBe("aborted");
	});
});

describe("the events of a run", () => {
	const quick = toolOf("quick", () => "x");

	it("tell of the replies, the calls and the end, in the order things happened", async () => {
		const { engine } = benchOf({ tools: [quick] });
		const run = engine.run({ model: scriptedModel([{ text: "a", ...asks("quick") }, "b"]), input: "x" });
		const seen: string[] = [];
		for await (const { kind } of run.events) seen.push(kind);
		expect(seen).toEqual([
			"model_called",
			"reply_text",
			"reply_call_started",
			"reply_call_complete",
			"call_planned",
			"call_began",
			"ahead_settled",
			"reply_ended",
			"wave_started",
			"call_planned",
			"call_admitted",
			"ahead_used",
			"call_settled",
			"call_accounted",
			"ahead_measured",
			"wave_finished",
			"model_called",
			"reply_text",
			"reply_ended",
		]);
		expect((await run).status).toBe("done");
		for await (const event of run.events) throw new Error(`${event.kind} after the end`);
	});

	it("tell of a steer where it was taken, and of none that was not", async () => {
		const { engine } = benchOf({ tools: [quick] });
		const run = engine.run({ model: scriptedModel([asks("quick"), "b"]), input: "x" });
		const events = run.events[Symbol.asyncIterator]();
		run.steer("left");
		await run;
		run.steer("late");
		const steers: unknown[] = [];
		for (let next = await events.next(); next.done !== true; next = await events.next()) {
			if (next.value.kind === "steer_received") steers.push(next.value);
		}
		expect(steers).toEqual([{ kind: "steer_received", text: "left", atMs: expect.any(Number) }]);
	});

	it("are those of this run alone", async () => {
		const { engine } = benchOf({ tools: [quick] });
		const run = engine.run({ model: scriptedModel([asks("quick"), "b"]), input: "x", runId: "mine" });
		const events = run.events[Symbol.asyncIterator]();
		await engine.executeWave([{ id: "", name: "quick", args: {} }], { runId: "other" });
		await run;
		const ids = new Set<string>();
		for (let next = await events.next(); next.done !== true; next = await events.next()) {
			if ("runId" in next.value) ids.add(next.value.runId);
		}
		expect([...ids]).toEqual(["mine"]);
	});

	it("LE1: that a slow watcher does not take are let go, oldest first, and counted", async () => {
		const { engine } = benchOf();
		const model = {
			async *stream() {
				for (let n = 0; n <= RUN_EVENTS_MAX; n += 1) yield { kind: "text" as const, text: String(n) };
				yield { kind: "end" as const, good: true };
			},
		};
		const run = engine.run({ model, input: "x" });
		const events = run.events[Symbol.asyncIterator]();
		await run;
		const first = (await events.next()).value as RunEvent;
		const texts: RunEvent[] = [];
		for (let next = await events.next(); next.done !== true; next = await events.next()) texts.push(next.value);
		expect(first.kind === "events_missed" && first.missed + texts.length).toBe(RUN_EVENTS_MAX + 3);
		expect(texts.at(-2)).toMatchObject({ kind: "reply_text", text: String(RUN_EVENTS_MAX) });
		expect(texts.length).toBeLessThanOrEqual(RUN_EVENTS_MAX);
	});

	it("LE2: are listened to only while somebody iterates", async () => {
		const { engine, held } = benchOf();
		let listeners = 0;
		const subscribe = engine.subscribe.bind(engine);
		engine.subscribe = (listener) => {
			listeners += 1;
			const end = subscribe(listener);
			return () => {
				listeners -= 1;
				end();
			};
		};
		const run = engine.run({ model: scriptedModel([asks("read"), "b"]), input: "x" });
		for await (const { kind } of run.events) if (kind === "call_began") break;
		expect(listeners).toBe(0);
		const watching = run.events[Symbol.asyncIterator]().next();
		expect(listeners).toBe(1);
		held.releaseAll();
		await run;
		expect((await watching).done).toBe(false);
		expect(listeners).toBe(0);
	});
});
