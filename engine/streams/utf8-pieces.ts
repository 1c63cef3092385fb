// UTF-8 pieces
//
// Bytes to text, piece by piece, where a character may span pieces. Node's decoder has a fast way for whole texts and a
// slow one for streams, two to three times apart on small pieces; so the bytes of a last, unfinished character are kept
// back here, and what is decoded is always whole.
//
// Owns:      the bytes of a character that has not ended yet.
// Does not:  cut text into events (wire.ts).
//
// Invariants:
//   UP1. The text is that of all bytes at once, however they are split.
//   UP2. Bytes that are not UTF-8 give no text; nothing is replaced, since a replaced character would be an argument
//        that nobody wrote.

export class Utf8Pieces {
	// UP1: a mark of byte order inside the stream is a character like any other.
	readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
	#begun: Uint8Array = NOTHING;

	get insideCharacter(): boolean {
		return this.#begun.length > 0;
	}

	/** The text up to the last character that has ended; undefined where the bytes are not UTF-8. */
	decode(piece: Uint8Array): string | undefined {
		const bytes = this.#begun.length === 0 ? piece : join(this.#begun, piece);
		const end = bytes.length - unfinishedBytes(bytes);
		// Copied, since the source may use its bytes again; the `slice` of Node's own byte arrays does not.
		this.#begun = end === bytes.length ? NOTHING : new Uint8Array(bytes.subarray(end));
		try {
			return this.#decoder.decode(end === bytes.length ? bytes : bytes.subarray(0, end));
		} catch {
			// UP2: the reply fails, and what was decoded before stands.
			return undefined;
		}
	}
}

/** How many bytes at the end begin a character that needs more of them. */
function unfinishedBytes(bytes: Uint8Array): number {
	for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
		const byte = bytes[bytes.length - back] ?? 0;
		if (byte < 0x80) return 0;
		// The first byte of a character says how many there are; those after it begin with the bits 10.
		if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
	}
	return 0;
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array {
	const joined = new Uint8Array(first.length + second.length);
	joined.set(first);
	joined.set(second, first.length);
	return joined;
}

const NOTHING = new Uint8Array(0);
