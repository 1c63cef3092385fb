// Read ledger
//
// Reading a ledger's file without owning it: nothing is locked, nothing is cut, and a writer may be adding to the file at
// the same time. What is read is what was whole when the end was reached.
//
// Owns:      the entries of a file as a stream, and the check of a whole file.
// Does not:  turn lines into records (record-reader.ts).

import * as nodeFiles from "node:fs/promises";
import type { Entry } from "./entry.js";
import type { Ledger } from "./ledger.js";
import { entriesOf, RecordReader, recordsOf } from "./record-reader.js";

/**
 * The entries of a ledger in order, read as they are asked for, so that memory does not grow with the ledger.
 *
 * Works on a file that another process is writing: it ends at the last line that is whole, and a torn line behind it is
 * left out. Neither locks nor changes the file.
 *
 * @param pathOrLedger - The path of a file ledger, or an open ledger, whose entries held so far are included.
 * @throws EngineError `LEDGER_DAMAGED` naming the line, after the whole entries before it; `LEDGER_FAILED` when there is
 * no such file or it may not be read.
 * @remarks Since 0.1.0.
 * @public
 */
export function readLedger(pathOrLedger: string | Ledger): AsyncIterable<Entry> {
	if (typeof pathOrLedger !== "string") return pathOrLedger.entries();
	return { [Symbol.asyncIterator]: () => entriesOf(recordsOf(pathOrLedger, nodeFiles, "missing throws")) };
}

/**
 * What {@link verifyLedger} found.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface LedgerCheck {
	/** Whether every line reads back as it was written. A torn last line, which a crash leaves, is no fault. */
	readonly ok: boolean;
	/** How many entries are whole; up to the problem if there is one. */
	readonly entries: number;
	/** What a crash cut short behind the last whole line; the next writer cuts it off. */
	readonly torn?: { readonly line: number; readonly bytes: number };
	readonly problem?: { readonly line: number; readonly reason: string };
}

/**
 * Checks a file ledger from its first byte to its last, the values beside it included.
 *
 * @throws EngineError `LEDGER_FAILED` when there is no such file or it may not be read.
 * @remarks Since 0.1.0.
 * @public
 */
export async function verifyLedger(path: string): Promise<LedgerCheck> {
	const reader = await RecordReader.open(path, nodeFiles);
	try {
		let entries = 0;
		for await (const record of reader.records()) {
			if (record.kind !== "intent") entries += 1;
		}
		return checkOf(entries, reader);
	} finally {
		await reader.close();
	}
}

function checkOf(entries: number, { problem, torn }: RecordReader): LedgerCheck {
	if (problem !== undefined) return { ok: false, entries, problem };
	if (torn === undefined) return { ok: true, entries };
	const { line, bytes, changed } = torn;
	if (changed) return { ok: false, entries, problem: { line, reason: "it is not what was written, nor a cut of it" } };
	return { ok: true, entries, torn: { line, bytes } };
}
