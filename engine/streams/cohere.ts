// Cohere
//
// Version 2 of the Chat API. Calls are blocks with a start, deltas and an end, at indexes of their own; the contents of
// the message have others. The plan that the model makes before its calls is not part of its answer.
//
// Owns:      the events of the stream and the meaning of its finish reasons.
// Does not:  decide when a call is complete (streamed-call.ts).

import { CallBlocks } from "./call-blocks.js";
import { FinishReason } from "./finish-reason.js";
import type { FormatReader } from "./format-reader.js";
import type { EndMeaning, Reply } from "./reply.js";
import { asFields, asPlace, asText, type WireEvent } from "./wire-event.js";

const MEANINGS: ReadonlyMap<string, EndMeaning> = new Map([
	["COMPLETE", "good"],
	["STOP_SEQUENCE", "good"],
	["TOOL_CALL", "good"],
	["MAX_TOKENS", "length"],
	["ERROR_TOXIC", "filtered"],
]);

const ASKS_FOR_CALLS: ReadonlySet<string> = new Set(["TOOL_CALL"]);

export class CohereReader implements FormatReader {
	readonly #reply: Reply;
	readonly #calls: CallBlocks;

	constructor(reply: Reply) {
		this.#reply = reply;
		this.#calls = new CallBlocks(reply, "tool call");
	}

	read({ value }: WireEvent): void {
		const place = asPlace(value.index);
		const delta = asFields(value.delta);
		const message = asFields(delta.message);
		const toolCall = asFields(message.tool_calls);
		const called = asFields(toolCall.function);
		switch (asText(value.type)) {
			case "message-start":
				this.#messageStart();
				break;
			case "content-delta":
				this.#reply.text(asText(asFields(message.content).text));
				break;
			case "tool-call-start":
				this.#calls.start(place, { id: asText(toolCall.id), name: asText(called.name) });
				if (asText(called.arguments) !== "") this.#calls.append(place, called.arguments);
				break;
			case "tool-call-delta":
				this.#calls.append(place, called.arguments);
				break;
			case "tool-call-end":
				this.#calls.stop(place);
				break;
			case "message-end":
				this.#messageEnd(asText(delta.finish_reason), asText(delta.error));
				break;
		}
	}

	sourceEnded(): void {
		this.#reply.fail({ problem: "the stream stopped before its `message-end`" });
	}

	#messageStart(): void {
		this.#reply.providerBegan();
		this.#calls.clear();
	}

	#messageEnd(word: string, error: string): void {
		if (error !== "") {
			this.#reply.fail({ problem: `the provider reported an error: ${error}`, reason: word });
			return;
		}
		const reason = new FinishReason(MEANINGS);
		reason.say(word);
		reason.end(this.#reply, ASKS_FOR_CALLS);
	}
}
