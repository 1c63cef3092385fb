// Anthropic Messages: blocks, stop reasons, and streams that contradict themselves.

import { describe, expect, test } from "vitest";
import { readArguments } from "../../engine/core/call.js";
import { readStream } from "../../engine/streams/read-stream.js";
import type { StreamItem } from "../../engine/streams/stream-item.js";
import { allOf } from "./recordings.js";

const start = { type: "message_start", message: { role: "assistant" } };
const toolUse = (index: number, id: string, input: object = {}): object => ({
	type: "content_block_start",
	index,
	content_block: { type: "tool_use", id, name: "look", input },
});
const args = (index: number, text: string): object => ({
	type: "content_block_delta",
	index,
	delta: { type: "input_json_delta", partial_json: text },
});
const stop = (index: number): object => ({ type: "content_block_stop", index });
const messageEnd = (reason: string | null): object[] => [
	{ type: "message_delta", delta: { stop_reason: reason } },
	{ type: "message_stop" },
];
const oneCall = [toolUse(0, "a"), args(0, '{"at":1}'), stop(0)];

const read = (events: readonly object[]): Promise<StreamItem[]> => allOf(readStream("anthropic", events));

async function kindsOf(events: readonly object[]): Promise<string[]> {
	return (await read(events)).map((item) => ("index" in item ? `${item.kind} ${item.index}` : item.kind));
}

describe("calls", () => {
	test("are complete when their value closes and closed when their block stops", async () => {
		const named = { index: 0, id: "a", name: "look" };
		const whole = { ...named, argsText: '{"at":1}', call: { id: "a", name: "look", args: '{"at":1}' } };
		expect(await read([start, ...oneCall, ...messageEnd("tool_use")])).toEqual([
			{ kind: "call-started", event: 1, ...named },
			{ kind: "call-complete", event: 2, ...whole },
			{ kind: "call-closed", event: 3, ...whole },
			{ kind: "end", event: 5, good: true, reason: "tool_use" },
		]);
	});

	test("take input that stands in the block's start, and only where no delta brings any", async () => {
		const inStart = await read([start, toolUse(0, "a", { at: 1 }), args(0, ""), stop(0), ...messageEnd("tool_use")]);
		expect(inStart[1]).toMatchObject({ kind: "call-complete", event: 3, argsText: '{"at":1}' });
		const both = await read([
			start,
			toolUse(0, "a", { at: 1 }),
			args(0, '{"at":2}'),
			stop(0),
			...messageEnd("tool_use"),
		]);
		expect(both[2]).toMatchObject({ kind: "call-closed", argsText: '{"at":2}' });
	});

	test("that go on after their value closed are closed with the longer text, which does not read", async () => {
		const events = [start, toolUse(0, "a"), args(0, "{}"), args(0, " "), args(0, "x"), stop(0)];
		const [, complete, closed] = await read([...events, ...messageEnd("tool_use")]);
		expect(complete).toMatchObject({ kind: "call-complete", event: 2, argsText: "{}" });
		expect(closed).toMatchObject({ kind: "call-closed", event: 5, argsText: "{} x" });
		expect(readArguments("{} x")).toMatchObject({ ok: false, position: 3 });
	});

	test("of the provider's own tools are not reported and take no index", async () => {
		const server = { type: "content_block_start", index: 0, content_block: { type: "server_tool_use", id: "s" } };
		const events = [start, server, args(0, '{"q":1}'), stop(0), toolUse(1, "a"), stop(1), ...messageEnd("tool_use")];
		expect(await kindsOf(events)).toEqual(["call-started 0", "call-complete 0", "call-closed 0", "end"]);
	});

	test("at an index that is used again are told apart, and the later one starts nothing early", async () => {
		const again = [toolUse(0, "b"), args(0, '{"at":2}'), stop(0)];
		expect(await read([start, ...oneCall, ...again, ...messageEnd("tool_use")])).toMatchObject([
			{ kind: "call-started", event: 1, id: "a" },
			{ kind: "call-complete", event: 2, id: "a" },
			{ kind: "call-closed", event: 3, id: "a" },
			{ kind: "call-started", event: 4, id: "b" },
			{ kind: "call-complete", event: 6, id: "b", argsText: '{"at":2}' },
			{ kind: "call-closed", event: 6, id: "b" },
			{ kind: "end", good: true },
		]);
	});

	test("before a second message start are void, and indexes begin at 0 again", async () => {
		const events = [
			start,
			...oneCall,
			...messageEnd("tool_use").slice(0, 1),
			start,
			...oneCall,
			...messageEnd("tool_use"),
		];
		expect(await kindsOf(events)).toEqual([
			"call-started 0",
			"call-complete 0",
			"call-closed 0",
			"restart",
			"call-started 0",
			"call-complete 0",
			"call-closed 0",
			"end",
		]);
	});
});

describe("the end", () => {
	const endOf = async (events: readonly object[]): Promise<unknown> => (await read(events)).at(-1);

	test.each(["end_turn", "tool_use", "stop_sequence", "pause_turn"])("is good with %s", async (reason) => {
		expect(await endOf([start, ...oneCall, ...messageEnd(reason)])).toMatchObject({ good: true, reason });
	});

	test.each([
		["max_tokens", "length"],
		["model_context_window_exceeded", "length"],
		["refusal", "filtered"],
		["a_word_of_next_year", "failed"],
	])("is not good with %s and cut is %s", async (reason, cut) => {
		const problem = `the reply ended with "${reason}"`;
		expect(await endOf([start, ...oneCall, ...messageEnd(reason)])).toMatchObject({
			good: false,
			reason,
			cut,
			problem,
		});
	});

	test.each<[string, readonly object[], string]>([
		["stops before its message stop", messageEnd("tool_use").slice(0, 1), "stopped before its `message_stop`"],
		["has no stop reason", messageEnd(null), "without a finish reason"],
		["leaves a call open", [toolUse(1, "b"), ...messageEnd("tool_use")], "call 1 has no end"],
		["has arguments for no block", [args(9, "{}"), ...messageEnd("tool_use")], "block 9, which is not open"],
		["has arguments after the block's stop", [args(0, "{}"), ...messageEnd("tool_use")], "block 0, which is not open"],
		["stops a block that never started", [stop(9), ...messageEnd("tool_use")], "block 9 stopped and never started"],
		["starts two blocks at one place", [toolUse(1, "b"), toolUse(1, "c")], "no place of its own"],
		["has a piece that is no text", [toolUse(1, "b"), args(1, null as unknown as string)], "is not a text"],
		["reports an error", [{ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }], "Overloaded"],
	])("is failed where the stream %s", async (_name, events, problem) => {
		const failed = { good: false, cut: "failed", problem: expect.stringContaining(problem) as string };
		expect(await endOf([start, ...oneCall, ...events])).toMatchObject(failed);
	});

	test("is failed where the reply stopped to use tools and holds no call", async () => {
		expect(await endOf([start, ...messageEnd("tool_use")])).toMatchObject({ good: false, cut: "failed" });
	});

	test("is failed where a call never got a name", async () => {
		const nameless = { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "a" } };
		const events = [start, nameless, args(0, "{}"), stop(0), ...messageEnd("tool_use")];
		expect(await endOf(events)).toMatchObject({ good: false, problem: "call 0 has no name" });
	});

	test("takes the worse of two stop reasons, whichever came first", async () => {
		const [good, , ...rest] = [...messageEnd("tool_use"), ...messageEnd("max_tokens")];
		const [bad, messageStop] = rest;
		const both = [good, bad, messageStop] as object[];
		expect(await endOf([start, ...oneCall, ...both])).toMatchObject({ good: false, cut: "length" });
		const turned = [bad, good, messageStop] as object[];
		expect(await endOf([start, ...oneCall, ...turned])).toMatchObject({ good: false, cut: "length" });
	});
});
