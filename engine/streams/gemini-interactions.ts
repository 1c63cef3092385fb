// Gemini Interactions
//
// An interaction is a list of steps, each started, streamed and stopped. A `function_call` step is a call for the host,
// its arguments text in pieces; steps of the provider's own tools (`google_search_call` and others) are not. The older
// form of this stream, `content.start` and its like, is not read: it has no sure end of a call.
//
// Owns:      the events of the Interactions stream and the meaning of an interaction's status.
// Does not:  decide when a call is complete (streamed-call.ts).

import { CallBlocks } from "./call-blocks.js";
import { FinishReason } from "./finish-reason.js";
import type { FormatReader } from "./format-reader.js";
import { failureOf } from "./provider-error.js";
import type { EndMeaning, Reply } from "./reply.js";
import { asFields, asList, asPlace, asText, type Fields, type WireEvent } from "./wire-event.js";

const MEANINGS: ReadonlyMap<string, EndMeaning> = new Map([
	["completed", "good"],
	["requires_action", "good"],
	["incomplete", "length"],
]);

const ASKS_FOR_CALLS: ReadonlySet<string> = new Set(["requires_action"]);

export class GeminiInteractionsReader implements FormatReader {
	readonly #reply: Reply;
	readonly #steps: CallBlocks;

	constructor(reply: Reply) {
		this.#reply = reply;
		this.#steps = new CallBlocks(reply, "step");
	}

	read({ name, value }: WireEvent): void {
		const type = asText(value.event_type) || (name ?? "");
		switch (type) {
			case "interaction.created":
				this.#created();
				break;
			case "step.start":
				this.#stepStart(asFields(value.step), asPlace(value.index));
				break;
			case "step.delta":
				this.#stepDelta(asFields(value.delta), asPlace(value.index));
				break;
			case "step.stop":
				this.#steps.stop(asPlace(value.index));
				break;
			case "interaction.completed":
				this.#completed(asFields(value.interaction));
				break;
			default:
				if (type.startsWith("content.")) this.#olderForm(type);
		}
	}

	sourceEnded(): void {
		this.#reply.fail({ problem: "the stream stopped before its `interaction.completed`" });
	}

	#created(): void {
		this.#reply.providerBegan();
		this.#steps.clear();
	}

	#stepStart(step: Fields, place: number | undefined): void {
		if (step.type === "function_call") {
			this.#steps.start(place, { id: asText(step.id), name: asText(step.name), input: step.arguments });
			return;
		}
		this.#steps.start(place);
		for (const content of asList(step.content)) {
			const { type, text } = asFields(content);
			if (type === "text") this.#reply.text(asText(text));
		}
	}

	#stepDelta(delta: Fields, place: number | undefined): void {
		if (delta.type === "text") this.#reply.text(asText(delta.text));
		if (delta.type === "arguments_delta") this.#steps.append(place, delta.arguments);
	}

	#completed(interaction: Fields): void {
		const status = asText(interaction.status);
		if (status === "failed" || status === "cancelled") {
			this.#reply.fail(failureOf(interaction, status));
			return;
		}
		const reason = new FinishReason(MEANINGS);
		reason.say(status);
		reason.end(this.#reply, ASKS_FOR_CALLS);
	}

	#olderForm(type: string): void {
		this.#reply.fail({ problem: `the stream is of the older form of interactions, which is not read (\`${type}\`)` });
	}
}
