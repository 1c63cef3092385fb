// Anthropic Messages
//
// A message is a list of content blocks, each with a start, deltas and a stop. A `tool_use` block is a call for the host;
// tools that the provider runs itself (`server_tool_use`, `mcp_tool_use`) are not.
//
// Owns:      the events of the Messages stream and the meaning of its stop reasons.
// Does not:  decide when a call is complete (streamed-call.ts).

import type { FormatReader } from "./format-reader.js";
import type { EndMeaning, Reply } from "./reply.js";
import type { StreamedCall } from "./streamed-call.js";
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

/** A block that was started; only a call of the host's has `call`, and `input` if its start held any. */
interface Block {
	readonly call?: StreamedCall;
	readonly input?: Fields;
	stopped: boolean;
}

export class AnthropicReader implements FormatReader {
	readonly #reply: Reply;
	#blocks = new Map<number, Block>();
	#messageBegan = false;
	#stopReason = "";

	constructor(reply: Reply) {
		this.#reply = reply;
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
				this.#blockStop(asPlace(value.index));
				break;
			case "message_delta":
				this.#messageDelta(asText(asFields(value.delta).stop_reason));
				break;
			case "message_stop":
				this.#messageStop();
				break;
		}
	}

	sourceEnded(): void {
		this.#fail("the stream stopped before its `message_stop`");
	}

	#messageStart(): void {
		if (this.#messageBegan) this.#reply.restart();
		this.#messageBegan = true;
		this.#blocks = new Map();
		this.#stopReason = "";
	}

	#blockStart(block: Fields, place: number | undefined): void {
		const before = place === undefined ? undefined : this.#blocks.get(place);
		if (place === undefined || before?.stopped === false) {
			this.#fail(`a content block started at index ${place}, which is no place of its own`);
			return;
		}
		if (block.type !== "tool_use") {
			this.#blocks.set(place, { stopped: false });
			if (block.type === "text") this.#reply.text(asText(block.text));
			return;
		}
		const call = this.#reply.begin({ id: asText(block.id), name: asText(block.name), kind: "json" });
		// A place used again tells its pieces apart by time alone.
		if (before !== undefined) call.doubt();
		const input = asFields(block.input);
		this.#blocks.set(place, { call, stopped: false, ...(Object.keys(input).length > 0 && { input }) });
	}

	#blockDelta(delta: Fields, place: number | undefined): void {
		if (delta.type === "text_delta") this.#reply.text(asText(delta.text));
		if (delta.type !== "input_json_delta") return;
		const block = place === undefined ? undefined : this.#blocks.get(place);
		const piece = delta.partial_json;
		// A piece of arguments without its block means that something was lost on the way, perhaps a call.
		if (block === undefined || block.stopped)
			this.#fail(`arguments came for content block ${place}, which is not open`);
		else if (typeof piece !== "string") this.#fail("a piece of arguments is not a text");
		else if (block.call !== undefined) this.#take(block.call, piece);
	}

	#take(call: StreamedCall, piece: string): void {
		this.#reply.append(call, piece);
		this.#reply.reportComplete(call);
	}

	#blockStop(place: number | undefined): void {
		const block = place === undefined ? undefined : this.#blocks.get(place);
		if (block === undefined) {
			this.#fail(`content block ${place} stopped and never started`);
			return;
		}
		if (block.stopped) return;
		block.stopped = true;
		if (block.call === undefined) return;
		// Whole input may stand in the block's start instead of in deltas.
		if (block.input !== undefined && !block.call.hasArguments) {
			this.#reply.append(block.call, JSON.stringify(block.input));
		}
		this.#reply.close(block.call);
	}

	#messageDelta(reason: string): void {
		// Of two stop reasons that contradict each other the worse one counts.
		const replaces = this.#stopReason === "" || meaningOf(this.#stopReason) === "good";
		if (reason !== "" && replaces) this.#stopReason = reason;
	}

	#messageStop(): void {
		const reason = this.#stopReason;
		if (reason === "") this.#fail("the message stopped without a stop reason");
		else if (reason === "tool_use" && this.#reply.calls.length === 0)
			this.#fail("the message asks for calls, holds none");
		else this.#reply.end(reason, meaningOf(reason));
	}

	#fail(problem: string): void {
		this.#reply.fail({ problem, reason: this.#stopReason || undefined });
	}
}

function meaningOf(reason: string): EndMeaning {
	return MEANINGS.get(reason) ?? "failed";
}
