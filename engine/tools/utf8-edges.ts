// UTF-8 edges
//
// Where a piece cut out of a text's bytes begins and ends with whole characters. Decoding the piece as it was cut would
// put marks for broken characters where the text has none.
//
// Owns:      the two edges.
// Does not:  decode, or repair what was broken before the cut.

/** Where the last whole character of UTF-8 ends; what is no UTF-8 is left as it is. */
export function wholeEnd(bytes: Uint8Array): number {
	for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
		const byte = bytes[bytes.length - back] ?? 0;
		if (!isContinuation(byte)) return back < characterBytes(byte) ? bytes.length - back : bytes.length;
	}
	return bytes.length;
}

/** Where the first character begins; no more than the three bytes that can follow a first one are passed. */
export function wholeStart(bytes: Uint8Array): number {
	let start = 0;
	while (start < Math.min(3, bytes.length) && isContinuation(bytes[start] ?? 0)) start += 1;
	return start;
}

function isContinuation(byte: number): boolean {
	return (byte & 0xc0) === 0x80;
}

function characterBytes(first: number): number {
	if (first >= 0xf0) return 4;
	if (first >= 0xe0) return 3;
	return first >= 0xc0 ? 2 : 1;
}
