// Hostile values: arguments that come as values, from a host that hands over parsed events, may be anything at all.

import { describe, expect, test } from "vitest";
import { readArguments } from "../../engine/core/call.js";
import { ARGUMENTS_CHARS_MAX, JSON_DEPTH_MAX } from "../../engine/core/limits.js";
import type { StreamFormat } from "../../engine/streams/detect-format.js";
import { FinishReason } from "../../engine/streams/finish-reason.js";
import { readStream } from "../../engine/streams/read-stream.js";
import type { StreamItem } from "../../engine/streams/stream-item.js";
import { allOf } from "./recordings.js";

const cycle: Record<string, unknown> = {};
cycle.itself = cycle;

function deep(levels: number): object {
	return JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`) as object;
}

const DEEPER_THAN_THE_STACK = 200_000;
const HOSTILE: readonly (readonly [string, unknown])[] = [
	["that contains itself", cycle],
	["with a getter that throws", Object.defineProperty({}, "a", { enumerable: true, get: () => JSON.parse("{") })],
	["that throws when it is turned into JSON", { toJSON: () => JSON.parse("{") }],
	["with a function in it", { run: () => 1 }],
	["one level too deep", deep(JSON_DEPTH_MAX + 1)],
	["deeper than the stack", deep(DEEPER_THAN_THE_STACK)],
	["longer than the limit", { text: "x".repeat(ARGUMENTS_CHARS_MAX) }],
];

/** A reply with one call that has these arguments, in each format that takes a value. */
const REPLIES: readonly (readonly [StreamFormat, (args: unknown) => object[]])[] = [
	[
		"anthropic",
		(input) => [
			{ type: "message_start" },
			{ type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "a", name: "look", input } },
			{ type: "content_block_stop", index: 0 },
			{ type: "message_delta", delta: { stop_reason: "tool_use" } },
			{ type: "message_stop" },
		],
	],
	[
		"openai-chat",
		(args) => [
			{ choices: [{ delta: { tool_calls: [{ index: 0, function: { name: "look", arguments: args } }] } }] },
			{ choices: [{ finish_reason: "tool_calls" }] },
		],
	],
	[
		"gemini",
		(args) => [
			{
				candidates: [{ content: { parts: [{ functionCall: { name: "look", args } }] }, finishReason: "STOP" }],
			},
		],
	],
	[
		"gemini-interactions",
		(args) => [
			{ event_type: "step.start", index: 0, step: { type: "function_call", name: "look", arguments: args } },
			{ event_type: "step.stop", index: 0 },
			{ event_type: "interaction.completed", interaction: { status: "completed" } },
		],
	],
	[
		"ollama",
		(args) => [
			{ message: { tool_calls: [{ function: { name: "look", arguments: args } }] } },
			{ done: true, done_reason: "stop" },
		],
	],
	[
		"ai-sdk",
		(input) => [
			{ type: "tool-call", toolCallId: "a", toolName: "look", input },
			{ type: "finish", finishReason: "tool-calls" },
		],
	],
];

const closedOf = (items: readonly StreamItem[]): Extract<StreamItem, { kind: "call-closed" }> => {
	const closed = items.find((item) => item.kind === "call-closed");
	if (closed?.kind !== "call-closed") throw new Error("not closed");
	return closed;
};

describe.each(REPLIES)("arguments of %s", (format, reply) => {
	test.each(HOSTILE)("%s are closed as unreadable, and never complete", async (_name, args) => {
		const items = await allOf(readStream(format, reply(args)));
		expect(items.map(({ kind }) => kind)).toEqual(["call-started", "call-closed", "end"]);
		expect(readArguments(closedOf(items).call.args)).toMatchObject({ ok: false });
		expect(closedOf(items).argsText.length).toBeLessThanOrEqual(ARGUMENTS_CHARS_MAX + 1);
	});

	test("as deep as the limit are read", async () => {
		const items = await allOf(readStream(format, reply(deep(JSON_DEPTH_MAX))));
		expect(items.map(({ kind }) => kind)).toEqual(["call-started", "call-complete", "call-closed", "end"]);
		expect(readArguments(closedOf(items).call.args)).toMatchObject({ ok: true });
	});
});

test("an error that cannot be written as JSON fails the reply like any other", async () => {
	const items = await allOf(readStream("openai-chat", [{ error: cycle }]));
	expect(items.at(-1)).toMatchObject({ good: false, problem: expect.stringContaining("[Circular") as string });
});

test("FR1: a bad finish reason is never replaced by a good one, and a good one by any bad one", () => {
	const meanings = new Map([["stop", "good"] as const, ["length", "length"] as const]);
	const said = (...words: readonly string[]): string => {
		const reason = new FinishReason(meanings);
		for (const word of words) reason.say(word);
		return `${reason.word}: ${reason.meaning}`;
	};
	expect(said("stop", "length")).toBe("length: length");
	expect(said("length", "stop", "other")).toBe("length: length");
	expect(said("other", "stop")).toBe("other: failed");
	expect(said("", "stop", "")).toBe("stop: good");
	expect(said()).toBe(": failed");
});
