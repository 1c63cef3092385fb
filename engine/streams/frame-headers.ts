// Frame headers
//
// The headers of binary frames. The next frame nearly always has the same ones, byte for byte, and reading the six texts
// in them anew costs half of reading a frame of a few characters. So the last headers are kept, and told again for the
// same bytes.
//
// Owns:      the last headers.
// Does not:  read headers (Amazon's own reader does), or check a frame (the codec does, before it asks for its headers).
//
// Invariants:
//   FH1. Headers are what their own bytes say: nothing behind them is read, and what is told again is of the same bytes.

import { HeaderMarshaller } from "@smithy/eventstream-codec";
import { FRAME_HEADERS_KEPT_BYTES_MAX } from "../core/limits.js";

type Headers = ReturnType<HeaderMarshaller["parse"]>;

export class FrameHeaders extends HeaderMarshaller {
	#bytes = new Uint8Array(0);
	#headers: Headers = Object.freeze({});

	override parse({ buffer, byteOffset, byteLength }: DataView<ArrayBuffer>): Headers {
		const bytes = new Uint8Array(buffer, byteOffset, byteLength);
		if (isSame(this.#bytes, bytes)) return this.#headers;
		// FH1: of bytes of their own, since a text that claims to be longer would be read on into the payload.
		const own = new Uint8Array(bytes);
		const headers = super.parse(new DataView(own.buffer));
		if (own.length <= FRAME_HEADERS_KEPT_BYTES_MAX) {
			this.#bytes = own;
			this.#headers = Object.freeze(headers);
		}
		return headers;
	}
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
	if (left.length !== right.length) return false;
	for (let at = 0; at < left.length; at += 1) if (left[at] !== right[at]) return false;
	return true;
}
