// Line format
//
// A file ledger, byte by byte. It is UTF-8 text; every line ends with one LF (0x0A) and is one JSON object without white
// space between its tokens. Version 1:
//
//   line 1     {"format":"wavetrain-ledger","version":1}
//              These 41 bytes exactly. A file that starts otherwise is no ledger, and is never cut or written.
//   entry      {"seq":N,"kind":"K","runId":R,"at":T,"data":D,"hash":"H"}
//   intent     {"kind":"intent","runId":R,"at":T,"data":D,"hash":"H"}
//
//   N   the entry's number in decimal digits: 0 for the first, then one more each; intents take no number
//   K   the entry's kind, one of entry.ts
//   R   the run's id, a JSON string
//   T   milliseconds since 1970, a JSON number
//   D   the entry's data, a JSON object
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
// The last line may be torn: cut short by a crash, or whole in length with a hash that does not fit. It was never
// durable, so readers leave it out and the next writer cuts it off. The same in any earlier line is damage.
//
// Owns:      the bytes of a line, and whether a line fits the one before it.
// Does not:  read files (line-scanner.ts) or write them (ledger-writer.ts).

import { hash } from "node:crypto";

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
const TAIL_BYTES = HASH_FIELD.length + HASH_DIGITS + LINE_END.length;

/** A record's line, its LF included, and the hash that the next one is chained to. `body` has no closing brace. */
export function encodeLine(body: string, previousHash: string): { readonly text: string; readonly hash: string } {
	const own = hash("sha256", previousHash + body);
	return { text: `${body}${HASH_FIELD}${own}${LINE_END}\n`, hash: own };
}

/** The hash of a line (given without its LF), or `undefined` when it does not fit its bytes and the line before. */
export function fittingHash(line: Buffer, previousHash: string): string | undefined {
	const bodyBytes = line.length - TAIL_BYTES;
	if (bodyBytes < 0) return undefined;
	const tail = line.toString("latin1", bodyBytes);
	const claimed = tail.slice(HASH_FIELD.length, HASH_FIELD.length + HASH_DIGITS);
	if (tail !== `${HASH_FIELD}${claimed}${LINE_END}`) return undefined;
	// Over bytes, not text: bytes that are not UTF-8 all decode to the same replacement character.
	const hashed = Buffer.allocUnsafe(HASH_DIGITS + bodyBytes);
	hashed.write(previousHash, 0, "latin1");
	line.copy(hashed, HASH_DIGITS, 0, bodyBytes);
	return hash("sha256", hashed) === claimed ? claimed : undefined;
}

const SEQ_START = '{"seq":';
const INTENT_START = '{"kind":"intent",';

/** The start of an entry's body, to be followed by the rest of a record. */
export function entryStart(seq: number): string {
	return `${SEQ_START}${seq},`;
}

/** The number a line gives itself; `"intent"` for an intent, `undefined` for neither. */
export function seqOf(line: Buffer): number | "intent" | undefined {
	if (line.toString("latin1", 0, INTENT_START.length) === INTENT_START) return "intent";
	const found = /^\{"seq":(0|[1-9]\d{0,15}),"kind":"/.exec(line.toString("latin1", 0, SEQ_START.length + 26));
	return found === null ? undefined : Number(found[1]);
}

/** Why a first line is not a header this version reads. */
export function headerProblem(line: string): string {
	const version = HEADER_PATTERN.exec(line)?.[1];
	if (version === undefined) return "it is not the first line of a wavetrain ledger";
	return `it is written in version ${version} of the format, and this package reads version ${FORMAT_VERSION}`;
}
