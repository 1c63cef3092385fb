// AI SDK
//
// The parts of `fullStream` (versions 5 and 6) and the chunks of the UI message stream. They say the same with other
// field names, and a part of either is never mistaken for another of the other, so one reader takes both.
//
// The text of a call is what the model wrote; the value in its last part is what the SDK made of it, after its own
// repairs, and is what counts. Where both say the same the model's own text is kept. A reader stands in for the SDK's
// own tool loop: a stream in which the SDK has run a call, or has gone on to a second step, is refused, because its
// calls would run twice.
//
// Owns:      the parts of both streams and the meaning of finish reasons.
// Does not:  decide when a call is complete (streamed-call.ts).

import { argumentsKey } from "../core/call.js";
import { FinishReason } from "./finish-reason.js";
import type { FormatReader } from "./format-reader.js";
import { providerError } from "./provider-error.js";
import type { EndMeaning, Failure, Reply } from "./reply.js";
import type { StreamedCall } from "./streamed-call.js";
import { wholeArguments } from "./whole-arguments.js";
import { asText, type Fields, type WireEvent } from "./wire-event.js";

const MEANINGS: ReadonlyMap<string, EndMeaning> = new Map([
	["stop", "good"],
	["tool-calls", "good"],
	["length", "length"],
	["content-filter", "filtered"],
]);

const ASKS_FOR_CALLS: ReadonlySet<string> = new Set(["tool-calls"]);

/** A call by its id; `elsewhere` is one that the provider runs itself, `refused` one whose input the SDK refused. */
type Known =
	| { readonly kind: "ours"; readonly call: StreamedCall }
	| { readonly kind: "refused"; readonly call: StreamedCall }
	| { readonly kind: "elsewhere" };

export class AiSdkReader implements FormatReader {
	readonly #reply: Reply;
	readonly #finishReason = new FinishReason(MEANINGS);
	readonly #known = new Map<string, Known>();
	#steps = 0;

	constructor(reply: Reply) {
		this.#reply = reply;
	}

	read({ value }: WireEvent): void {
		switch (asText(value.type)) {
			case "start-step":
				this.#startStep();
				break;
			case "text-delta":
				this.#reply.text(asText(value.text ?? value.delta));
				break;
			case "tool-input-start":
				this.#inputStart(value);
				break;
			case "tool-input-delta":
				this.#inputDelta(value);
				break;
			case "tool-call":
			case "tool-input-available":
			case "tool-input-error":
				this.#whole(value);
				break;
			case "tool-result":
			case "tool-error":
			case "tool-output-available":
			case "tool-output-error":
				this.#answered(value);
				break;
			case "finish-step":
				this.#finishReason.say(asText(value.finishReason));
				break;
			case "finish":
				this.#finishReason.say(asText(value.finishReason));
				this.#finishReason.end(this.#reply, ASKS_FOR_CALLS);
				break;
			case "abort":
				this.#fail("the AI SDK aborted the reply");
				break;
		}
	}

	failureOf(event: WireEvent): Failure | undefined {
		return event.value.type === "error" ? providerError(event) : undefined;
	}

	sourceEnded(): void {
		this.#fail("the stream stopped before its `finish`");
	}

	#startStep(): void {
		this.#steps += 1;
		if (this.#steps > 1) this.#fail("the stream goes on to a second step, whose calls the AI SDK runs itself");
	}

	#inputStart(part: Fields): void {
		const id = idOf(part);
		const before = this.#known.get(id);
		if (part.providerExecuted === true) {
			this.#known.set(id, { kind: "elsewhere" });
		} else if (before !== undefined && (before.kind === "elsewhere" || !before.call.isClosed)) {
			this.#fail(`two calls have the id ${JSON.stringify(id)} at the same time`);
		} else {
			const call = this.#reply.begin({ id, name: asText(part.toolName), kind: "json" });
			// An id used again tells its pieces apart by time alone; input that is not JSON is whole only at its end.
			if (before !== undefined || part.inputEncoding === "text") call.doubt();
			this.#known.set(id, { kind: "ours", call });
		}
	}

	#inputDelta(part: Fields): void {
		const known = this.#known.get(idOf(part));
		const piece = part.inputTextDelta ?? part.delta;
		if (known?.kind === "elsewhere") return;
		if (known === undefined || known.call.isClosed) this.#fail("a piece of input came for a call that is not open");
		else if (typeof piece !== "string") this.#fail("a piece of input is not a text");
		else {
			this.#reply.append(known.call, piece);
			this.#reply.reportComplete(known.call);
		}
	}

	#whole(part: Fields): void {
		const id = idOf(part);
		const known = this.#known.get(id);
		if (part.providerExecuted === true || known?.kind === "elsewhere") {
			if (known?.kind !== undefined && known.kind !== "elsewhere")
				this.#fail(`call ${known.call.index} turns out to be the provider's own`);
			this.#known.set(id, { kind: "elsewhere" });
			return;
		}
		const name = asText(part.toolName);
		const call = known?.call ?? this.#reply.begin({ id, name, kind: "json" });
		if (call.isClosed) this.#fail(`call ${call.index} came whole twice`);
		else if (call.name !== name) this.#fail(`call ${call.index} is named twice, differently`);
		else this.#close(call, part.input);
		const refused = part.invalid === true || part.type === "tool-input-error";
		this.#known.set(id, { kind: refused ? "refused" : "ours", call });
	}

	#close(call: StreamedCall, input: unknown): void {
		const whole = typeof input === "string" ? input : wholeArguments(input);
		const same = typeof whole !== "string" && call.hasArguments && saysTheSame(call, whole.args ?? whole.text);
		this.#reply.close(call, same ? undefined : whole);
	}

	// The SDK answers a call whose input it refused in the tool's place; any other answer is a tool's.
	#answered(part: Fields): void {
		const known = this.#known.get(idOf(part));
		if (known?.kind === "ours") this.#fail(`the AI SDK ran call ${known.call.index} itself`);
	}

	#fail(problem: string): void {
		const reason = this.#finishReason.word;
		this.#reply.fail({ problem, ...(reason !== "" && { reason }) });
	}
}

function idOf(part: Fields): string {
	return asText(part.toolCallId ?? part.id);
}

function saysTheSame(call: StreamedCall, args: unknown): boolean {
	return argumentsKey(call.argsText) === argumentsKey(args);
}
