// Anthropic Messages
//
// A message is a list of content blocks, each with a start, deltas and a stop. A `tool_use` block is a call for the host;
// tools that the provider runs itself (`server_tool_use`, `mcp_tool_use`) are not.
//
// Owns:      the events of the Messages stream and the meaning of its stop reasons.
// Does not:  decide when a call is complete (streamed-call.ts).

import { CallBlocks } from "./call-blocks.js";
import { FinishReason } from "./finish-reason.js";
import type { FormatReader } from "./format-reader.js";
import type { EndMeaning, Reply } from "./reply.js";
import { asFields, asPlace, asText, type Fields, type WireEvent } from "./wire-event.js";

const MEANINGS: ReadonlyMap<string, EndMeaning> = new Map([
	["end_turn", "good"],
	["tool_use", "good"],
	["stop_sequence", "good"],
	["pause_turn", "good"],
	["max_tokens", "length"],
	["model_context_window_exceeded", "length"],
	["refusal", "filtered"],
]);

const ASKS_FOR_CALLS: ReadonlySet<string> = new Set(["tool_use"]);

export class AnthropicReader implements FormatReader {
	readonly #reply: Reply;
	readonly #blocks: CallBlocks;
	readonly #stopReason = new FinishReason(MEANINGS);

	constructor(reply: Reply) {
		this.#reply = reply;
		this.#blocks = new CallBlocks(reply, "content block");
	}

	read({ value }: WireEvent): void {
		switch (asText(value.type)) {
			case "message_start":
				this.#messageStart();
				break;
			case "content_block_start":
				this.#blockStart(asFields(value.content_block), asPlace(value.index));
				break;
			case "content_block_delta":
				this.#blockDelta(asFields(value.delta), asPlace(value.index));
				break;
			case "content_block_stop":
				this.#blocks.stop(asPlace(value.index));
				break;
			case "message_delta":
				this.#stopReason.say(asText(asFields(value.delta).stop_reason));
				break;
			case "message_stop":
				this.#stopReason.end(this.#reply, ASKS_FOR_CALLS);
				break;
		}
	}

	sourceEnded(): void {
		const reason = this.#stopReason.word;
		this.#reply.fail({
			problem: "the stream stopped before its `message_stop`",
			...(reason !== "" && { reason }),
		});
	}

	#messageStart(): void {
		this.#reply.providerBegan();
		this.#blocks.clear();
		this.#stopReason.forget();
	}

	#blockStart(block: Fields, place: number | undefined): void {
		if (block.type === "tool_use") {
			this.#blocks.start(place, { id: asText(block.id), name: asText(block.name), input: block.input });
			return;
		}
		this.#blocks.start(place);
		if (block.type === "text") this.#reply.text(asText(block.text));
	}

	#blockDelta(delta: Fields, place: number | undefined): void {
		if (delta.type === "text_delta") this.#reply.text(asText(delta.text));
		if (delta.type === "input_json_delta") this.#blocks.append(place, delta.partial_json);
	}
}
