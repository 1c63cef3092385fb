// Wire
//
// From what the source delivers (bytes split anywhere, pieces of text, parsed events) to data events. Server-sent events
// and JSON lines are told apart by the first character that is not blank; the one format whose bytes are no text brings
// a framing of its own.
//
// Owns:      framing of text, the bound of one event, what counts as a data event.
// Does not:  know any provider's format or number the events.
//
// Invariants:
//   WR1. How the bytes are split changes nothing about the events.
//   WR2. Bytes that are not UTF-8 and data that is not a JSON object end the stream as damaged; nothing is replaced.

import { createParser } from "eventsource-parser";
import { BODY_SHOWN_CHARS_MAX, STREAM_EVENT_CHARS_MAX } from "../core/limits.js";
import { AlikeJson } from "./alike-json.js";
import { GrowingText } from "./growing-text.js";
import { Utf8Pieces } from "./utf8-pieces.js";
import { isFields, type WireEvent } from "./wire-event.js";

/** The reason why nothing after this can be trusted. */
export interface Damage {
	readonly kind: "damaged";
	readonly problem: string;
	/** The problem without what it shows, where the source may be no stream of the format at all. */
	readonly fault?: string;
}

/** The wire's own end marker, or damage. */
export type WireEnd = { readonly kind: "done" } | Damage;

/** What a framing found: data that is still text, or the end of what can be trusted. */
export type Framed = { readonly name: string | undefined; readonly data: string } | WireEnd;

/** Frames bytes that are no text. */
export interface ByteFraming {
	push(bytes: Uint8Array): readonly Framed[];
	/** The source is over. */
	finish(): readonly Framed[];
}

type TextFraming = (text: string) => void;

export class Wire {
	readonly #byteFraming: ByteFraming | undefined;
	readonly #decoder = new Utf8Pieces();
	readonly #json = new AlikeJson();
	/** Events of the last piece, unparsed; they are handed over one at a time. */
	#waiting: (Framed | WireEvent)[] = [];
	#nextWaiting = 0;
	#textFraming: TextFraming | undefined;

	constructor(byteFraming?: ByteFraming) {
		this.#byteFraming = byteFraming;
	}

	/** Whether no event waits. */
	get isEmpty(): boolean {
		return this.#nextWaiting === this.#waiting.length;
	}

	/** Takes the next piece of the source. */
	push(piece: unknown): void {
		if (typeof piece === "string") this.#string(piece);
		else if (ArrayBuffer.isView(piece)) this.#bytes(piece);
		else if (piece instanceof ArrayBuffer) this.#bytes(new Uint8Array(piece));
		else if (isFields(piece)) this.#waiting.push({ kind: "data", name: undefined, value: piece });
		else this.#damaged(`the source delivered ${describe(piece)}, which is neither bytes, text nor an event`);
	}

	/** Says that the source is over: what stands without its line end is read as if it had one. */
	finish(): void {
		if (this.#byteFraming !== undefined) this.#waiting.push(...this.#byteFraming.finish());
		this.#held();
		this.#textFraming?.("\n\n");
	}

	/** The next event of what was pushed; undefined when it is used up. Its value is good until the one after it. */
	next(): WireEvent | WireEnd | undefined {
		const waiting = this.#waiting[this.#nextWaiting];
		if (waiting === undefined) {
			if (this.#nextWaiting > 0) this.#waiting = [];
			this.#nextWaiting = 0;
			return undefined;
		}
		this.#nextWaiting += 1;
		return "data" in waiting ? this.#parse(waiting.name, waiting.data) : waiting;
	}

	#string(text: string): void {
		if (text === "") return;
		// What is held of bytes came before it.
		this.#held();
		this.#text(text);
	}

	#bytes(view: ArrayBufferView): void {
		// Most sources deliver a kind of byte array; a view of its own for each piece costs half of taking it.
		const bytes = view instanceof Uint8Array ? view : new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
		if (this.#byteFraming === undefined) this.#decoded(this.#decoder.decode(bytes));
		else for (const framed of this.#byteFraming.push(bytes)) this.#waiting.push(framed);
	}

	#held(): void {
		this.#decoded(this.#decoder.finish());
	}

	#decoded(text: string): void {
		if (text !== "") this.#text(text);
		if (this.#decoder.damaged) this.#waiting.push({ kind: "damaged", problem: NOT_UTF_8, fault: NOT_UTF_8 });
	}

	#text(text: string): void {
		if (this.#textFraming !== undefined) {
			this.#textFraming(text);
			return;
		}
		// WR1: blanks before the first event belong to no event in either framing.
		const start = text.search(/[^\s\uFEFF]/);
		if (start === -1) return;
		this.#textFraming = text[start] === "{" ? this.#jsonLines() : this.#serverSentEvents();
		this.#textFraming(text.slice(start));
	}

	#serverSentEvents(): TextFraming {
		const parser = createParser({
			maxBufferSize: STREAM_EVENT_CHARS_MAX,
			onEvent: (event) => this.#data(event.data, event.event),
			onError: (error) => {
				// Fields that the format does not know are to be passed over, says its own text.
				if (error.type === "max-buffer-size-exceeded") this.#tooLong();
			},
		});
		return (text) => parser.feed(text);
	}

	#jsonLines(): TextFraming {
		// Only the new text is searched for line ends; searching all of a growing line would cost its square.
		let line = new GrowingText();
		return (text) => {
			let from = 0;
			for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
				line.append(text.slice(from, end));
				this.#data(line.text(), undefined);
				line = new GrowingText();
				from = end + 1;
			}
			line.append(text.slice(from));
			if (line.length > STREAM_EVENT_CHARS_MAX) this.#tooLong();
		};
	}

	#data(data: string, name: string | undefined): void {
		// Nearly all data begins with a brace; looking for blanks in all of it costs a small event as much as its fields.
		if (data.charCodeAt(0) === BRACE || data.trim() !== "") this.#waiting.push({ name, data });
	}

	#parse(name: string | undefined, data: string): WireEvent | WireEnd {
		if (data.charCodeAt(0) !== BRACE && data.trim() === "[DONE]") return { kind: "done" };
		try {
			const value = this.#json.parse(data);
			if (isFields(value)) return { kind: "data", name, value };
		} catch {
			// WR2: told below, with the text: the parser's own words differ between versions of Node.
		}
		const shown = JSON.stringify(data.slice(0, BODY_SHOWN_CHARS_MAX));
		return { kind: "damaged", problem: `${NOT_JSON}: ${shown}`, fault: NOT_JSON };
	}

	#tooLong(): void {
		this.#damaged(`one event is longer than ${STREAM_EVENT_CHARS_MAX} characters`);
	}

	#damaged(problem: string): void {
		this.#waiting.push({ kind: "damaged", problem });
	}
}

const BRACE = 123;
const NOT_UTF_8 = "the bytes are not UTF-8";
const NOT_JSON = "an event is not a JSON object";

function describe(piece: unknown): string {
	return piece === null ? "null" : Array.isArray(piece) ? "a list" : `a ${typeof piece}`;
}
