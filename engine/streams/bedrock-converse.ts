// Bedrock Converse
//
// A message of content blocks in frames of an event stream, or as the events that Amazon's client hands over: objects
// with one field, named for the event. Only blocks that are calls have a start; text begins with its first piece. Every
// event may carry a field `p`, which is padding. The usage comes after the stop reason, and so may an exception.
//
// Owns:      the events of the Converse stream and the meaning of its stop reasons.
// Does not:  read frames (event-frames.ts).

import { CallBlocks } from "./call-blocks.js";
import { FinishReason } from "./finish-reason.js";
import type { FormatReader } from "./format-reader.js";
import type { EndMeaning, Reply } from "./reply.js";
import { asFields, asPlace, asText, type Fields, isFields, type WireEvent } from "./wire-event.js";

const MEANINGS: ReadonlyMap<string, EndMeaning> = new Map([
	["end_turn", "good"],
	["tool_use", "good"],
	["stop_sequence", "good"],
	["max_tokens", "length"],
	["model_context_window_exceeded", "length"],
	["guardrail_intervened", "filtered"],
	["content_filtered", "filtered"],
]);

const ASKS_FOR_CALLS: ReadonlySet<string> = new Set(["tool_use"]);

export class BedrockConverseReader implements FormatReader {
	readonly #reply: Reply;
	readonly #blocks: CallBlocks;
	readonly #stopReason = new FinishReason(MEANINGS);

	constructor(reply: Reply) {
		this.#reply = reply;
		this.#blocks = new CallBlocks(reply, "content block");
	}

	read({ name, value }: WireEvent): void {
		if (name === undefined) for (const [kind, fields] of Object.entries(value)) this.#event(kind, asFields(fields));
		else this.#event(name, value);
	}

	sourceEnded(): void {
		this.#stopReason.end(this.#reply, ASKS_FOR_CALLS);
	}

	#event(kind: string, fields: Fields): void {
		if (this.#reply.ended) return;
		const place = asPlace(fields.contentBlockIndex);
		if (kind === "messageStart") this.#messageStart();
		else if (kind === "contentBlockStart") this.#blockStart(asFields(fields.start), place);
		else if (kind === "contentBlockDelta") this.#blockDelta(asFields(fields.delta), place);
		else if (kind === "contentBlockStop") this.#blockStop(place);
		else if (kind === "messageStop") this.#stopReason.say(asText(fields.stopReason));
		else if (kind.endsWith("Exception")) this.#exception(kind, asText(fields.message));
	}

	#messageStart(): void {
		this.#reply.providerBegan();
		this.#blocks.clear();
		this.#stopReason.forget();
	}

	#blockStart({ toolUse }: Fields, place: number | undefined): void {
		// Tools that the provider runs itself have a type.
		if (!isFields(toolUse) || toolUse.type !== undefined) this.#blocks.start(place);
		else this.#blocks.start(place, { id: asText(toolUse.toolUseId), name: asText(toolUse.name), input: toolUse.input });
	}

	#blockDelta(delta: Fields, place: number | undefined): void {
		if (isFields(delta.toolUse)) {
			this.#blocks.append(place, delta.toolUse.input);
			return;
		}
		if (!this.#blocks.has(place)) this.#blocks.start(place);
		this.#reply.text(asText(delta.text));
	}

	#blockStop(place: number | undefined): void {
		// A block of which only the stop comes is an empty text.
		if (this.#blocks.has(place)) this.#blocks.stop(place);
	}

	#exception(kind: string, message: string): void {
		this.#reply.fail({ problem: `the provider reported an error: ${message || kind}`, reason: kind });
	}
}
