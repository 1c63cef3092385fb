// Ollama
//
// The native Chat API: one JSON object a line, the calls in it whole, with their arguments as an object. There are no ids
// (newer servers send some), and an index, where there is one, is not always that of the call, so a call is known by
// its order alone.
//
// Owns:      the lines of the stream and the meaning of its done reasons.
// Does not:  read Ollama's compatible mode, which is a dialect of openai-chat.ts.

import { FinishReason } from "./finish-reason.js";
import type { FormatReader } from "./format-reader.js";
import type { EndMeaning, Reply } from "./reply.js";
import { wholeArguments } from "./whole-arguments.js";
import { asFields, asList, asText, type WireEvent } from "./wire-event.js";

const MEANINGS: ReadonlyMap<string, EndMeaning> = new Map([
	["stop", "good"],
	["length", "length"],
]);

const ASKS_FOR_CALLS: ReadonlySet<string> = new Set();

export class OllamaReader implements FormatReader {
	readonly #reply: Reply;

	constructor(reply: Reply) {
		this.#reply = reply;
	}

	read({ value }: WireEvent): void {
		const message = asFields(value.message);
		this.#reply.text(asText(message.content));
		for (const toolCall of asList(message.tool_calls)) this.#call(toolCall);
		if (value.done !== true || this.#reply.ended) return;
		const reason = new FinishReason(MEANINGS);
		reason.say(asText(value.done_reason));
		reason.end(this.#reply, ASKS_FOR_CALLS);
	}

	sourceEnded(): void {
		this.#reply.fail({ problem: "the stream stopped before its last line, which says that it is done" });
	}

	#call(toolCall: unknown): void {
		const { id, function: called } = asFields(toolCall);
		const { name, arguments: args } = asFields(called);
		const call = this.#reply.begin({ id: asText(id), name: asText(name), kind: "json" });
		this.#reply.close(call, typeof args === "string" ? args : wholeArguments(args));
	}
}
