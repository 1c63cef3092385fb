// Answer wire
//
// An outcome on its way from a thread. It is plain data by then, so it can always be posted; what remains is not to make
// the host pay for its size. Large binary is moved. A large text costs the host up to three times as much to clone as to
// make of moved bytes: one byte a character where that is enough, two where it is not (UTF-8 would lose lone surrogates).
//
// Owns:      the wire form and its two ends.
// Does not:  judge an outcome's size (engine/core/output-limit.ts).

import type { MessagePort } from "node:worker_threads";
import { MOVED_BYTES_MIN, MOVED_TEXT_CHARS_MIN } from "../engine/core/limits.js";
import type { Outcome } from "../engine/core/outcome.js";
import { isOnlyJson } from "./json-text.js";

export type WireOutcome = Outcome | { readonly textBytes: Uint8Array; readonly encoding: "latin1" | "utf16le" };

export interface Packed {
	readonly answer: WireOutcome;
	/** It may travel as JSON text. */
	readonly isJson: boolean;
	/** What leaves the thread by being moved. */
	readonly moved: ArrayBuffer[];
}

const NOTHING_MOVED: ArrayBuffer[] = [];

/** For the thread. */
export function pack(outcome: Outcome): Packed {
	if (!outcome.ok) return { answer: outcome, isJson: false, moved: NOTHING_MOVED };
	const { value } = outcome;
	if (typeof value === "string" && value.length >= MOVED_TEXT_CHARS_MIN) return packText(value);
	if (value instanceof Uint8Array && value.byteLength >= MOVED_BYTES_MIN) {
		return { answer: outcome, isJson: false, moved: [value.buffer as ArrayBuffer] };
	}
	return { answer: outcome, isJson: value === undefined || isOnlyJson(value), moved: NOTHING_MOVED };
}

/**
 * Posts a message that holds a packed answer. The memory of a WebAssembly module cannot be moved; only the attempt tells,
 * and then the answer is copied.
 */
export function postMoving(port: MessagePort, message: object, moved: ArrayBuffer[]): void {
	try {
		port.postMessage(message, moved);
	} catch {
		port.postMessage(message);
	}
}

/** For the host. */
export function unpack(answer: WireOutcome): Outcome {
	if ("ok" in answer) return answer;
	const { textBytes: bytes, encoding } = answer;
	return { ok: true, value: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(encoding) };
}

function packText(text: string): Packed {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is every character of one byte
	const encoding = /^[\x00-\xff]*$/.test(text) ? "latin1" : "utf16le";
	const bytes = new Uint8Array(text.length * (encoding === "latin1" ? 1 : 2));
	Buffer.from(bytes.buffer).write(text, encoding);
	return { answer: { textBytes: bytes, encoding }, isJson: false, moved: [bytes.buffer] };
}
