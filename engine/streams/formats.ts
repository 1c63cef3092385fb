// Formats
//
// Every wire format that can be read, and the reader of each.
//
// Owns:      the list, and loading what only one format needs.
// Does not:  tell which format a stream is in (detect-format.ts).

import { AiSdkReader } from "./ai-sdk.js";
import { AnthropicReader } from "./anthropic.js";
import { BedrockConverseReader } from "./bedrock-converse.js";
import { CohereReader } from "./cohere.js";
import type { StreamFormat } from "./detect-format.js";
import type { FormatReader } from "./format-reader.js";
import { GeminiReader } from "./gemini.js";
import { GeminiInteractionsReader } from "./gemini-interactions.js";
import { OllamaReader } from "./ollama.js";
import { OpenaiChatReader } from "./openai-chat.js";
import { OpenaiResponsesReader } from "./openai-responses.js";
import type { Reply } from "./reply.js";
import type { ByteFraming } from "./wire.js";

export interface Format {
	reader(reply: Reply): FormatReader;
	/** For a format whose bytes are no text. */
	byteFraming?(): Promise<ByteFraming>;
}

// The codec loads a good part of Amazon's client with it, so the one format that needs it loads it.
async function eventFrames(): Promise<ByteFraming> {
	const { EventFrames } = await import("./event-frames.js");
	return new EventFrames();
}

const READERS: Readonly<Record<StreamFormat, Format>> = {
	anthropic: { reader: (reply) => new AnthropicReader(reply) },
	"openai-chat": { reader: (reply) => new OpenaiChatReader(reply) },
	"openai-responses": { reader: (reply) => new OpenaiResponsesReader(reply) },
	gemini: { reader: (reply) => new GeminiReader(reply) },
	"gemini-interactions": { reader: (reply) => new GeminiInteractionsReader(reply) },
	"bedrock-converse": { reader: (reply) => new BedrockConverseReader(reply), byteFraming: eventFrames },
	cohere: { reader: (reply) => new CohereReader(reply) },
	ollama: { reader: (reply) => new OllamaReader(reply) },
	"ai-sdk": { reader: (reply) => new AiSdkReader(reply) },
	"ai-sdk-ui": { reader: (reply) => new AiSdkReader(reply) },
};

/** A map, since the name of a format may come from a host's own configuration. */
export const FORMATS: ReadonlyMap<string, Format> = new Map(Object.entries(READERS));
