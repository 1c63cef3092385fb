// Record text
//
// The two ways between a record and its text: `holdRecord` at append, `parseLine` when a line is read. A record is turned
// into text at append, so that nothing its maker does to it later can reach the file.
//
// Owns:      the fields of a line, and that large values leave and come back unseen.
// Does not:  chain lines (line-format.ts).

import { EngineError } from "../core/errors.js";
import { RECORD_HEAD_CHARS_MAX } from "../core/ledger-limits.js";
import { showValue } from "../core/show-value.js";
import type { BlobFolder, BlobRef } from "./blob-folder.js";
import type { Entry, EntryDraft, Intent } from "./entry.js";
import { joinedText, joinLargeValues, type LargeValue, splitLargeValues } from "./large-values.js";
import { entryStart } from "./line-format.js";
import { UnreadRecord } from "./usual-line.js";

/** A record as it waits to be written: all of its line that does not depend on the lines before it. */
export interface HeldRecord {
	readonly kind: "entry" | "intent";
	/** From the field `kind` to the end of `data`. */
	readonly fields: string;
	readonly large: readonly LargeValue[];
}

export type ReadRecord = Entry | Intent;

export function holdRecord(record: EntryDraft | Intent): HeldRecord {
	const { kind, at, data } = record;
	const { text, large } = splitLargeValues(data);
	const head = headOf(record);
	// Both are the host's: its clock and its name. A line that no reader takes would cost the whole ledger behind it.
	if (!Number.isFinite(at)) refuse(`its stamp is ${showValue(at)}, not a finite number`);
	if (head.length > RECORD_HEAD_CHARS_MAX) refuse(`its run's id has ${record.runId.length} characters`);
	return { kind: kind === "intent" ? "intent" : "entry", fields: `${head},"data":${text}`, large };
}

/** From the field `kind` to the stamp. */
function headOf({ kind, runId, at }: Pick<Entry | Intent, "kind" | "runId" | "at">): string {
	return `"kind":${JSON.stringify(kind)},"runId":${JSON.stringify(runId)},"at":${JSON.stringify(at)}`;
}

function refuse(problem: string): never {
	const recovery = "Give the engine a clock that tells the time, and runs short ids; nothing of this record was kept.";
	throw new EngineError("LEDGER_FAILED", { action: "append a record to the ledger", problem, recovery });
}

/** The body of a held record's line, to be chained: everything before its hash. */
export function bodyOf(held: HeldRecord, seq: number, refs: readonly BlobRef[]): string {
	const blobs = refs.length === 0 ? "" : `,"blobs":${JSON.stringify(refs)}`;
	return (held.kind === "intent" ? "{" : entryStart(seq)) + held.fields + blobs;
}

/** A held record as it will be read back. */
export function readHeld(held: HeldRecord, seq: number): ReadRecord {
	const record: ReadRecord = JSON.parse(`${bodyOf(held, seq, [])}}`);
	return held.large.length === 0 ? record : { ...record, data: joinLargeValues(record.data, held.large) };
}

/** A record as its line has it, and where its large values are. */
export interface ParsedRecord {
	readonly record: ReadRecord;
	readonly refs: readonly BlobRef[];
}

/**
 * The record of a line; `undefined` when it is none. A hash that fits vouches for the bytes, not for whoever made them,
 * so the fields are looked at before they are trusted.
 */
export function parseLine(text: string): ParsedRecord | undefined {
	const { seq, kind, runId, at, data, blobs = [] } = parseObject(text);
	if (typeof kind !== "string" || typeof runId !== "string" || typeof at !== "number") return undefined;
	if (data === undefined || !Array.isArray(blobs)) return undefined;
	const record = seq === undefined ? { kind, runId, at, data } : { seq, kind, runId, at, data };
	return { record: record as ReadRecord, refs: blobs };
}

/** Puts back the values that are kept beside the ledger, or says why one cannot be. */
export async function withLargeValues(
	{ record, refs }: ParsedRecord,
	blobs: BlobFolder,
): Promise<ReadRecord | Unloaded> {
	const values = await valuesOf(refs, blobs);
	return "problem" in values ? values : { ...record, data: joinLargeValues(record.data, values) };
}

/** The same, its data left unread. */
export async function unreadWithLargeValues(
	{ record, refs }: ParsedRecord,
	blobs: BlobFolder,
): Promise<UnreadRecord | Unloaded> {
	const values = await valuesOf(refs, blobs);
	if ("problem" in values) return values;
	const seq = "seq" in record ? record.seq : undefined;
	const start = `${seq === undefined ? "{" : entryStart(seq)}${headOf(record)},"data":`;
	const line = start + joinedText(record.data, values);
	return new UnreadRecord(record, { at: record.at, seq, dataFrom: start.length, dataEnd: line.length }, line);
}

interface Unloaded {
	readonly problem: string;
}

async function valuesOf(refs: readonly BlobRef[], blobs: BlobFolder): Promise<readonly LargeValue[] | Unloaded> {
	const values: LargeValue[] = [];
	for (const ref of refs) {
		const value = await blobs.load(ref);
		if ("problem" in value) return value;
		values.push(value);
	}
	return values;
}

type LineFields = Partial<Entry> & { readonly blobs?: readonly BlobRef[] };

function parseObject(text: string): LineFields {
	try {
		return JSON.parse(text);
	} catch {
		return {};
	}
}
