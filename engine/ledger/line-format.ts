// Line format
//
// A file ledger, byte by byte. It is UTF-8 text; every line ends with one LF (0x0A) and is one JSON object without white
// space between its tokens. Version 1:
//
//   line 1     {"format":"wavetrain-ledger","version":1}
//              These 41 bytes exactly. A file that starts otherwise is no ledger, and is never cut or written.
//   entry      {"seq":N,"kind":"K","runId":R,"at":T,"data":D,"hash":"H"}
//   intent     {"kind":"intent","runId":R,"at":T,"data":D,"hash":"H"}
//   mark       {"kind":"durable","bytes":B,"hash":"H"}
//
//   N   the entry's number in decimal digits: 0 for the first, then one more each; intents and marks take no number
//   K   the entry's kind, one of entry.ts
//   R   the run's id, a JSON string
//   T   milliseconds since 1970, a JSON number
//   D   the entry's data, a JSON object
//   B   how many bytes of the file stand before this line, in decimal digits
//   H   64 lower-case hexadecimal digits: SHA-256 over the 64 digits of the line before (for line 2: of the SHA-256 of
//       line 1 without its LF), followed by this line's bytes up to, and without, the last `,"hash":"`
//
// Where a value of D takes more than INLINE_BYTES_MAX bytes as JSON, D has `null` in its place and the line has
// `"blobs":[B,...]` between D and H, outer places before the places inside them. Each B is
//
//   {"path":[...],"as":"json","sha256":"S","bytes":L}       path: the keys and indexes from D to the place, [] for D itself
//
// and the value is the file `<ledger>.blobs/S`: L bytes whose SHA-256 is S, the value's JSON text for "json", the raw
// bytes of a `{"$binary":"base64"}` for "binary".
//
// A mark says that the B bytes before it were durable before it was written. Line 1 counts as one: it is durable before
// line 2 is written. A barrier's lines are one write; the mark that vouches for them is the first line of the next one, or
// the last of the file when the ledger is closed. So at most one barrier's lines stand behind the last mark.
//
// Behind the last line NUL bytes may stand: the space that an open ledger has written ahead, since a write inside a file
// is durable sooner than one that makes it longer. Readers leave them out; a ledger that is closed has none.
//
// The lines behind the last mark may not be durable yet, and a crash may leave any of it: nothing, a part, or sectors in any
// order, with NUL bytes for those that are missing. Whole lines up to the first that does not fit are kept; from there on,
// if no mark stands behind it and anything but NUL bytes does, the file is torn: readers leave the rest out and the next
// writer cuts it off. A line that does not fit and has a mark behind it is damage, and so is everything else that this page
// does not allow. A torn line 1 is a beginning of it, or nothing, and then NUL bytes, or nothing: no longer than line 1, and
// with nothing else in the file.
//
// Owns:      the bytes of a line, and whether a line fits the one before it.
// Does not:  read files (line-scanner.ts) or write them (ledger-writer.ts).

import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import { NO_LEDGER, otherVersion } from "./ledger-error.js";

export const FORMAT_VERSION = 1;

const HEADER_TEXT = `{"format":"wavetrain-ledger","version":${FORMAT_VERSION}}`;
const HEADER_PATTERN = /^\{"format":"wavetrain-ledger","version":(\d+)\}$/;

/** The first line, its LF included. */
export const HEADER: Buffer = Buffer.from(`${HEADER_TEXT}\n`);

/** What the first record's hash is chained to. */
export const FIRST_HASH: string = hash("sha256", HEADER_TEXT);

const HASH_FIELD = ',"hash":"';
const HASH_DIGITS = 64;
const LINE_END = '"}';
/** What stands behind the body of a line, without the LF. */
export const TAIL_CHARS: number = HASH_FIELD.length + HASH_DIGITS + LINE_END.length;

/** A line, its LF included, and the hash that the next one is chained to. */
export interface EncodedLine {
	readonly text: string;
	readonly hash: string;
}

/** `body` has no closing brace. */
export function encodeLine(body: string, previousHash: string): EncodedLine {
	const own = hash("sha256", previousHash + body);
	return { text: `${body}${HASH_FIELD}${own}${LINE_END}\n`, hash: own };
}

/** The hash that a line (given without its LF) says it has; what is no line says something that no line hashes to. */
export function claimedHash(line: string): string {
	return line.slice(-(HASH_DIGITS + LINE_END.length), -LINE_END.length);
}

/** The hash of a line, or `undefined` when it does not fit its text and the line before. */
export function fittingHash(line: string, previousHash: string): string | undefined {
	const bodyChars = line.length - TAIL_CHARS;
	if (bodyChars < 0 || !line.startsWith(HASH_FIELD, bodyChars) || !line.endsWith(LINE_END)) return undefined;
	const claimed = claimedHash(line);
	return hash("sha256", previousHash + line.slice(0, bodyChars)) === claimed ? claimed : undefined;
}

/** The text of a line's bytes; `undefined` for what is not UTF-8, which would decode to the text of other bytes. */
export function textOf(bytes: Buffer): string | undefined {
	return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}

/** What an entry begins with. */
export const SEQ_START = '{"seq":';
const KIND_START = ',"kind":"';
const SEQ_PATTERN = /^\{"seq":(0|[1-9]\d{0,15}),"kind":"/;
const INTENT_START = '{"kind":"intent",';
const MARK_START = '{"kind":"durable","bytes":';
const MARK_PATTERN = /^\{"kind":"durable","bytes":(\d{1,16}),"hash":"[0-9a-f]{64}"\}$/;

/** The start of an entry's body, to be followed by the rest of a record. */
export function entryStart(seq: number): string {
	return `${SEQ_START}${seq},`;
}

/** The body of a mark that stands behind so many bytes. */
export function markBody(bytes: number): string {
	return `${MARK_START}${bytes}`;
}

/** What the next mark in a file of unknown bytes begins with, and the length of the longest one, its LF included. */
export const MARK_NEEDLE: Buffer = Buffer.from(MARK_START);
export const MARK_BYTES_MAX: number = MARK_START.length + 16 + TAIL_CHARS + 1;

/** The bytes that a mark says stand before it; `undefined` for any other line. */
export function markedBytes(line: string): number | undefined {
	const found = MARK_PATTERN.exec(line);
	return found === null ? undefined : Number(found[1]);
}

/** Whether a line gives itself that number: what nearly every line does, and cheaper to ask than which number it is. */
export function isNumbered(line: string, seq: number): boolean {
	if (!line.startsWith(SEQ_START)) return false;
	const end = line.indexOf(",", SEQ_START.length);
	return wholeIn(line, SEQ_START.length, end) === seq && line.startsWith(KIND_START, end);
}

const ZERO = 0x30;
/** Numbers of so many digits are exact. */
const DIGITS_MAX = 15;

/** A whole number as JSON writes it, that takes just that part of the text; `undefined` for anything else. */
export function wholeIn(text: string, from: number, end: number): number | undefined {
	const digits = end - from;
	if (digits < 1 || digits > DIGITS_MAX || (digits > 1 && text.charCodeAt(from) === ZERO)) return undefined;
	let whole = 0;
	for (let at = from; at < end; at += 1) {
		const digit = text.charCodeAt(at) - ZERO;
		if (digit < 0 || digit > 9) return undefined;
		whole = whole * 10 + digit;
	}
	return whole;
}

/** The number a line gives itself; `"intent"` for an intent, `undefined` for neither. */
export function seqOf(line: string): number | "intent" | undefined {
	if (line.startsWith(INTENT_START)) return "intent";
	const found = SEQ_PATTERN.exec(line);
	return found === null ? undefined : Number(found[1]);
}

/** What a header leaves that was changed, or came down as NUL bytes; or a record, where the header was cut off. */
const OUR_TRACES = /^\{"format":"|wavetrain-ledger|"hash":"|^\0/;

/** Why a first line is not a header this version reads. */
export function headerProblem(line: string): string {
	const version = HEADER_PATTERN.exec(line)?.[1];
	if (version === undefined)
		return OUR_TRACES.test(line) ? "it is not the first line of a wavetrain ledger" : NO_LEDGER;
	return otherVersion(version, FORMAT_VERSION);
}
