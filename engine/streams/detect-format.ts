// Detect format
//
// Names a stream's wire format by its first events. Text inside an event cannot mislead: only fields of the event itself
// are looked at, and of an event that is cut off only the fields before any text of the model.
//
// Owns:      the names of the formats, and by which fields each is known.
// Does not:  read a format (formats.ts) or cut bytes into events (wire.ts).

import { FORMAT_HEAD_CHARS_MAX } from "../core/limits.js";
import { asFields, asList, asText, type Fields, isFields } from "./wire-event.js";

/**
 * The wire formats that can be read. `'openai-chat'` is also the format of its dialects: Mistral, DeepSeek, Groq,
 * OpenRouter and Ollama's compatible mode among them. `'ai-sdk'` is its `fullStream`, `'ai-sdk-ui'` its UI message
 * stream; either name reads both.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type StreamFormat =
	| "anthropic"
	| "openai-chat"
	| "openai-responses"
	| "gemini"
	| "gemini-interactions"
	| "bedrock-converse"
	| "cohere"
	| "ollama"
	| "ai-sdk"
	| "ai-sdk-ui";

const ANTHROPIC_TYPES: ReadonlySet<string> = new Set([
	"message_start",
	"content_block_start",
	"content_block_delta",
	"content_block_stop",
	"message_delta",
	"message_stop",
]);

const COHERE_TYPES: ReadonlySet<string> = new Set([
	"message-start",
	"content-start",
	"content-delta",
	"tool-plan-delta",
	"tool-call-start",
	"message-end",
]);

const BEDROCK_EVENTS = ["messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop"];

/** A frame's header with its event's name: the kind of the value, its length in two bytes, its text. */
const BEDROCK_HEADER = new RegExp(`:event-type\\x07\\x00.(?:${BEDROCK_EVENTS.join("|")})`, "s");

const AI_SDK_TYPES =
	/^(?:start|start-step|finish-step|finish|stream-start|(?:text|reasoning|tool-input)-(?:start|delta|end))$/;
const FULL_STREAM_TYPES: ReadonlySet<string> = new Set(["tool-call", "tool-result", "tool-error"]);
const UI_TYPES: ReadonlySet<string> = new Set(["tool-input-available", "tool-input-error", "message-metadata"]);

const BEFORE = String.raw`^\{\s*(?:"\w+"\s*:\s*(?:"[^"\\]*"|\d+)\s*,\s*)*`;
const CUT_TYPE = new RegExp(String.raw`${BEFORE}"(?:object|type|event_type)"\s*:\s*"([^"\\]*)"`);
const CUT_GEMINI = new RegExp(String.raw`${BEFORE}(?:"response"\s*:\s*(?:\[\s*)?\{\s*)?"candidates"\s*:`);
const CUT_INTERACTION = /^\{\s*"interaction"\s*:\s*\{/;
const CUT_OLLAMA = new RegExp(String.raw`${BEFORE}"created_at"\s*:\s*"[^"\\]*"\s*,\s*"message"\s*:`);

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
	if (head instanceof Uint8Array) {
		const bytes = head.subarray(0, FORMAT_HEAD_CHARS_MAX);
		return bytes[0] === 0 ? formatOfFrames(bytes) : formatOfText(new TextDecoder().decode(bytes));
	}
	return isFields(head) ? formatOfEvent(head, "an event") : undefined;
}

type Seen = "an event" | "server-sent events" | "JSON lines";

function formatOfText(text: string): StreamFormat | undefined {
	for (const line of text.split(/\r\n|\n|\r/)) {
		const data = line.replace(/^\uFEFF?(?:data:)?\s*/, "");
		const seen = data === line ? "JSON lines" : "server-sent events";
		const format = data.startsWith("{") ? formatOfData(data, seen) : undefined;
		if (format !== undefined) return format;
	}
	return undefined;
}

function formatOfData(data: string, seen: Seen): StreamFormat | undefined {
	try {
		const value: unknown = JSON.parse(data);
		return isFields(value) ? formatOfEvent(value, seen) : undefined;
	} catch {
		return formatOfCutEvent(data, seen);
	}
}

// The head may end inside the first event; these formats name themselves before anything long.
function formatOfCutEvent(data: string, seen: Seen): StreamFormat | undefined {
	const named = CUT_TYPE.exec(data)?.[1];
	if (named !== undefined) return formatOfEvent({ type: named, object: named, event_type: named }, seen);
	if (CUT_GEMINI.test(data)) return "gemini";
	if (CUT_INTERACTION.test(data)) return "gemini-interactions";
	return CUT_OLLAMA.test(data) ? "ollama" : undefined;
}

function formatOfFrames(bytes: Uint8Array): StreamFormat | undefined {
	return BEDROCK_HEADER.test(new TextDecoder("latin1").decode(bytes)) ? "bedrock-converse" : undefined;
}

function formatOfEvent(event: Fields, seen: Seen): StreamFormat | undefined {
	const type = asText(event.type);
	if (ANTHROPIC_TYPES.has(type)) return "anthropic";
	if (type.startsWith("response.")) return "openai-responses";
	const [choice] = asList(event.choices);
	if (event.object === "chat.completion.chunk" || isFields(asFields(choice).delta)) return "openai-chat";
	if (isGemini(event) || isGemini(asFields(event.response)) || isGemini(asFields(asList(event.response)[0])))
		return "gemini";
	if (/^(?:interaction|step|content)\./.test(asText(event.event_type))) return "gemini-interactions";
	if (COHERE_TYPES.has(type)) return "cohere";
	if (isFields(event.message) && typeof event.done === "boolean") return "ollama";
	if (BEDROCK_EVENTS.some((name) => isFields(event[name]))) return "bedrock-converse";
	return formatOfPart(event, type, seen);
}

function isGemini(chunk: Fields): boolean {
	return Array.isArray(chunk.candidates) || isFields(chunk.promptFeedback);
}

// The two streams of the AI SDK begin alike; a first part that is the same in both is told by how it came.
function formatOfPart(part: Fields, type: string, seen: Seen): StreamFormat | undefined {
	const ofInput = type.startsWith("tool-input-") && "toolCallId" in part;
	const ofText = type === "text-delta" && "delta" in part;
	if (UI_TYPES.has(type) || ofInput || ofText) return "ai-sdk-ui";
	if (FULL_STREAM_TYPES.has(type)) return "ai-sdk";
	if (!AI_SDK_TYPES.test(type)) return undefined;
	const isUi = "messageId" in part || (seen === "server-sent events" && !("request" in part));
	return isUi ? "ai-sdk-ui" : "ai-sdk";
}
