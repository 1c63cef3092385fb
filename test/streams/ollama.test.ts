// Ollama: whole calls without ids, and a last line that says how it ended.

import { describe, expect, test } from "vitest";
import { endOf, told } from "./told.js";

const line = (toolCalls: readonly unknown[], rest: object = {}): object => ({
	model: "qwen3",
	message: { role: "assistant", content: "", tool_calls: toolCalls },
	done: false,
	...rest,
});
const look = (args: unknown, rest: object = {}): object => ({ function: { name: "look", arguments: args, ...rest } });
const done = { message: { role: "assistant", content: "" }, done: true, done_reason: "stop" };

test("calls are told apart by their order alone, whatever their indexes say", async () => {
	const events = [line([look({ at: 1 }), look({ at: 1 }, { index: 0 })]), line([look({ at: 2 }, { index: 0 })]), done];
	expect(
		await told(
			"ollama",
			events.map((event) => `${JSON.stringify(event)}\n`),
		),
	).toEqual([
		"started 0  look @0",
		'complete 0  look ={"at":1} @0',
		'closed 0  look ={"at":1} @0',
		"started 1  look @0",
		'complete 1  look ={"at":1} @0',
		'closed 1  look ={"at":1} @0',
		"started 2  look @1",
		'complete 2  look ={"at":2} @1',
		'closed 2  look ={"at":2} @1',
		"good stop @2",
	]);
});

test("arguments may be missing, text, or no object", async () => {
	const lines = await told("ollama", [line([look(undefined), look('{"at":1}'), look([1]), look('{"at"')]), done]);
	expect(lines.filter((told) => !told.startsWith("started"))).toEqual([
		"complete 0  look ={} @0",
		"closed 0  look ={} @0",
		'complete 1  look {"at":1} @0',
		'closed 1  look {"at":1} @0',
		"complete 2  look [1] @0",
		"closed 2  look [1] @0",
		'closed 3  look {"at" @0',
		"good stop @1",
	]);
});

describe("the end", () => {
	test.each<[string, object, string]>([
		["has no reason", { done: true }, "failed: the reply ended without a finish reason"],
		["was cut", { done: true, done_reason: "length" }, 'length: the reply ended with "length"'],
		["only loaded the model", { done: true, done_reason: "load" }, 'failed: the reply ended with "load"'],
		["is an error", { error: "model runner has unexpectedly stopped" }, "failed: the provider reported an error:"],
		["is missing", {}, "failed: the stream stopped before its last line"],
		["says it by a word", { done: "true", done_reason: "stop" }, "failed: the stream stopped before its last line"],
	])("is not good where the last line %s", async (_name, last, told) => {
		expect((await endOf("ollama", [line([look({})]), last]))?.startsWith(told)).toBe(true);
	});

	test("is not good where a call has no name", async () => {
		expect(await endOf("ollama", [line([{}]), done])).toBe("failed: call 0 has no name");
		expect(await endOf("ollama", [line([7]), done])).toBe("failed: call 0 has no name");
	});
});
