// Detect format
//
// Names a stream's wire format by its first events. Text inside an event cannot mislead: only fields of the event itself
// are looked at, and of an event that is cut off only the fields before any text of the model.

import { FORMAT_HEAD_CHARS_MAX } from "../core/limits.js";
import { asFields, asList, asText, type Fields, isFields } from "./wire-event.js";

/**
 * The wire formats that can be read. `'openai-chat'` is also the format of its dialects: Mistral, DeepSeek, Groq,
 * OpenRouter and Ollama's compatible mode among them.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type StreamFormat = "anthropic" | "openai-chat" | "openai-responses";

const ANTHROPIC_TYPES: ReadonlySet<string> = new Set([
	"message_start",
	"content_block_start",
	"content_block_delta",
	"content_block_stop",
	"message_delta",
	"message_stop",
]);

/**
 * Names the format of a stream from its beginning.
 *
 * @param head - The first bytes or text of the stream (one whole event is enough; its first 256 Ki are looked at), or
 * its first event, parsed.
 * @returns The format, or `undefined` when it is none that can be read.
 * @remarks Since 0.1.0.
 * @public
 */
export function detectFormat(head: string | Uint8Array | object): StreamFormat | undefined {
	if (typeof head === "string") return formatOfText(head.slice(0, FORMAT_HEAD_CHARS_MAX));
	if (head instanceof Uint8Array)
		return formatOfText(new TextDecoder().decode(head.subarray(0, FORMAT_HEAD_CHARS_MAX)));
	return isFields(head) ? formatOfEvent(head) : undefined;
}

function formatOfText(text: string): StreamFormat | undefined {
	for (const line of text.split(/\r\n|\n|\r/)) {
		const data = line.replace(/^\uFEFF?(?:data:)?\s*/, "");
		const format = data.startsWith("{") ? formatOfData(data) : undefined;
		if (format !== undefined) return format;
	}
	return undefined;
}

function formatOfData(data: string): StreamFormat | undefined {
	try {
		const value: unknown = JSON.parse(data);
		return isFields(value) ? formatOfEvent(value) : undefined;
	} catch {
		return formatOfCutEvent(data);
	}
}

// The head may end inside the first event; these formats name themselves before anything long.
function formatOfCutEvent(data: string): StreamFormat | undefined {
	const named = /^\{\s*(?:"\w+"\s*:\s*(?:"[^"\\]*"|\d+)\s*,\s*)*"(?:object|type)"\s*:\s*"([^"\\]*)"/.exec(data);
	return named === null ? undefined : formatOfEvent({ type: named[1], object: named[1] });
}

function formatOfEvent(event: Fields): StreamFormat | undefined {
	const type = asText(event.type);
	if (ANTHROPIC_TYPES.has(type)) return "anthropic";
	if (type.startsWith("response.")) return "openai-responses";
	const [choice] = asList(event.choices);
	const isChunk = event.object === "chat.completion.chunk" || isFields(asFields(choice).delta);
	return isChunk ? "openai-chat" : undefined;
}
