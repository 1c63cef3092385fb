// Cohere: calls at indexes of their own, the plan that is no answer, and the meaning of the end.

import { describe, expect, test } from "vitest";
import { readArguments } from "../../engine/core/call.js";
import { endOf, told } from "./told.js";

const start = { type: "message-start", delta: { message: { role: "assistant" } } };
const called = (type: string, index: unknown, toolCalls: object): object => ({
	type,
	index,
	delta: { message: { tool_calls: toolCalls } },
});
const begin = (index: unknown, id: string, args = ""): object =>
	called("tool-call-start", index, { id, type: "function", function: { name: "look", arguments: args } });
const args = (index: unknown, text: unknown): object =>
	called("tool-call-delta", index, { function: { arguments: text } });
const stop = (index: unknown): object => ({ type: "tool-call-end", index });
const end = (reason: string, rest: object = {}): object => ({
	type: "message-end",
	delta: { finish_reason: reason, ...rest },
});
const oneCall = [begin(0, "a"), args(0, '{"at":'), args(0, "1}"), stop(0)];

test("contents are text and the plan is not, and a content has its index to itself", async () => {
	const plan = { type: "tool-plan-delta", delta: { message: { tool_plan: "I will look." } } };
	const text = { type: "content-delta", index: 0, delta: { message: { content: { text: "Hello" } } } };
	const thinking = { type: "content-delta", index: 1, delta: { message: { content: { thinking: "hm" } } } };
	expect(await told("cohere", [start, plan, text, thinking, ...oneCall, end("TOOL_CALL")])).toEqual([
		"text Hello",
		"started 0 a look @4",
		'complete 0 a look {"at":1} @6',
		'closed 0 a look {"at":1} @7',
		"good TOOL_CALL @8",
	]);
});

test("a call without arguments may have none, or `null`, or all of them in its start", async () => {
	const events = [start, begin(0, "a"), stop(0), begin(1, "b"), args(1, "null"), stop(1), begin(2, "c", '{"at":1}')];
	const lines = await told("cohere", [...events, stop(2), end("TOOL_CALL")]);
	expect(lines).toContain("closed 0 a look {} @2");
	expect(lines).toContain("closed 1 b look null @5");
	expect(readArguments("null")).toEqual({ ok: true, args: {} });
	expect(lines).toContain('closed 2 c look {"at":1} @7');
});

test("calls whose pieces alternate keep apart, and an index used again starts nothing before its end", async () => {
	const alternating = [begin(0, "a"), begin(1, "b"), args(0, "[1"), args(1, "[2"), args(0, "]"), args(1, "]")];
	const lines = await told("cohere", [start, ...alternating, stop(1), stop(0), end("TOOL_CALL")]);
	expect(lines.slice(2, 6)).toEqual([
		"complete 0 a look [1] @5",
		"complete 1 b look [2] @6",
		"closed 1 b look [2] @7",
		"closed 0 a look [1] @8",
	]);
	const again = [begin(0, "b"), args(0, "[2]"), stop(0)];
	expect((await told("cohere", [start, ...oneCall, ...again, end("TOOL_CALL")])).slice(3)).toEqual([
		"started 1 b look @5",
		"complete 1 b look [2] @7",
		"closed 1 b look [2] @7",
		"good TOOL_CALL @8",
	]);
});

test("a second message start voids what came before", async () => {
	expect((await told("cohere", [start, ...oneCall, start, end("COMPLETE")])).slice(3)).toEqual([
		"restart",
		"good COMPLETE @6",
	]);
});

test("CB1: arguments that belong to no open call fail the reply, whatever its end says", async () => {
	for (const index of [9, 0, undefined]) {
		const line = await endOf("cohere", [start, ...oneCall, args(index, "{}"), end("TOOL_CALL")]);
		expect(line).toBe(`failed: arguments came for tool call ${index}, which is not open`);
	}
});

describe("the end", () => {
	test.each([
		["COMPLETE", "good COMPLETE @5"],
		["STOP_SEQUENCE", "good STOP_SEQUENCE @5"],
		["MAX_TOKENS", 'length: the reply ended with "MAX_TOKENS"'],
		["ERROR_TOXIC", 'filtered: the reply ended with "ERROR_TOXIC"'],
		["ERROR", 'failed: the reply ended with "ERROR"'],
		["TIMEOUT", 'failed: the reply ended with "TIMEOUT"'],
		["", "failed: the reply ended without a finish reason"],
	])("with %j is %s", async (reason, line) => {
		expect(await endOf("cohere", [start, ...oneCall, end(reason)])).toBe(line);
	});

	test.each<[string, object[], string]>([
		["stops early", [], "stopped before its `message-end`"],
		["leaves a call open", [begin(1, "b"), end("TOOL_CALL")], "call 1 has no end"],
		["has a call without an index", [begin(undefined, "b")], "no place of its own"],
		["reports an error beside a good reason", [end("COMPLETE", { error: "Boom" })], "error: Boom"],
	])("is failed where the stream %s", async (_name, events, problem) => {
		const line = await endOf("cohere", [start, ...oneCall, ...events]);
		expect(line).toMatch(/^failed: /);
		expect(line).toContain(problem);
	});
});
