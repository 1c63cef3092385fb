// Mark search
//
// Looks for a mark behind a line that does not fit. The chain is broken there and cannot vouch for what follows, but a
// mark names the place it stands at: a line of that shape, at the byte that it names, was written by a ledger after
// everything before it was durable. A quote inside a JSON string is escaped, so no entry's data can hold that shape and
// end the line with it.
//
// Owns:      that search, a piece of the file at a time.
// Does not:  say what it means (line-scanner.ts).

import { LEDGER_READ_BYTES } from "../core/ledger-limits.js";
import type { LedgerFile } from "./file-system.js";
import { MARK_BYTES_MAX, MARK_NEEDLE, markedBytes } from "./line-format.js";

export interface BehindLine {
	readonly hasMark: boolean;
	/** Where the file ended, if there was no mark before. */
	readonly fileBytes: number;
}

/** Looks from a byte of the file to its end, or to the first mark. */
export async function searchMark(file: Pick<LedgerFile, "read">, from: number): Promise<BehindLine> {
	const piece = Buffer.allocUnsafe(LEDGER_READ_BYTES);
	for (let position = from; ; ) {
		const { bytesRead } = await file.read({ buffer: piece, offset: 0, length: piece.length, position });
		if (holdsMark(piece.subarray(0, bytesRead), position)) return { hasMark: true, fileBytes: position + bytesRead };
		if (bytesRead < piece.length) return { hasMark: false, fileBytes: position + bytesRead };
		// A mark may lie across the border of two pieces.
		position += bytesRead - MARK_BYTES_MAX;
	}
}

function holdsMark(piece: Buffer, position: number): boolean {
	for (let at = piece.indexOf(MARK_NEEDLE); at !== -1; at = piece.indexOf(MARK_NEEDLE, at + 1)) {
		const line = piece.toString("latin1", at, at + MARK_BYTES_MAX);
		const end = line.indexOf("\n");
		if (end !== -1 && markedBytes(line.slice(0, end)) === position + at) return true;
	}
	return false;
}
