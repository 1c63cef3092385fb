// Line scanner
//
// Reads a ledger's file in order and hands out whole lines that fit the chain. One scanner serves everyone who reads:
// the reader, the check, and the writer that looks for the end of an existing file. It holds one chunk and at most one
// unfinished line, so its memory does not grow with the file, and it may be asked again after the file has grown.
//
// Owns:      where the next line starts, and what the end of the file looks like.
// Does not:  say what a torn end means: readers leave it out, the writer cuts it off, the check reports it.
//
// Invariants:
//   S1. A line is handed out only if its hash fits the bytes of every line before it.
//   S2. Entries are numbered from 0 without a gap.
//   S3. Only what nothing follows can be torn; a bad line with a byte behind it is damage.

import type { FileHandle } from "node:fs/promises";
import { LEDGER_LINE_BYTES_MAX, LEDGER_READ_BYTES } from "../core/limits.js";
import type { LedgerProblem } from "./ledger-error.js";
import { FIRST_HASH, fittingHash, HEADER, headerProblem, seqOf } from "./line-format.js";

/** A line that fits. `bytes` has no LF and stays as it is. */
export interface ScannedLine {
	/** Counts from 1, as editors do; the header is line 1. */
	readonly line: number;
	readonly bytes: Buffer;
	/** `undefined` for an intent. */
	readonly seq: number | undefined;
}

/** Where the next line goes, and what it is chained to. */
export interface LinePlace {
	readonly offset: number;
	readonly line: number;
	readonly seq: number;
	readonly hash: string;
}

/** The rest of a write that did not finish. */
export interface TornEnd {
	readonly kind: "torn";
	readonly line: number;
	readonly bytes: number;
	/** It cannot be a mere cut of what was written, because it is long enough for a line. */
	readonly changed: boolean;
}

/** What stands after the last whole line: nothing, something torn, or a line that nothing can be read behind. */
export type ScanEnd =
	| { readonly kind: "whole" }
	| TornEnd
	| { readonly kind: "damaged"; readonly problem: LedgerProblem };

const LF = 0x0a;
const START: LinePlace = { offset: 0, line: 1, seq: 0, hash: FIRST_HASH };
const DOES_NOT_FIT = "its hash does not fit its bytes and the line before it";

export class LineScanner {
	readonly #file: Pick<FileHandle, "read">;
	#place = START;
	/** Read but not handed out yet: begins at the place's offset. */
	#rest: Buffer = Buffer.alloc(0);
	#damage: LedgerProblem | undefined;

	constructor(file: Pick<FileHandle, "read">) {
		this.#file = file;
	}

	get place(): LinePlace {
		return this.#place;
	}

	/** The next whole lines, up to the byte `until` if given; none when the file holds no more. */
	async next(until = Number.POSITIVE_INFINITY): Promise<readonly ScannedLine[]> {
		while (this.#damage === undefined) {
			const more = await this.#readMore(until);
			const lines = more ? this.#takeLines() : [];
			if (lines.length > 0 || !more) return lines;
		}
		return [];
	}

	/** What stands after the lines handed out, once `next` has answered none. */
	get end(): ScanEnd {
		if (this.#damage !== undefined) return { kind: "damaged", problem: this.#damage };
		const rest = this.#rest;
		if (rest.length === 0) return { kind: "whole" };
		return { kind: "torn", line: this.#place.line, bytes: rest.length, changed: this.#isChanged(rest) };
	}

	async #readMore(until: number): Promise<boolean> {
		const position = this.#place.offset + this.#rest.length;
		const wanted = Math.min(LEDGER_READ_BYTES, until - position);
		if (wanted <= 0) return false;
		const chunk = Buffer.allocUnsafe(wanted);
		const { bytesRead } = await this.#file.read(chunk, 0, wanted, position);
		const read = chunk.subarray(0, bytesRead);
		this.#rest = this.#rest.length === 0 ? read : Buffer.concat([this.#rest, read]);
		return bytesRead > 0;
	}

	#takeLines(): ScannedLine[] {
		const lines: ScannedLine[] = [];
		if (this.#place.offset === 0 && !this.#takeHeader()) return lines;
		const rest = this.#rest;
		let from = 0;
		for (let end = rest.indexOf(LF, from); end !== -1; end = rest.indexOf(LF, from)) {
			const bytes = rest.subarray(from, end);
			// S1: the hash covers the one before it, and so everything before.
			const hash = fittingHash(bytes, this.#place.hash);
			if (hash === undefined) {
				// S3: with nothing behind it the line may be torn; it stays in the rest until that is known.
				if (end + 1 < rest.length) this.#damaged(DOES_NOT_FIT);
				break;
			}
			const seq = this.#expectSeq(bytes);
			if (seq === "wrong") break;
			lines.push({ line: this.#place.line, bytes, seq });
			this.#advance(bytes.length + 1, hash, seq);
			from = end + 1;
		}
		this.#rest = rest.subarray(from);
		if (this.#rest.length > LEDGER_LINE_BYTES_MAX) this.#damaged("it is longer than any line of a ledger");
		return lines;
	}

	#takeHeader(): boolean {
		const rest = this.#rest;
		const known = Math.min(rest.length, HEADER.length);
		if (rest.compare(HEADER, 0, known, 0, known) !== 0) {
			const end = rest.indexOf(LF);
			this.#damaged(headerProblem(rest.toString("utf8", 0, end === -1 ? known : end)));
			return false;
		}
		if (rest.length < HEADER.length) return false;
		this.#place = { ...START, offset: HEADER.length, line: 2 };
		this.#rest = rest.subarray(HEADER.length);
		return true;
	}

	/** S2: a number out of turn is damage; under a hash that fits it was written so, and is never torn. */
	#expectSeq(bytes: Buffer): number | undefined | "wrong" {
		const seq = seqOf(bytes);
		if (seq === "intent") return undefined;
		if (seq === this.#place.seq) return seq;
		this.#damaged(seq === undefined ? "it is no record" : `it is number ${seq} where ${this.#place.seq} is due`);
		return "wrong";
	}

	#advance(bytes: number, hash: string, seq: number | undefined): void {
		const { offset, line, seq: due } = this.#place;
		this.#place = { offset: offset + bytes, line: line + 1, seq: seq === undefined ? due : due + 1, hash };
	}

	#damaged(reason: string): void {
		this.#damage = { line: this.#place.line, reason };
	}

	/** A cut leaves less than a line and no LF; a whole line before a stray last byte had an LF there once. */
	#isChanged(rest: Buffer): boolean {
		if (this.#place.offset === 0) return false;
		return rest.includes(LF) || fittingHash(rest.subarray(0, -1), this.#place.hash) !== undefined;
	}
}
