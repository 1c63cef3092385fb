// Stream recipes
//
// One stream a wire format, as long as is wanted: a call whose one argument is a text that comes in equal deltas.
//
// Owns:      the events of each format.
// Does not:  make bytes of them or read them (streams.ts).

import type { StreamFormat } from "wavetrain";

export type Wire = "server-sent events" | "JSON lines" | "frames";

export interface Recipe {
	readonly format: StreamFormat;
	readonly wire: Wire;
	/** What comes before, for each delta, and after; for frames the first field names the event. */
	readonly before: readonly object[];
	readonly delta: (text: string) => object;
	readonly after: readonly object[];
}

const chat = (toolCall: object, reason: string | null = null): object => ({
	id: "chatcmpl-1",
	object: "chat.completion.chunk",
	choices: [{ index: 0, delta: { tool_calls: [toolCall] }, finish_reason: reason }],
});

const gemini = (functionCall: object, finishReason?: string): object => ({
	candidates: [{ content: { role: "model", parts: [{ functionCall }] }, finishReason }],
});

export const RECIPES: readonly Recipe[] = [
	{
		format: "openai-chat",
		wire: "server-sent events",
		before: [chat({ index: 0, id: "a", function: { name: "look", arguments: '{"t":"' } })],
		delta: (text) => chat({ index: 0, function: { arguments: text } }),
		after: [chat({ index: 0, function: { arguments: '"}' } }, "tool_calls")],
	},
	{
		format: "openai-responses",
		wire: "server-sent events",
		before: [
			{
				type: "response.output_item.added",
				output_index: 0,
				item: { type: "function_call", call_id: "a", name: "look" },
			},
			{ type: "response.function_call_arguments.delta", output_index: 0, delta: '{"t":"' },
		],
		delta: (text) => ({ type: "response.function_call_arguments.delta", output_index: 0, delta: text }),
		after: [],
	},
	{
		format: "anthropic",
		wire: "server-sent events",
		before: [
			{ type: "message_start" },
			{ type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "a", name: "look", input: {} } },
			{ type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"t":"' } },
		],
		delta: (text) => ({
			type: "content_block_delta",
			index: 0,
			delta: { type: "input_json_delta", partial_json: text },
		}),
		after: [
			{ type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '"}' } },
			{ type: "content_block_stop", index: 0 },
		],
	},
	{
		format: "gemini",
		wire: "server-sent events",
		before: [gemini({ name: "look", willContinue: true })],
		delta: (text) =>
			gemini({ partialArgs: [{ jsonPath: "$.t", stringValue: text, willContinue: true }], willContinue: true }),
		after: [gemini({ partialArgs: [{ jsonPath: "$.t", stringValue: "" }] }, "STOP")],
	},
	{
		format: "gemini-interactions",
		wire: "server-sent events",
		before: [
			{ index: 0, step: { type: "function_call", id: "a", name: "look", arguments: {} }, event_type: "step.start" },
			{ index: 0, delta: { arguments: '{"t":"', type: "arguments_delta" }, event_type: "step.delta" },
		],
		delta: (text) => ({ index: 0, delta: { arguments: text, type: "arguments_delta" }, event_type: "step.delta" }),
		after: [
			{ index: 0, delta: { arguments: '"}', type: "arguments_delta" }, event_type: "step.delta" },
			{ index: 0, event_type: "step.stop" },
		],
	},
	{
		format: "bedrock-converse",
		wire: "frames",
		before: [
			{ contentBlockStart: { contentBlockIndex: 0, start: { toolUse: { toolUseId: "a", name: "look" } } } },
			{ contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input: '{"t":"' } } } },
		],
		delta: (text) => ({ contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input: text } } } }),
		after: [
			{ contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input: '"}' } } } },
			{ contentBlockStop: { contentBlockIndex: 0 } },
		],
	},
	{
		format: "cohere",
		wire: "server-sent events",
		before: [
			{
				type: "tool-call-start",
				index: 0,
				delta: { message: { tool_calls: { id: "a", function: { name: "look", arguments: '{"t":"' } } } },
			},
		],
		delta: (text) => ({
			type: "tool-call-delta",
			index: 0,
			delta: { message: { tool_calls: { function: { arguments: text } } } },
		}),
		after: [
			{ type: "tool-call-delta", index: 0, delta: { message: { tool_calls: { function: { arguments: '"}' } } } } },
			{ type: "tool-call-end", index: 0 },
		],
	},
	{
		format: "ollama",
		wire: "JSON lines",
		before: [],
		// Its calls come whole, so that the deltas of the same length are text.
		delta: (text) => ({ model: "qwen3", message: { role: "assistant", content: text }, done: false }),
		after: [],
	},
	{
		format: "ai-sdk-ui",
		wire: "server-sent events",
		before: [
			{ type: "tool-input-start", toolCallId: "a", toolName: "look" },
			{ type: "tool-input-delta", toolCallId: "a", inputTextDelta: '{"t":"' },
		],
		delta: (text) => ({ type: "tool-input-delta", toolCallId: "a", inputTextDelta: text }),
		after: [{ type: "tool-input-delta", toolCallId: "a", inputTextDelta: '"}' }],
	},
];
