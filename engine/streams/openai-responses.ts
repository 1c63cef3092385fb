// OpenAI Responses
//
// A response is a list of output items, each added, streamed and done. A `function_call` item is a call for the host, a
// `custom_tool_call` one with free text instead of JSON; items that the provider runs itself are not.
//
// Owns:      the events of the Responses stream and what its end means.
// Does not:  decide when a call is complete (streamed-call.ts).

import type { FormatReader } from "./format-reader.js";
import { failureOf } from "./provider-error.js";
import type { EndMeaning, Reply } from "./reply.js";
import type { ArgumentsKind, StreamedCall } from "./streamed-call.js";
import { asFields, asList, asPlace, asText, type Fields, type WireEvent } from "./wire-event.js";

const KINDS: ReadonlyMap<string, ArgumentsKind> = new Map([
	["function_call", "json"],
	["custom_tool_call", "free"],
]);

const CUT_MEANINGS: ReadonlyMap<string, EndMeaning> = new Map([
	["max_output_tokens", "length"],
	["content_filter", "filtered"],
]);

export class OpenaiResponsesReader implements FormatReader {
	readonly #reply: Reply;
	/** The calls by their place in the output; where a dialect gives none, by the item's id. */
	#byPlace = new Map<number | string, StreamedCall>();

	constructor(reply: Reply) {
		this.#reply = reply;
	}

	read({ value }: WireEvent): void {
		switch (asText(value.type)) {
			case "response.created":
				this.#created();
				break;
			case "response.output_item.added":
				this.#added(value);
				break;
			case "response.function_call_arguments.delta":
				this.#delta(value);
				break;
			case "response.custom_tool_call_input.delta":
				this.#delta(value);
				break;
			case "response.function_call_arguments.done":
				this.#argumentsDone(value);
				break;
			case "response.output_item.done":
				this.#itemDone(value);
				break;
			case "response.output_text.delta":
				this.#reply.text(asText(value.delta));
				break;
			case "response.completed":
			case "response.incomplete":
			case "response.failed":
			case "response.cancelled":
				this.#ended(asFields(value.response), asText(value.type).slice("response.".length));
				break;
		}
	}

	sourceEnded(): void {
		this.#reply.fail({ problem: "the stream stopped before its `response.completed`" });
	}

	#created(): void {
		this.#reply.providerBegan();
		this.#byPlace = new Map();
	}

	#added(value: Fields): StreamedCall | undefined {
		const item = asFields(value.item);
		const kind = KINDS.get(asText(item.type));
		if (kind === undefined) return undefined;
		const key = asPlace(value.output_index) ?? asText(item.id);
		const before = this.#byPlace.get(key);
		const id = asText(item.call_id);
		const name = asText(item.name);
		if (before !== undefined && (before.id === id || before.id === "" || id === "")) {
			if (before.id === "") before.identify({ id });
			if (before.name === "") before.identify({ name });
			if (name !== "" && before.name !== name) this.#fail(`call ${before.index} is named twice, differently`);
			return before;
		}
		const call = this.#reply.begin({ id, name, kind });
		before?.doubt();
		if (before !== undefined || typeof key === "string") call.doubt();
		this.#byPlace.set(key, call);
		return call;
	}

	#callOf(value: Fields): StreamedCall | undefined {
		return this.#byPlace.get(asPlace(value.output_index) ?? asText(value.item_id));
	}

	#delta(value: Fields): void {
		const call = this.#callOf(value);
		const piece = value.delta;
		// A piece of arguments without its item means that something was lost on the way, perhaps a call.
		if (call === undefined) this.#fail("arguments came for an output item that was never added");
		else if (call.isClosed) this.#fail(`arguments came for call ${call.index} after it was done`);
		else if (typeof piece !== "string") this.#fail("a piece of arguments is not a text");
		else {
			this.#reply.append(call, piece);
			this.#reply.reportComplete(call);
		}
	}

	#argumentsDone(value: Fields): void {
		const call = this.#callOf(value);
		if (call === undefined) this.#fail("arguments were done for an output item that was never added");
		else this.#close(call, value.arguments);
	}

	#itemDone(value: Fields): void {
		const call = this.#added(value);
		const item = asFields(value.item);
		// An incomplete call stays open, so that no end can be good.
		if (call === undefined || item.status === "incomplete") return;
		this.#close(call, item[item.type === "custom_tool_call" ? "input" : "arguments"]);
	}

	#close(call: StreamedCall, whole: unknown): void {
		if (typeof whole !== "string") this.#fail(`call ${call.index} was done without its arguments`);
		else if (!call.isClosed) this.#reply.close(call, whole);
		else if (!call.closedWith(whole)) this.#fail(`call ${call.index} was done twice, with different arguments`);
	}

	#ended(response: Fields, type: string): void {
		if (type === "failed" || type === "cancelled") {
			this.#reply.fail(failureOf(response, type));
			return;
		}
		if (type === "incomplete") {
			const reason = asText(asFields(response.incomplete_details).reason) || type;
			this.#reply.end(reason, CUT_MEANINGS.get(reason) ?? "failed");
			return;
		}
		const listed = asList(response.output).filter((item) => KINDS.has(asText(asFields(item).type))).length;
		// Some dialects leave the list out; one that is there has to agree with what was streamed.
		if (listed > 0 && listed !== this.#reply.calls.length) {
			this.#fail(`the response lists ${listed} calls, and ${this.#reply.calls.length} were streamed`);
			return;
		}
		this.#reply.end(type, "good");
	}

	#fail(problem: string): void {
		this.#reply.fail({ problem });
	}
}
