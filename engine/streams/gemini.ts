// Gemini
//
// Chunks of candidates. A call comes whole in one part, or is begun by its name and goes on in parts without one, each
// with pieces of the arguments by JSON path, until a part no longer says that more will come. There are no ids and no
// indexes, so only the order of the parts says which call a piece belongs to.
//
// A finish reason does not end the stream: more chunks may follow it, so the end is told when the stream is over.
//
// Owns:      the chunks, also those wrapped in a `response`, and the meaning of finish and block reasons.
// Does not:  assemble arguments by path (path-arguments.ts).

import { FinishReason } from "./finish-reason.js";
import type { FormatReader } from "./format-reader.js";
import { PathArguments } from "./path-arguments.js";
import { providerError } from "./provider-error.js";
import type { EndMeaning, Reply } from "./reply.js";
import type { StreamedCall } from "./streamed-call.js";
import { wholeArguments } from "./whole-arguments.js";
import { asFields, asList, asText, type Fields, isFields, type WireEvent } from "./wire-event.js";

const MEANINGS: ReadonlyMap<string, EndMeaning> = new Map([
	["STOP", "good"],
	["MAX_TOKENS", "length"],
	["SAFETY", "filtered"],
	["RECITATION", "filtered"],
	["LANGUAGE", "filtered"],
	["BLOCKLIST", "filtered"],
	["PROHIBITED_CONTENT", "filtered"],
	["SPII", "filtered"],
	["MODEL_ARMOR", "filtered"],
	["IMAGE_SAFETY", "filtered"],
	["IMAGE_PROHIBITED_CONTENT", "filtered"],
	["IMAGE_RECITATION", "filtered"],
]);

const ASKS_FOR_CALLS: ReadonlySet<string> = new Set();

interface OpenCall {
	readonly call: StreamedCall;
	readonly args: PathArguments;
}

export class GeminiReader implements FormatReader {
	readonly #reply: Reply;
	readonly #finishReason = new FinishReason(MEANINGS);
	#open: OpenCall | undefined;

	constructor(reply: Reply) {
		this.#reply = reply;
	}

	read({ value }: WireEvent): void {
		const { response } = value;
		if (isFields(response)) this.#inner(response);
		else if (Array.isArray(response)) for (const chunk of response) this.#inner(asFields(chunk));
		else this.#chunk(value);
	}

	sourceEnded(): void {
		this.#finishReason.end(this.#reply, ASKS_FOR_CALLS);
	}

	#inner(chunk: Fields): void {
		const failure = providerError({ kind: "data", name: undefined, value: chunk });
		if (failure === undefined) this.#chunk(chunk);
		else this.#reply.fail(failure);
	}

	#chunk(chunk: Fields): void {
		this.#finishReason.say(asText(asFields(chunk.promptFeedback).blockReason));
		// A request may ask for several alternative replies; the first is the one that is run.
		const candidate = asFields(asList(chunk.candidates).find((one) => (asFields(one).index ?? 0) === 0));
		for (const part of asList(asFields(candidate.content).parts)) {
			const { text, thought, functionCall } = asFields(part);
			if (thought !== true) this.#reply.text(asText(text));
			if (isFields(functionCall)) this.#functionCall(functionCall);
			if (this.#reply.ended) return;
		}
		this.#finishReason.say(asText(candidate.finishReason));
	}

	#functionCall(part: Fields): void {
		const name = asText(part.name);
		const id = asText(part.id);
		const goesOn = part.willContinue ?? false;
		if (typeof goesOn !== "boolean") this.#fail("a part of a call does not say whether more of it will come");
		else if (name === "") this.#continue(part, id);
		else if (this.#open !== undefined)
			this.#fail(`call ${this.#open.call.index} had not ended when the next one began`);
		else this.#begin(part, { id, name, goesOn });
	}

	#begin(part: Fields, { id, name, goesOn }: { id: string; name: string; goesOn: boolean }): void {
		const call = this.#reply.begin({ id, name, kind: "json" });
		if (!goesOn && part.partialArgs === undefined) {
			this.#reply.close(call, typeof part.args === "string" ? part.args : wholeArguments(part.args));
			return;
		}
		this.#open = { call, args: new PathArguments() };
		this.#take(part, this.#open);
	}

	#continue(part: Fields, id: string): void {
		const open = this.#open;
		if (open === undefined) this.#fail("a part of a call came, and no call was open");
		else if (id !== "" && open.call.id !== "" && id !== open.call.id)
			this.#fail(`a part of call ${open.call.index} has the id of another`);
		else this.#take(part, open);
	}

	#take(part: Fields, open: OpenCall): void {
		// Whole arguments beside streamed ones would have to be merged by guessing.
		if (part.args !== undefined && Object.keys(asFields(part.args)).length > 0) open.args.apply(part.args);
		for (const piece of asList(part.partialArgs)) open.args.apply(piece);
		if (part.willContinue === true) return;
		this.#open = undefined;
		this.#reply.close(open.call, open.args.whole());
	}

	#fail(problem: string): void {
		this.#reply.fail({ problem, ...(this.#finishReason.word !== "" && { reason: this.#finishReason.word }) });
	}
}
