// Detect format: heads that are cut, and first events that two formats share.

import { describe, expect, test } from "vitest";
import { FORMAT_HEAD_CHARS_MAX } from "../../engine/core/limits.js";
import { detectFormat, type StreamFormat } from "../../engine/streams/detect-format.js";

describe("a head", () => {
	test.each<[string, StreamFormat | undefined]>([
		['{"candidates":[{"content":{"parts":[{"functionCall":{"name":"lo', "gemini"],
		['data: {"responseId": "x", "candidates": [{"con', "gemini"],
		['{"method":"generateContentStream","response":[{"candidates":[{', "gemini"],
		['{"response": {"candidates": [', "gemini"],
		['{"promptFeedback":{"blockReason":"SAFETY"}}\n', "gemini"],
		['event: interaction.created\ndata: {"interaction":{"id":"v1', "gemini-interactions"],
		['data: {"event_type":"step.start","index":0,"step":{"type":"fun', "gemini-interactions"],
		['{"id":"x","type":"message-start","delta":{"mess', "cohere"],
		['{"model":"qwen3","created_at":"2025-06-09T17:58:55Z","message":{"role":"assis', "ollama"],
		['{"model":"qwen3","message":{"role":"assistant"},"done":false}\n', "ollama"],
		['data: {"type":"start"}\n\n', "ai-sdk-ui"],
		['data: {"type":"start","messageId":"m"}\n\n', "ai-sdk-ui"],
		['data: {"type":"tool-input-start","id":"a","toolName":"x"}\n\n', "ai-sdk-ui"],
		['{"type":"start"}\n', "ai-sdk"],
		['{"type":"text-delta","id":"1","text":"x"}\n', "ai-sdk"],
		['{"type":"text-delta","id":"1","delta":"x"}\n', "ai-sdk-ui"],
		['{"text":"\\"candidates\\":","type', undefined],
		['{"message":"candidates', undefined],
		['{"done":true}', undefined],
		["\u0000\u0000\u0000", undefined],
		["", undefined],
	])("%j is of %s", (head, format) => {
		expect(detectFormat(head)).toBe(format);
		expect(detectFormat(new TextEncoder().encode(head))).toBe(format);
	});
});

describe("an event", () => {
	test.each<[object, StreamFormat | undefined]>([
		[{ candidates: [] }, "gemini"],
		[{ response: { candidates: [] } }, "gemini"],
		[{ event_type: "content.start" }, "gemini-interactions"],
		[{ type: "tool-plan-delta" }, "cohere"],
		[{ message: {}, done: true }, "ollama"],
		[{ messageStart: { role: "assistant" } }, "bedrock-converse"],
		[{ type: "start" }, "ai-sdk"],
		[{ type: "stream-start", warnings: [] }, "ai-sdk"],
		[{ type: "start", messageId: "m" }, "ai-sdk-ui"],
		[{ type: "tool-call", toolCallId: "a" }, "ai-sdk"],
		[{ type: "tool-input-available", toolCallId: "a" }, "ai-sdk-ui"],
		[{ type: "start-of-something-else" }, undefined],
		[{ response: "candidates" }, undefined],
		[[], undefined],
	])("%j is of %s", (event, format) => {
		expect(detectFormat(event)).toBe(format);
	});
});

test("a head of blanks without end is looked at once", () => {
	const blanks = " ".repeat(FORMAT_HEAD_CHARS_MAX);
	for (const head of ['{"response":', '{"response":[', '{"type":', '{"a":1,', "{", ""])
		expect(detectFormat(head + blanks)).toBe(undefined);
	expect(detectFormat(`{"response":${" ".repeat(1_000)}[${" ".repeat(1_000)}{"candidates":[`)).toBe("gemini");
});
