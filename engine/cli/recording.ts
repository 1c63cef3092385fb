// Recording
//
// A recorded reply as it was given: its bytes, its name, its format. Bytes and not text, because one format is binary; a
// recording of that one may also be kept as base64, as the tools that record traffic keep what is no text. The one that ships with the package is found beside
// its sources, which are part of the package for that reason.
//
// Owns:      finding and opening a recording, and the lines for one that cannot be.
// Does not:  read what it says (replay.ts).

import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { detectFormat, type StreamFormat } from "../index.js";
import { CommandError } from "./command-error.js";
import { oneLine } from "./plain-text.js";

export interface Recording {
	/** As it was given. */
	readonly name: string;
	readonly bytes: Uint8Array;
	readonly format: StreamFormat;
}

/** Where the package is: seen from this file's source, and from the built command in dist/. */
const PACKAGE_FROM_HERE = ["../../", "../"];
const HEAD_BYTES = 256;
const BASE64_HEAD = /^[A-Za-z\d+/\s]{16,}={0,2}\s*$/;
const SHIPPED = "engine/cli/demo/reply.sse";

/** The recording that the package ships, and the package's own folder, which its calls ask about. */
export function shippedRecording(): { readonly path: string; readonly packageFolder: string } {
	for (const way of PACKAGE_FROM_HERE) {
		const packageFolder = fileURLToPath(new URL(way, import.meta.url));
		const path = resolve(packageFolder, SHIPPED);
		if (existsSync(path)) return { path, packageFolder };
	}
	throw new CommandError("This copy of wavetrain lacks its recording; name one of your own.");
}

export async function openRecording(name: string, given: { path: string; format?: StreamFormat | undefined }) {
	const bytes = unwrapped(await bytesOf(name, given.path));
	if (bytes.every(isBlank)) throw new CommandError(`The recording ${JSON.stringify(name)} is empty.`);
	const format = given.format ?? detectFormat(bytes);
	if (format === undefined) {
		const message = `Could not tell the format of ${JSON.stringify(name)}; say which with --format.`;
		throw new CommandError(message);
	}
	return { name, bytes, format } satisfies Recording;
}

async function bytesOf(name: string, path: string): Promise<Buffer> {
	try {
		return await readFile(path);
	} catch (error) {
		throw new CommandError(fileProblem(name, error));
	}
}

/** Frames out of their base64. No other recording is base64 throughout, and none but frames begins with a zero. */
function unwrapped(bytes: Buffer): Uint8Array {
	if (!BASE64_HEAD.test(bytes.toString("latin1", 0, HEAD_BYTES))) return bytes;
	const decoded = Buffer.from(bytes.toString("latin1"), "base64");
	return decoded[0] === 0 ? decoded : bytes;
}

function isBlank(byte: number): boolean {
	return byte === 32 || (byte >= 9 && byte <= 13);
}

/** The line for a file that could not be opened. */
export function fileProblem(name: string, error: unknown): string {
	const { code, message } = error as NodeJS.ErrnoException;
	const shown = JSON.stringify(name);
	if (code === "ENOENT" || code === "ENOTDIR") return `There is no file ${shown}.`;
	if (code === "EISDIR") return `${shown} is a folder, not a file.`;
	if (code === "EACCES" || code === "EPERM") return `${shown} may not be read.`;
	return `Could not read ${shown}: ${oneLine(message)}`;
}

/** Refuses, in one line, what is not there or not a file. */
export async function requireFile(name: string, path: string): Promise<void> {
	let isFile: boolean;
	try {
		isFile = (await stat(path)).isFile();
	} catch (error) {
		throw new CommandError(fileProblem(name, error));
	}
	if (!isFile) throw new CommandError(`${JSON.stringify(name)} is not a file.`);
}
