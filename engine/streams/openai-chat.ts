// OpenAI Chat Completions
//
// The format with the most dialects (Mistral, DeepSeek, Groq, OpenRouter, Alibaba, vLLM, LM Studio, Ollama's compatible
// mode, watsonx). Nothing in it closes a single call: the finish reason closes them all. What comes after it (usage, a
// second finish reason, an error) can still change the verdict, so the end is told when the stream is over.
//
// Owns:      the chunks and the meaning of finish reasons.
// Does not:  decide which call a fragment belongs to (chat-calls.ts).

import { ChatCalls } from "./chat-calls.js";
import { FinishReason } from "./finish-reason.js";
import type { FormatReader } from "./format-reader.js";
import type { EndMeaning, Reply } from "./reply.js";
import { asFields, asList, asText, type WireEvent } from "./wire-event.js";

const MEANINGS: ReadonlyMap<string, EndMeaning> = new Map([
	["stop", "good"],
	["tool_calls", "good"],
	["function_call", "good"],
	["length", "length"],
	["max_tokens", "length"],
	["model_length", "length"],
	["content_filter", "filtered"],
	["sensitive", "filtered"],
]);

const NO_STREAM = "the body is a whole reply and no stream of one; ask for it with `stream: true`";

const ASKS_FOR_CALLS: ReadonlySet<string> = new Set(["tool_calls", "function_call"]);

export class OpenaiChatReader implements FormatReader {
	readonly #reply: Reply;
	readonly #calls: ChatCalls;
	readonly #finishReason = new FinishReason(MEANINGS);
	/** How many of the calls, from the first, a finish reason has closed. */
	#closed = 0;

	constructor(reply: Reply) {
		this.#reply = reply;
		this.#calls = new ChatCalls(reply);
	}

	read({ value }: WireEvent): void {
		// A request may ask for several alternative replies; the first is the one that is run.
		const choice = asFields(asList(value.choices).find((one) => (asFields(one).index ?? 0) === 0));
		// Its finish reason would make a good end of it, and its calls would be none.
		if (choice.delta === undefined && choice.message !== undefined) this.#reply.fail({ problem: NO_STREAM });
		if (this.#reply.ended) return;
		const delta = asFields(choice.delta);
		this.#text(delta.content);
		this.#calls.take(asList(delta.tool_calls));
		const reason = asText(choice.finish_reason);
		if (reason !== "" && !this.#reply.ended) this.#finish(reason);
	}

	sourceEnded(): void {
		const { word, meaning } = this.#finishReason;
		if (meaning === "good" && this.#calls.misplacedFragments) {
			const problem = "pieces of arguments came without saying which call they belong to";
			this.#reply.fail({ problem, reason: word });
		} else {
			this.#finishReason.end(this.#reply, ASKS_FOR_CALLS);
		}
	}

	// Plain text, or in Mistral's dialect a list of parts, some of which are thinking.
	#text(content: unknown): void {
		this.#reply.text(asText(content));
		for (const part of asList(content)) {
			const { type, text } = asFields(part);
			if (type === "text") this.#reply.text(asText(text));
		}
	}

	#finish(reason: string): void {
		this.#finishReason.say(reason);
		if (this.#finishReason.meaning !== "good") return;
		// A stream may go on to say it for every call again; those that it has closed are not looked at twice.
		const { calls } = this.#reply;
		for (; this.#closed < calls.length; this.#closed += 1) {
			const call = calls[this.#closed];
			if (call !== undefined) this.#reply.close(call);
		}
	}
}
