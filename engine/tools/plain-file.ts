// Plain file
//
// Reading a file on the host, as the file tools do. What is not a plain file (a pipe would never answer, a device never
// end) is refused, and the last name is not followed: it was resolved already, so a link there is new.
//
// Owns:      what is at a place, and reading it.
// Does not:  say which places are allowed (find-place.ts) or write (replace-file.ts).

import { isUtf8 } from "node:buffer";
import { constants, type Stats } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import type { InsidePath } from "../core/inside-workspace.js";
import { unlessMissing } from "../core/real-path.js";

/** What is at a place; nothing also where a step of the way is a file. */
export function statOf(place: InsidePath): Promise<Stats | undefined> {
	return unlessMissing(stat(place.real));
}

/** The place's file, or the error that names it as it was shown. */
export async function requireFile(place: InsidePath): Promise<Stats> {
	const found = await statOf(place);
	const shown = JSON.stringify(place.shown);
	if (found === undefined) throw new Error(`There is no file ${shown}.`);
	if (found.isDirectory()) throw new Error(`${shown} is a folder, not a file.`);
	if (!found.isFile()) throw new Error(`${shown} is not a plain file.`);
	return found;
}

export interface FileHead {
	/** The size of the whole file when it was opened. */
	readonly size: number;
	readonly bytes: Buffer;
}

/** The first `bytesMax` bytes of a file. */
export async function readHead(place: InsidePath, bytesMax: number): Promise<FileHead> {
	await requireFile(place);
	const file = await open(place.real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
	try {
		const { size } = await file.stat();
		return { size, bytes: await filled(file, Math.min(size, bytesMax)) };
	} finally {
		await file.close();
	}
}

/** Whether the bytes are text: UTF-8, and no zero byte, which no text holds. */
export function isText(bytes: Uint8Array): boolean {
	return isUtf8(bytes) && !bytes.includes(0);
}

async function filled(file: FileHandle, bytes: number): Promise<Buffer> {
	const buffer = Buffer.allocUnsafe(bytes);
	let length = 0;
	while (length < bytes) {
		const { bytesRead } = await file.read(buffer, length, bytes - length, length);
		if (bytesRead === 0) break;
		length += bytesRead;
	}
	return buffer.subarray(0, length);
}
