// Workspace file
//
// The only place where a workspace tool opens a file. What is not a plain file (a pipe would never answer, a device
// never end) is refused, and the last name is not followed: it was resolved already, so a link there is new.
//
// Owns:      opening, reading whole or in pieces, and telling text from the rest.
// Does not:  say which paths are allowed (core/inside-workspace.ts).

import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import type { InsidePath } from "../../engine/core/inside-workspace.js";

const PIECE_BYTES = 1024 * 1024;

/** A file that was opened; `bytes` is its size at that moment. */
export interface OpenFile {
	readonly descriptor: number;
	readonly bytes: number;
}

/** Opens a plain file for the length of `use`. */
export function withFile<Result>(path: InsidePath, use: (file: OpenFile) => Result): Result {
	requireFile(path);
	const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
	const descriptor = openSync(path.real, flags);
	try {
		return use({ descriptor, bytes: fstatSync(descriptor).size });
	} finally {
		closeSync(descriptor);
	}
}

/** What is at a path; nothing also where a step of the path is a file. */
export function statOf(path: InsidePath): Stats | undefined {
	try {
		return statSync(path.real);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === "ENOENT" || code === "ENOTDIR") return undefined;
		throw error;
	}
}

/** Throws the error that names the path as it was shown, not where this machine keeps it. */
function requireFile(path: InsidePath): void {
	const stat = statOf(path);
	if (stat === undefined) throw new Error(`There is no file ${JSON.stringify(path.shown)}.`);
	if (stat.isDirectory()) throw new Error(`${JSON.stringify(path.shown)} is a folder, not a file.`);
	if (!stat.isFile()) throw new Error(`${JSON.stringify(path.shown)} is not a plain file.`);
}

/** The first `bytesMax` bytes of a file. */
export function readHead(file: OpenFile, bytesMax: number): Uint8Array {
	const buffer = Buffer.allocUnsafe(Math.min(file.bytes, bytesMax));
	let filled = 0;
	while (filled < buffer.length) {
		const read = readSync(file.descriptor, buffer, filled, buffer.length - filled, filled);
		if (read === 0) break;
		filled += read;
	}
	return buffer.subarray(0, filled);
}

/** The whole file in pieces. Each piece is the same memory: use it before taking the next. */
export function* readPieces(file: OpenFile): Generator<Uint8Array> {
	const buffer = Buffer.allocUnsafe(PIECE_BYTES);
	let position = 0;
	for (;;) {
		const read = readSync(file.descriptor, buffer, 0, buffer.length, position);
		if (read === 0) return;
		position += read;
		yield buffer.subarray(0, read);
	}
}

/** The bytes as text, or nothing when they are not UTF-8 text. A character cut off at the end is left out. */
export function textOf(bytes: Uint8Array): string | undefined {
	if (bytes.includes(0)) return undefined;
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
	} catch {
		return undefined;
	}
}
