// A run: what the model is asked, what it is told, how the run ends, and what the ledger holds of it.

import { describe, expect, it } from "vitest";
import { type Message, memoryLedger, readStream, scriptedModel } from "../../engine/index.js";
import { benchOf, entriesOf, short, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";
import { recordedReply } from "../support/recorded-reply.js";

const double = toolOf("double", ({ n = 0 }) => n * 2);
const put = toolOf("put", ({ n = 0 }) => `put ${n}`, { effect: "write" });
const asks = (...names: string[]) => ({ calls: names.map((name, n) => ({ name, args: { n } })) });

function told(messages: readonly Message[]): string[] {
	return messages.map((message) => {
		if (message.role === "tool") return `${message.name} ${message.index}: ${short(message.outcome)}`;
		const calls = message.role === "assistant" ? message.calls.map(({ name }) => ` ${name}`).join("") : "";
		return `${message.role}: ${message.text}${calls}`;
	});
}

describe("a run", () => {
	it("asks the model, runs its calls, tells it how they ended, until it asks for none", async () => {
		const { engine } = benchOf({ tools: [double, put] });
		const model = scriptedModel([{ text: "Let me see.", ...asks("double", "put") }, asks("double"), "It is 0."]);
		const run = await engine.run({ model, input: "How much?", runId: "r" });
		expect(run).toMatchObject({ status: "done", runId: "r", text: "It is 0.", steps: 3 });
		expect(told(run.messages)).toEqual([
			"user: How much?",
			"assistant: Let me see. double put",
			"double 0: 0",
			'put 1: "put 1"',
			"assistant:  double",
			"double 0: 0",
			"assistant: It is 0.",
		]);
		expect(model.requests.map(({ messages }) => messages.length)).toEqual([1, 4, 6]);
	});

	it("writes what it began with, each request and reply, its calls, and how it ended", async () => {
		const ledger = memoryLedger();
		const { engine } = benchOf({ tools: [double], ledger });
		await engine.run({ model: scriptedModel([{ text: "a", ...asks("double") }, "b"]), input: "x" });
		const entries = await entriesOf(ledger);
		expect(entries.map(({ kind, data }) => [kind, data.step ?? data.index ?? data.status])).toEqual([
			["run_started", undefined],
			["model_called", 0],
			["model_returned", 0],
			["tool_called", 0],
			["tool_result", 0],
			["model_called", 1],
			["model_returned", 1],
			["run_finished", "done"],
		]);
		expect(entries[0]?.data).toEqual({ messages: [{ role: "user", text: "x" }] });
		expect(entries[2]?.data).toMatchObject({ text: "a", calls: [{ name: "double" }] });
		expect(entries[6]?.data).toEqual({ step: 1, calls: [], text: "b" });
		expect(entries[7]?.data).toEqual({ status: "done", steps: 2 });
	});

	it("takes a provider's stream as the model's reply, and a promise of one", async () => {
		const { engine } = benchOf({ tools: [double] });
		const reply = recordedReply([{ name: "double", args: { n: 4 } }]);
		let asked = 0;
		const model = {
			stream: async () => {
				asked += 1;
				return asked === 1 ? readStream("anthropic", reply) : scriptedModel(["", "done"]).stream(last);
			},
		};
		const last = {
			messages: [{ role: "assistant", text: "", calls: [] } as const],
			tools: [],
			signal: new AbortController().signal,
		};
		const run = await engine.run({ model, input: "x" });
		expect(told(run.messages).slice(2)).toEqual(["double 0: 8", "assistant: done"]);
	});

	it("starts reads while the model still writes", async () => {
		const { engine, entered, held } = benchOf();
		let goOn = (): void => undefined;
		const model = {
			async *stream({ messages }: { messages: readonly Message[] }) {
				if (messages.length > 1) {
					yield* scriptedModel(["", "done"]).stream({ messages, tools: [], signal: new AbortController().signal });
					return;
				}
				const call = { id: "1", name: "read", args: { n: 1 } };
				yield { kind: "call-complete" as const, index: 0, ...call, argsText: '{"n":1}', call };
				await new Promise<void>((resolve) => {
					goOn = resolve;
				});
				yield { kind: "call-closed" as const, index: 0, ...call, argsText: '{"n":1}', call };
				yield { kind: "end" as const, good: true };
			},
		};
		const running = engine.run({ model, input: "x" });
		await settled();
		expect(entered).toEqual(["read 1"]);
		goOn();
		await settled();
		held.releaseAll();
		expect((await running).status).toBe("done");
		expect(entered).toEqual(["read 1"]);
	});

	it("may begin with a conversation, and its messages may begin another", async () => {
		const { engine } = benchOf({ tools: [double] });
		const first = await engine.run({ model: scriptedModel([asks("double"), "one"]), input: "x" });
		const input: Message[] = [...first.messages, { role: "user", text: "and then?" }];
		const second = await engine.run({ model: scriptedModel(["", "", "two"]), input });
		expect(told(second.messages)).toEqual([...told(first.messages), "user: and then?", "assistant: two"]);
	});

	it("refuses options that cannot work, by name", async () => {
		const { engine } = benchOf();
		const model = scriptedModel([]);
		const wrong: [object | null | undefined, string][] = [
			[undefined, "model is undefined"],
			[null, "model is undefined"],
			[{ model: {}, input: "x" }, "model"],
			[{ model, input: 7 }, "input"],
			[{ model, input: [{ role: "robot", text: "x" }] }, "input[0].role"],
			[{ model, input: [{ role: "tool", outcome: 1 }] }, "input[0].outcome"],
			[{ model, input: [{ role: "tool", outcome: { ok: true }, index: "first" }] }, 'input[0].index is "first"'],
			[{ model, input: [{ role: "tool", outcome: { ok: true }, index: -1 }] }, "input[0].index is -1"],
			[{ model, input: [{ role: "assistant", text: "", calls: [null] }] }, "input[0].calls[0]"],
			[{ model, input: "x", maxSteps: 0 }, "maxSteps"],
			[{ model, input: "x", stop: "now" }, "stop"],
			[{ model, input: "x", parallelToolCalls: false, schedule: "barriers" }, "parallelToolCalls"],
		];
		for (const [options, name] of wrong) {
			const running = engine.run(options as never);
			await expect(running, name).rejects.toMatchObject({
				code: "INVALID_OPTIONS",
				message: expect.stringContaining(name),
			});
		}
		expect(model.requests).toEqual([]);
	});
});
