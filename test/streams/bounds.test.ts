// Bounds: what one event, one call and one reply may hold, and what it costs to hold it.

import { expect, test } from "vitest";
import { readArguments } from "../../engine/core/call.js";
import {
	ARGUMENTS_CHARS_MAX,
	JSON_DEPTH_MAX,
	REPLY_ARGUMENTS_CHARS_MAX,
	STREAM_EVENT_CHARS_MAX,
} from "../../engine/core/limits.js";
import { readStream } from "../../engine/streams/read-stream.js";
import { allOf } from "./recordings.js";

const MEGABYTE = 1024 * 1024;

function* chatCall(pieces: Iterable<string>): Generator<object> {
	const first = { index: 0, id: "a", function: { name: "look", arguments: "" } };
	yield { choices: [{ delta: { tool_calls: [first] } }] };
	for (const piece of pieces) {
		yield { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: piece } }] } }] };
	}
	yield { choices: [{ delta: {}, finish_reason: "tool_calls" }] };
}

function* repeated(piece: string, times: number): Generator<string> {
	for (let time = 0; time < times; time += 1) yield piece;
}

test("arguments over the limit are closed as unreadable and never complete, however much follows", async () => {
	function* pieces(): Generator<string> {
		yield '{"text":"';
		yield* repeated("x".repeat(MEGABYTE), ARGUMENTS_CHARS_MAX / MEGABYTE + 4);
		yield '"}';
	}
	const items = await allOf(readStream("openai-chat", chatCall(pieces())));
	expect(items.map(({ kind }) => kind)).toEqual(["call-started", "call-closed", "end"]);
	const closed = items[1];
	if (closed?.kind !== "call-closed") throw new Error("not closed");
	expect(closed.argsText.length).toBe(ARGUMENTS_CHARS_MAX + 1);
	expect(readArguments(closed.call.args)).toMatchObject({ ok: false, position: ARGUMENTS_CHARS_MAX });
});

test("white space after the arguments, up to over the limit, voids what was complete", async () => {
	const pieces = ["{}", ...repeated(" ".repeat(MEGABYTE), ARGUMENTS_CHARS_MAX / MEGABYTE)];
	const items = await allOf(readStream("openai-chat", chatCall(pieces)));
	expect(items.map(({ kind }) => kind)).toEqual(["call-started", "call-complete", "call-closed", "end"]);
	const closed = items[2];
	if (closed?.kind !== "call-closed") throw new Error("not closed");
	expect(readArguments(closed.call.args)).toMatchObject({ ok: false, position: ARGUMENTS_CHARS_MAX });
});

test("arguments nested deeper than the limit never complete", async () => {
	const deep = `${'{"a":'.repeat(JSON_DEPTH_MAX + 1)}1${"}".repeat(JSON_DEPTH_MAX + 1)}`;
	const items = await allOf(readStream("openai-chat", chatCall([deep])));
	expect(items.map(({ kind }) => kind)).toEqual(["call-started", "call-closed", "end"]);
});

test.each<[string, string]>([
	["of server-sent events", "data: "],
	["of JSON lines", "{"],
])("one event %s over the limit ends the reply, and the source is asked for no more", async (_name, start) => {
	let asked = 0;
	function* source(): Generator<string> {
		yield start;
		for (const piece of repeated("x".repeat(8 * MEGABYTE), 1_000)) {
			asked += 1;
			yield piece;
		}
	}
	const [end] = await allOf(readStream("anthropic", source()));
	const problem = `one event is longer than ${STREAM_EVENT_CHARS_MAX} characters`;
	expect(end).toEqual({ kind: "end", event: -1, good: false, cut: "failed", problem });
	expect(asked).toBeLessThanOrEqual(STREAM_EVENT_CHARS_MAX / (8 * MEGABYTE) + 1);
});

test("the arguments of a whole reply are bounded, though each call stays within its own limit", async () => {
	function* source(): Generator<object> {
		yield { type: "message_start" };
		for (let index = 0; index < 100; index += 1) {
			const block = { type: "tool_use", id: `t${index}`, name: "look" };
			yield { type: "content_block_start", index, content_block: block };
			const delta = { type: "input_json_delta", partial_json: JSON.stringify("x".repeat(4 * MEGABYTE)) };
			yield { type: "content_block_delta", index, delta };
			yield { type: "content_block_stop", index };
		}
	}
	const items = await allOf(readStream("anthropic", source()));
	expect(items.filter(({ kind }) => kind === "call-closed").length).toBe(15);
	const problem = `the arguments of the reply are over ${REPLY_ARGUMENTS_CHARS_MAX} characters`;
	expect(items.at(-1)).toMatchObject({ kind: "end", good: false, cut: "failed", problem });
});

test("a finish reason that is said again and again closes each call once and costs no look at all calls", async () => {
	const count = 100_000;
	function* chunks(): Generator<object> {
		for (let index = 0; index < count; index += 1) {
			const call = { index, id: `${index}`, function: { name: "look", arguments: "{}" } };
			yield { choices: [{ delta: { tool_calls: [call] } }] };
		}
		for (let time = 0; time < count; time += 1) yield { choices: [{ delta: {}, finish_reason: "tool_calls" }] };
	}
	let closed = 0;
	for await (const item of readStream("openai-chat", chunks())) if (item.kind === "call-closed") closed += 1;
	expect(closed).toBe(count);
});

test("a path without end is no path, and the call is closed as unreadable", async () => {
	const part = (functionCall: object) => ({ candidates: [{ content: { parts: [{ functionCall }] } }] });
	const items = await allOf(
		readStream("gemini", [
			part({ name: "look", willContinue: true }),
			part({ partialArgs: [{ jsonPath: `$['${"a".repeat(12 * MEGABYTE)}']`, stringValue: "x" }] }),
		]),
	);
	expect(items.map(({ kind }) => kind)).toEqual(["call-started", "call-closed", "end"]);
});
