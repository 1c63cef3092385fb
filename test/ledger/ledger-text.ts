// Ledger text
//
// A ledger's file as bytes and lines, for the tests that change it behind the ledger's back.
//
// Owns:      making such a file, and taking it apart.
// Does not:  know the format beyond its line ends.

import { readFileSync } from "node:fs";
import type { EntryDraft, Intent } from "../../engine/ledger/entry.js";
import { fileLedger } from "../../engine/ledger/file-ledger.js";
import { draftOf, intentOf } from "../contracts/ledger.js";

/** Six records, the third an intent: five entries. */
export const RECORDS: readonly (EntryDraft | Intent)[] = [
	draftOf(0),
	draftOf(1, { index: 1, text: 'hash","hash":"0"} é' }),
	intentOf(2),
	draftOf(3),
	draftOf(4, { index: 4, list: [null, true, 1.5] }),
	draftOf(5),
];

export async function writeLedger(path: string, records: readonly (EntryDraft | Intent)[] = RECORDS): Promise<Buffer> {
	const ledger = fileLedger(path);
	ledger.append(records);
	await ledger.close();
	return readFileSync(path);
}

/** The bytes of a closed ledger as a crash before its close would have left them: without the last mark. */
export function unclosed(bytes: Buffer): Buffer {
	return Buffer.concat(linesOf(bytes).slice(0, -1));
}

/** Each line with its line end; the bytes must end with one. */
export function linesOf(bytes: Buffer): Buffer[] {
	const lines: Buffer[] = [];
	for (let from = 0; from < bytes.length; ) {
		const end = bytes.indexOf(0x0a, from) + 1;
		lines.push(bytes.subarray(from, end));
		from = end;
	}
	return lines;
}

/** How many entries a number of whole lines of {@link RECORDS} holds, the header counted as a line. */
export function entriesIn(lines: number): number {
	return RECORDS.slice(0, Math.max(0, lines - 1)).filter(({ kind }) => kind !== "intent").length;
}
