// Mark search
//
// Looks for a mark behind a line that does not fit. The chain is broken there and cannot vouch for what follows, but a
// line of a mark's shape was written by a ledger after everything before it was durable. A quote inside a JSON string is
// escaped, so no entry's data can hold that shape and end the line with it.
//
// Where it stands says nothing against it: bytes put in or taken out before it move it, and so does a change of line
// endings, which are the ways an editor damages a file. A crash leaves no mark there that was not durable, because a
// barrier's lines begin with their one mark; so to ask for the byte that it names would only let such damage pass for a
// torn end, to be cut off with all that was durable in it.
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
		if (holdsMark(piece.subarray(0, bytesRead))) return { hasMark: true, fileBytes: position + bytesRead };
		if (bytesRead < piece.length) return { hasMark: false, fileBytes: position + bytesRead };
		// A mark may lie across the border of two pieces.
		position += bytesRead - MARK_BYTES_MAX - 1;
	}
}

function holdsMark(piece: Buffer): boolean {
	for (let at = piece.indexOf(MARK_NEEDLE); at !== -1; at = piece.indexOf(MARK_NEEDLE, at + 1)) {
		const line = piece.toString("latin1", at, at + MARK_BYTES_MAX + 1);
		const end = line.search(/\r?\n/);
		if (end !== -1 && markedBytes(line.slice(0, end)) !== undefined) return true;
	}
	return false;
}
