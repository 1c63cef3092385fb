// Body head
//
// The body of a request that failed is no stream: an error as JSON, a proxy's page, a line of text, nothing. A host that
// did not look at the response's status hands it over all the same, and "the reply ended without a finish reason" would
// send whoever reads that to the wrong place. So the beginning of a source is kept until its first event has been read;
// where none comes, the end says what the provider said, or how the source begins.
//
// Owns:      the beginning of the source, what is told of a source without an event.
// Does not:  cut events (wire.ts), or say which JSON is an error (provider-error.ts).
//
// Invariants:
//   BH1. How the source is split changes nothing about what is told.
//   BH2. No more than the head is kept, and nothing of it once an event has been read: its owner lets it go.

import { invariant } from "../core/invariant.js";
import { BODY_HEAD_CHARS_MAX, BODY_SHOWN_CHARS_MAX } from "../core/limits.js";
import type { FormatReader } from "./format-reader.js";
import { bodyError } from "./provider-error.js";
import type { Failure } from "./reply.js";
import type { Pieces } from "./source.js";
import type { Damage } from "./wire.js";
import type { WireEvent } from "./wire-event.js";

const HINT = "check the status of the response before reading its body as a stream";

/** A field or a comment of server-sent events, or the length of a binary frame: the wire is right, its events are not. */
const FRAMED = /^(?:(?:data|event|id|retry)?:|\0)/;

export class BodyHead {
	readonly #format: string;
	#text = "";
	/** Bytes behind the text. Decoded only where they are told of: nearly every source has a first event. */
	#room = NO_BYTES;
	#held = 0;
	/** Whether the source holds more than the head. */
	#isCut = false;

	constructor(format: string) {
		this.#format = format;
	}

	/** Keeps what of a piece belongs to the head. */
	take(piece: unknown): void {
		if (this.#isCut) return;
		if (typeof piece === "string") this.#append(piece);
		else if (ArrayBuffer.isView(piece)) this.#bytes(new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength));
		else if (piece instanceof ArrayBuffer) this.#bytes(new Uint8Array(piece));
	}

	/** The error that the first event is, where it is the line of a response and not an event of the format. */
	errorOf({ value }: WireEvent, reader: FormatReader): Failure | undefined {
		// Where an error may be that of a single call, an event of another kind is one of the format.
		const isOfFormat = reader.failureOf !== undefined && typeof value.type === "string" && value.type !== "error";
		const error = isOfFormat ? undefined : bodyError(value);
		const isBare = error !== undefined && this.#head().trimStart().startsWith("{");
		return isBare ? withHint(error) : undefined;
	}

	/** Whether more of the source is wanted before the damage is told: an error over several lines is damaged in the first. */
	wantsMore({ fault }: Damage): boolean {
		return fault !== undefined && !FRAMED.test(this.#head().trimStart());
	}

	/** Asks the source for the rest of the head; whether the source is over. What it throws ends it. */
	async readOn(pieces: Pieces): Promise<boolean> {
		try {
			// BH1: damage is found the sooner, the smaller the pieces are.
			while (!this.#isCut) {
				const { done, value } = await pieces.next();
				if (done === true) return true;
				this.take(value);
			}
		} catch {
			return true;
		}
		return false;
	}

	/** Why the reply has failed: the source is over, or its next event is damaged. */
	failure(damage?: Damage): Failure {
		const error = withHint(this.#error());
		if (error !== undefined) return error;
		if (damage !== undefined && !this.wantsMore(damage)) return { problem: damage.problem };
		const begin = JSON.stringify(this.#shown());
		const none = `the stream held no event of the format "${this.#format}"`;
		if (damage !== undefined) return { problem: `${damage.fault}: ${begin}; ${none}; ${HINT}` };
		return { problem: begin === '""' ? `${none}, it is empty; ${HINT}` : `${none}, it begins with ${begin}; ${HINT}` };
	}

	/** The error that the whole source is. */
	#error(): Failure | undefined {
		if (this.#isCut) return undefined;
		try {
			return bodyError(JSON.parse(this.#head().trim()));
		} catch {
			return undefined;
		}
	}

	/** The beginning as one line; nothing of it is cut inside a character. */
	#shown(): string {
		const line = this.#head().trim().replaceAll(/\s+/g, " ");
		return line.slice(0, BODY_SHOWN_CHARS_MAX).replace(/[\uD800-\uDBFF]$/, "");
	}

	#bytes(bytes: Uint8Array): void {
		const left = BODY_HEAD_CHARS_MAX - this.#text.length - this.#held;
		// The source may use its bytes again.
		if (this.#room.length === 0) this.#room = new Uint8Array(BODY_HEAD_CHARS_MAX);
		this.#isCut = bytes.length > left;
		this.#room.set(this.#isCut ? bytes.subarray(0, left) : bytes, this.#held);
		this.#held += Math.min(bytes.length, left);
	}

	#append(text: string): void {
		const all = this.#head() + text;
		this.#isCut = all.length > BODY_HEAD_CHARS_MAX;
		this.#text = all.slice(0, BODY_HEAD_CHARS_MAX);
		this.#held = 0;
	}

	/** The head as text, whatever it came as. */
	#head(): string {
		const head = this.#text + decoder.decode(this.#room.subarray(0, this.#held));
		invariant(head.length <= BODY_HEAD_CHARS_MAX, "BH2", "more than the head is kept");
		return head;
	}
}

const NO_BYTES = new Uint8Array(0);
const decoder = new TextDecoder();

function withHint(failure: Failure | undefined): Failure | undefined {
	return failure && { ...failure, problem: `${failure.problem}; ${HINT}` };
}
