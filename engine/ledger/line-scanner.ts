// Line scanner
//
// Reads a ledger's file in order and hands out whole lines that fit the chain. One scanner serves everyone who reads:
// the reader, the check, and the writer that looks for the end of an existing file. It holds one piece and at most one
// unfinished line, so its memory does not grow with the file, and it may be asked again after the file has grown.
//
// Owns:      where the next line starts, and what the end of the file looks like.
// Does not:  say what a torn end means: readers leave it out, the writer cuts it off, the check reports it.
//
// Invariants:
//   S3. Only what no mark stands behind can be torn; a bad line with a mark behind it is damage.
//   S4. A mark is taken only at the byte that it names.
//   S5. Bytes that do not fit are judged only when they were read twice from the place where they begin: a writer in another
//       process may have been filling the space there while they were read first.

import { isAscii, isUtf8 } from "node:buffer";
import { LEDGER_LINE_BYTES_MAX, LEDGER_READ_BYTES } from "../core/ledger-limits.js";
import type { LedgerFile } from "./file-system.js";
import type { LedgerProblem } from "./ledger-error.js";
import type { TornEnd } from "./ledger-store.js";
import { CHAIN_START, type ChainPlace, linkOf } from "./line-chain.js";
import { HEADER, headerProblem, textOf } from "./line-format.js";
import { searchMark } from "./mark-search.js";

/** The text of a record's line, without its LF. */
export interface ScannedLine {
	/** Counts from 1, as editors do; the header is line 1. */
	readonly line: number;
	readonly text: string;
}

/** Where the next line goes, and what it is chained to. */
export interface LinePlace extends ChainPlace {
	readonly offset: number;
	/** The place behind the last mark: if it is here, the next line needs none before it. */
	readonly marked: number;
}

/** What stands after the last whole line: nothing, something torn, or a line that nothing can be read behind. */
export type ScanEnd =
	| { readonly kind: "whole"; readonly spareBytes: number }
	| ({ readonly kind: "torn" } & TornEnd)
	| { readonly kind: "damaged"; readonly problem: LedgerProblem };

const LF = 0x0a;
/** What every line begins with. */
const BRACE = 0x7b;
const NONE = Buffer.alloc(0);
const DOES_NOT_FIT = "its hash does not fit its bytes and the line before it";
const EMPTY: LinePlace = { ...CHAIN_START, offset: 0, marked: 0 };

/** Behind the header, which counts as a mark. */
export const FILE_START: LinePlace = { ...CHAIN_START, line: 2, offset: HEADER.length, marked: HEADER.length };

export class LineScanner {
	readonly #file: Pick<LedgerFile, "read">;
	#place = EMPTY;
	/** Read but not handed out yet: begins at the place's offset. */
	#rest: Buffer = NONE;
	/** The offset of the place where bytes were read that did not fit. */
	#doubted = -1;
	/** Why no line is handed out any more. */
	#stop: Exclude<ScanEnd, { kind: "whole" }> | undefined;

	constructor(file: Pick<LedgerFile, "read">) {
		this.#file = file;
	}

	get place(): LinePlace {
		return this.#place;
	}

	/**
	 * The next whole lines of records; none when the file holds no more. With `until`, no byte from there on is read, and
	 * all before it is known to be durable.
	 */
	async next(until = Number.POSITIVE_INFINITY): Promise<readonly ScannedLine[]> {
		// What was left at the file's end may have been written over since. A line that was cut by a piece's end is read anew.
		this.#rest = NONE;
		this.#doubted = -1;
		while (this.#stop === undefined) {
			const more = await this.#readMore(until);
			if (!more && (this.#cutBytes().length === 0 || this.#isReadTwice())) return [];
			const { lines, isUnfit } = this.#takeLines();
			if (isUnfit && this.#isReadTwice()) this.#stop = await this.#judge(until);
			if (lines.length > 0) return lines;
		}
		return [];
	}

	/** S5: where it is the first time, what was read is dropped to be read again. */
	#isReadTwice(): boolean {
		const { offset } = this.#place;
		if (this.#doubted === offset) return true;
		this.#doubted = offset;
		this.#rest = NONE;
		return false;
	}

	/** What was read behind the last whole line, without the space that is written ahead; there is none before line 1 is. */
	#cutBytes(): Buffer {
		if (this.#place.offset === 0) return this.#rest;
		return this.#rest.subarray(0, this.#rest.findLastIndex((byte) => byte !== 0) + 1);
	}

	/** What stands after the lines handed out, once `next` has answered none. */
	get end(): ScanEnd {
		if (this.#stop !== undefined) return this.#stop;
		const cut = this.#cutBytes();
		if (cut.length === 0) return { kind: "whole", spareBytes: this.#rest.length };
		return { kind: "torn", line: this.#place.line, bytes: cut.length, changed: this.#isChanged(cut) };
	}

	async #readMore(until: number): Promise<boolean> {
		const position = this.#place.offset + this.#rest.length;
		const wanted = Math.min(LEDGER_READ_BYTES, until - position);
		if (wanted <= 0) return false;
		const piece = Buffer.allocUnsafe(wanted);
		const { bytesRead } = await this.#file.read({ buffer: piece, offset: 0, length: wanted, position });
		const read = piece.subarray(0, bytesRead);
		this.#rest = this.#rest.length === 0 ? read : Buffer.concat([this.#rest, read]);
		return bytesRead > 0;
	}

	#takeLines(): Taken {
		const lines: ScannedLine[] = [];
		if (this.#place.offset === 0 && !this.#takeHeader()) return { lines, isUnfit: false };
		const wholeBytes = this.#rest.lastIndexOf(LF) + 1;
		const bytes = this.#rest.subarray(0, wholeBytes);
		const textAt = decoderOf(bytes);
		for (let from = 0, end = 0; from < wholeBytes; from = end + 1) {
			end = bytes.indexOf(LF, from);
			const { line } = this.#place;
			const text = textAt(from, end);
			// What is no UTF-8 is taken for an empty line: that fits nothing, and nothing behind it is read.
			const link = linkOf(text ?? "", this.#place);
			switch (link.kind) {
				case "record":
					lines.push({ line, text: text ?? "" });
					this.#advance(link.place, end - from);
					break;
				case "mark":
					if (!this.#takeMark(link.bytes)) return { lines, isUnfit: false };
					this.#advance(link.place, end - from);
					this.#place = { ...this.#place, marked: this.#place.offset };
					break;
				case "wrong":
					this.#damaged(link.reason);
					return { lines, isUnfit: false };
				case "unfit":
					return { lines, isUnfit: true };
			}
		}
		this.#rest = this.#rest.subarray(wholeBytes);
		return { lines, isUnfit: this.#rest.length > LEDGER_LINE_BYTES_MAX };
	}

	#takeHeader(): boolean {
		const rest = this.#rest;
		// The header is a write of its own, so a crash leaves a file of this length at most and with nothing else in it.
		if (isTornHeader(rest)) return false;
		if (!rest.subarray(0, HEADER.length).equals(HEADER)) {
			const end = rest.indexOf(LF);
			this.#damaged(headerProblem(rest.toString("utf8", 0, end === -1 ? HEADER.length : end)));
			return false;
		}
		this.#place = FILE_START;
		this.#rest = rest.subarray(HEADER.length);
		return true;
	}

	/** S4: a mark that was moved together with its chain still names its old place. */
	#takeMark(bytes: number): boolean {
		const { offset } = this.#place;
		if (bytes !== offset) this.#damaged(`it marks ${bytes} bytes, and stands behind ${offset}`);
		return bytes === offset;
	}

	#advance({ line, seq, hash }: ChainPlace, bytes: number): void {
		const { offset, marked } = this.#place;
		// Field by field: spreading would take as long as hashing the line.
		this.#place = { line, seq, hash, offset: offset + bytes + 1, marked };
	}

	/** S3: what a line that does not fit means is told by what stands behind it. */
	async #judge(until: number): Promise<Exclude<ScanEnd, { kind: "whole" }>> {
		const { line, offset } = this.#place;
		const damaged = { kind: "damaged", problem: { line, reason: DOES_NOT_FIT } } as const;
		if (until !== Number.POSITIVE_INFINITY) return damaged;
		const { hasMark, fileBytes } = await searchMark(this.#file, offset);
		return hasMark ? damaged : { kind: "torn", line, bytes: fileBytes - offset, changed: true };
	}

	#damaged(reason: string): void {
		this.#stop = { kind: "damaged", problem: { line: this.#place.line, reason } };
	}

	/** A cut leaves less than a line; a whole line before a stray last byte, or before a NUL byte, had an LF there once. */
	#isChanged(cut: Buffer): boolean {
		if (cut[0] !== BRACE || cut.includes(0)) return true;
		const isLine = (bytes: Buffer): boolean => {
			const text = textOf(bytes);
			return text !== undefined && linkOf(text, this.#place).kind !== "unfit";
		};
		return isLine(cut.subarray(0, -1)) || (cut.length < this.#rest.length && isLine(cut));
	}
}

/** A second crash may bring the length of the whole header over the beginning that the first had left. */
function isTornHeader(bytes: Buffer): boolean {
	if (bytes.length > HEADER.length || bytes.equals(HEADER)) return false;
	const left = bytes.subarray(0, bytes.findLastIndex((byte) => byte !== 0) + 1);
	return HEADER.subarray(0, left.length).equals(left);
}

interface Taken {
	readonly lines: readonly ScannedLine[];
	readonly isUnfit: boolean;
}

/**
 * Decodes a part of the bytes; what is not UTF-8 to `undefined`. Line by line, because a quarter of a megabyte of text at
 * once takes twice as long: it is too large for where short-lived texts go.
 */
function decoderOf(bytes: Buffer): (from: number, end: number) => string | undefined {
	if (isAscii(bytes)) return (from, end) => bytes.toString("latin1", from, end);
	if (isUtf8(bytes)) return (from, end) => bytes.toString("utf8", from, end);
	return (from, end) => textOf(bytes.subarray(from, end));
}
