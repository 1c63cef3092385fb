// A body that is read as another format than its own: its end says so, and no other end does.

import { describe, expect, test } from "vitest";
import type { StreamFormat } from "../../engine/streams/detect-format.js";
import { FORMATS } from "../../engine/streams/formats.js";
import { readStream } from "../../engine/streams/read-stream.js";
import { allOf, asServerSentEvents } from "./recordings.js";

/** How a stream of each format begins; none of them ends. */
const BEGINNINGS: Readonly<Record<StreamFormat, readonly object[]>> = {
	anthropic: [
		{ type: "message_start", message: { content: [] } },
		{ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
	],
	"openai-chat": [
		{ object: "chat.completion.chunk", choices: [{ index: 0, delta: { role: "assistant", content: "" } }] },
		{ object: "chat.completion.chunk", choices: [{ index: 0, delta: { content: "Hi" } }] },
	],
	"openai-responses": [
		{ type: "response.created", response: {} },
		{ type: "response.output_text.delta", delta: "Hi" },
	],
	gemini: [{ candidates: [{ content: { parts: [{ text: "Hi" }] } }] }],
	"gemini-interactions": [
		{ event_type: "interaction.created", interaction: {} },
		{ event_type: "step.start", index: 0, step: { type: "model_output" } },
	],
	"bedrock-converse": [{ messageStart: { role: "assistant" } }, { contentBlockDelta: { delta: { text: "Hi" } } }],
	cohere: [{ type: "message-start", delta: { message: { role: "assistant" } } }],
	ollama: [{ created_at: "2026-01-01", message: { role: "assistant", content: "Hi" }, done: false }],
	"ai-sdk": [
		{ type: "stream-start", request: {} },
		{ type: "text-start", id: "1", request: {} },
	],
	"ai-sdk-ui": [
		{ type: "start", messageId: "m" },
		{ type: "text-start", id: "1" },
	],
};

const formats = [...FORMATS.keys()] as StreamFormat[];

async function problemOf(format: StreamFormat, source: Iterable<object | string>): Promise<string> {
	const end = (await allOf(readStream(format, source as Iterable<string>))).at(-1);
	if (end?.kind !== "end" || end.good) throw new Error("the reply did not fail");
	return end.problem;
}

describe.each(formats)("a body of the format %s", (own) => {
	const others = formats.filter((other) => !(other.startsWith("ai-sdk") ? own.startsWith("ai-sdk") : other === own));

	test.each(others)("that is read as %s ends with both formats", async (other) => {
		const hint = `; its first event is one of the format "${own}", and it was read as "${other}"`;
		expect((await problemOf(other, BEGINNINGS[own])).endsWith(hint)).toBe(true);
		expect((await problemOf(other, BEGINNINGS[own].slice(0, 1))).endsWith(hint)).toBe(true);
	});

	test("that stops too early ends without a word of formats", async () => {
		for (let events = 1; events <= BEGINNINGS[own].length; events += 1) {
			expect(await problemOf(own, BEGINNINGS[own].slice(0, events))).not.toContain("format");
		}
	});
});

describe("a body", () => {
	test("of no format that is known ends with that, in bytes too, and behind its own end marker", async () => {
		const hint = 'the reply ended without a finish reason; no event of it was known as one of the format "openai-chat"';
		const events = [{ hello: 1 }, { choices: [] }];
		expect(await problemOf("openai-chat", events)).toBe(hint);
		expect(await problemOf("openai-chat", [asServerSentEvents(events)])).toBe(hint);
		expect(await problemOf("openai-chat", [`${asServerSentEvents(events)}data: [DONE]\n\n`])).toBe(hint);
	});

	test("whose first event nobody knows, and of which something was read, ends as ever", async () => {
		const events = [{ prompt_filter_results: [] }, { choices: [{ index: 0, delta: { content: "Hi" } }] }];
		expect(await problemOf("openai-chat", events)).toBe("the reply ended without a finish reason");
	});
});
