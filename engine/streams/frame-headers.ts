// Frame headers
//
// The texts in the headers of binary frames. A frame of a few characters has six of them, and the next frame nearly
// always has the same headers, byte for byte; making the texts anew costs half of reading the frame. So the texts of the
// last headers are kept in the order in which they were asked for, and told again for headers that are the same.
//
// Owns:      the texts of the last headers.
// Does not:  read headers (the codec does, and asks for each text).
//
// Invariants:
//   FH1. A text told again is that of the bytes asked for: the same bytes are read in the same order.

import { FRAME_HEADERS_KEPT_BYTES_MAX } from "../core/limits.js";

export class FrameHeaders {
	readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
	#headers: Uint8Array = NO_HEADERS;
	/** Where the headers end in their buffer. */
	#end = 0;
	#texts: string[] = [];
	/** How many texts have been asked for. */
	#asked = 0;

	/** Says which headers the next texts are of. */
	of(headers: Uint8Array): void {
		this.#end = headers.byteOffset + headers.length;
		this.#asked = 0;
		if (isSame(this.#headers, headers)) return;
		this.#texts = [];
		this.#headers = headers.length <= FRAME_HEADERS_KEPT_BYTES_MAX ? new Uint8Array(headers) : NO_HEADERS;
	}

	text(bytes: Uint8Array): string {
		const place = this.#asked;
		this.#asked += 1;
		const known = this.#texts[place];
		if (known !== undefined) return known;
		const text = this.#decoder.decode(bytes);
		// FH1: the codec reads a text past the end of headers that are wrong, where the next frame may have other bytes.
		const isKept = this.#headers !== NO_HEADERS && bytes.byteOffset + bytes.length <= this.#end;
		if (isKept && place === this.#texts.length) this.#texts.push(text);
		return text;
	}
}

const NO_HEADERS = new Uint8Array(0);

function isSame(left: Uint8Array, right: Uint8Array): boolean {
	if (left.length !== right.length) return false;
	for (let at = 0; at < left.length; at += 1) if (left[at] !== right[at]) return false;
	return true;
}
