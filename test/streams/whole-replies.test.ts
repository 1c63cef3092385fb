// A request that did not ask for a stream is answered by a whole reply. It may be read where its form is that of an event,
// and its calls are then told; it is never a good end that has lost them.

import { expect, it } from "vitest";
import type { StreamFormat } from "../../engine/streams/detect-format.js";
import { told } from "./told.js";

const call = { name: "look", arguments: "{}" };

const REPLIES: readonly (readonly [StreamFormat, unknown])[] = [
	[
		"openai-chat",
		{
			object: "chat.completion",
			choices: [
				{
					index: 0,
					message: { role: "assistant", content: null, tool_calls: [{ id: "a", type: "function", function: call }] },
					finish_reason: "tool_calls",
				},
			],
		},
	],
	[
		"openai-chat",
		{ object: "chat.completion", choices: [{ index: 0, message: { content: "hello" }, finish_reason: "stop" }] },
	],
	[
		"openai-responses",
		{ object: "response", status: "completed", output: [{ type: "function_call", call_id: "a", ...call }] },
	],
	[
		"anthropic",
		{
			type: "message",
			role: "assistant",
			content: [{ type: "tool_use", id: "a", name: "look", input: {} }],
			stop_reason: "tool_use",
		},
	],
	[
		"gemini",
		{ candidates: [{ content: { parts: [{ functionCall: { name: "look", args: {} } }] }, finishReason: "STOP" }] },
	],
	["gemini-interactions", { status: "requires_action", outputs: [{ type: "function_call", id: "a", name: "look" }] }],
	["cohere", { finish_reason: "TOOL_CALL", message: { tool_calls: [{ id: "a", type: "function", function: call }] } }],
	[
		"ollama",
		{
			message: { content: "", tool_calls: [{ function: { name: "look", arguments: {} } }] },
			done: true,
			done_reason: "stop",
		},
	],
	["ai-sdk", { finishReason: "tool-calls", toolCalls: [{ toolCallId: "a", toolName: "look", input: {} }] }],
	["ai-sdk-ui", { finishReason: "tool-calls", toolCalls: [{ toolCallId: "a", toolName: "look", input: {} }] }],
];

it.each(REPLIES)("%s: a whole reply has lost no call where its end is good", async (format, reply) => {
	const lines = await told(format, [JSON.stringify(reply)]);
	const end = lines.at(-1) ?? "";
	if (end.startsWith("good")) expect(lines.filter((line) => line.startsWith("closed"))).toHaveLength(1);
	else expect(end).toMatch(/^failed: ./);
});

it.each(REPLIES.slice(0, 2))("%s: a whole reply is told as none of a stream", async (format, reply) => {
	expect(await told(format, [JSON.stringify(reply)])).toEqual([
		"failed: the body is a whole reply and no stream of one; ask for it with `stream: true`",
	]);
});
