// Reply
//
// A model's reply as far as its stream has come: its calls, and the items that wait for the reader. Formats report to it
// what they read; it keeps the promises that all formats share.
//
// Owns:      the index of each call, the end's verdict, the bounds of a reply.
// Does not:  read an event (the formats do) or fetch one (read-stream.ts).
//
// Invariants:
//   RP1. The end is the last item, and there is one.
//   RP2. An end is good only if every call of the reply is closed and has a name.

import { REPLY_ARGUMENTS_CHARS_MAX, WAVE_CALLS_MAX } from "../core/limits.js";
import type { CallDelta, StreamCut, StreamItem } from "./stream-item.js";
import { type ArgumentsKind, StreamedCall } from "./streamed-call.js";
import type { WholeArguments } from "./whole-arguments.js";

/** What a provider's word for the end means. */
export type EndMeaning = "good" | StreamCut;

export interface Failure {
	readonly problem: string;
	readonly reason?: string | undefined;
	readonly cause?: unknown;
}

export class Reply {
	readonly #tellsDeltas: boolean;
	#event = -1;
	#items: (StreamItem | CallDelta)[] = [];
	#calls: StreamedCall[] = [];
	#argumentChars = 0;
	#hasBegun = false;
	/** Whether anything of it was read. */
	#isRead = false;
	#hint: string | undefined;
	#ended = false;

	constructor({ deltas = false }: { readonly deltas?: boolean } = {}) {
		this.#tellsDeltas = deltas;
	}

	get ended(): boolean {
		return this.#ended;
	}

	get calls(): readonly StreamedCall[] {
		return this.#calls;
	}

	/** The items since the last call of this. */
	takeItems(): readonly (StreamItem | CallDelta)[] {
		if (this.#items.length === 0) return NO_ITEMS;
		const items = this.#items;
		this.#items = [];
		return items;
	}

	nextEvent(): void {
		this.#event += 1;
	}

	text(text: string): void {
		if (text !== "") this.#push({ kind: "text", event: this.#event, text });
	}

	begin(named: { readonly id: string; readonly name: string; readonly kind: ArgumentsKind }): StreamedCall {
		const call = new StreamedCall(this.#calls.length, named);
		this.#calls.push(call);
		this.#push({ kind: "call-started", event: this.#event, index: call.index, id: call.id, name: call.name });
		if (this.#calls.length > WAVE_CALLS_MAX) this.fail({ problem: `the reply holds over ${WAVE_CALLS_MAX} calls` });
		return call;
	}

	append(call: StreamedCall, text: string): void {
		const before = call.argumentChars;
		call.append(text);
		if (this.#tellsDeltas) this.#tellDelta(call, text.slice(0, call.argumentChars - before));
		this.#count(call.argumentChars - before);
	}

	/** Reports the call as complete if it has become so. */
	reportComplete(call: StreamedCall): void {
		const item = call.complete(this.#event);
		if (item !== undefined) this.#push(item);
	}

	close(call: StreamedCall, whole?: string | WholeArguments): void {
		const before = call.argumentChars;
		for (const item of call.close(this.#event, whole)) this.#push(item);
		this.#count(call.argumentChars - before);
	}

	/** The provider says that its reply begins. If it had begun before, it begins anew, and all calls so far are void. */
	providerBegan(): void {
		if (this.#hasBegun) {
			this.#calls = [];
			this.#push({ kind: "restart", event: this.#event });
		}
		this.#hasBegun = true;
		this.#isRead = true;
	}

	/** The source is over; `hint`: what a failure says as well if nothing of the source was read. */
	sourceEnded(hint: string | undefined): void {
		this.#hint = hint;
	}

	/** The provider ends the reply by its own word. */
	end(reason: string, meaning: EndMeaning): void {
		if (meaning !== "good") {
			const problem = `the reply ended with ${JSON.stringify(reason)}`;
			this.#push({ kind: "end", event: this.#event, good: false, reason, cut: meaning, problem });
		} else {
			// RP2: the provider's own word does not outweigh a call that it left open.
			const bad = this.#calls.find((call) => !call.isClosed || call.name === "");
			if (bad === undefined) this.#push({ kind: "end", event: this.#event, good: true, reason });
			else this.fail({ problem: `call ${bad.index} has ${bad.isClosed ? "no name" : "no end"}`, reason });
		}
		this.#ended = true;
	}

	/** The reply cannot be trusted to be whole. */
	fail({ problem, reason, cause }: Failure): void {
		const said = { ...(reason !== undefined && { reason }), ...(cause !== undefined && { cause }) };
		const why = this.#hint === undefined || this.#isRead ? problem : `${problem}; ${this.#hint}`;
		this.#push({ kind: "end", event: this.#event, good: false, cut: "failed", problem: why, ...said });
		this.#ended = true;
	}

	#tellDelta({ index, id, name }: StreamedCall, delta: string): void {
		if (delta !== "") this.#push({ kind: "call-delta", event: this.#event, index, id, name, delta });
	}

	#count(chars: number): void {
		this.#argumentChars += chars;
		if (this.#argumentChars > REPLY_ARGUMENTS_CHARS_MAX) {
			this.fail({ problem: `the arguments of the reply are over ${REPLY_ARGUMENTS_CHARS_MAX} characters` });
		}
	}

	// RP1: nothing is told after the end.
	#push(item: StreamItem | CallDelta): void {
		if (this.#ended) return;
		this.#items.push(item);
		this.#isRead = true;
	}
}

const NO_ITEMS: readonly never[] = Object.freeze([]);
