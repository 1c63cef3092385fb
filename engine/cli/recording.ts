// Recording
//
// A recorded reply as it was given: its text, its name, its format. The one that ships with the package is found beside
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
	readonly text: string;
	readonly format: StreamFormat;
}

/** Where the package is: seen from this file's source, and from the built command in dist/. */
const PACKAGE_FROM_HERE = ["../../", "../"];
const SHIPPED = "engine/cli/demo/reply.sse";

/** The recording that the package ships, and the package's own folder, which its calls read. */
export function shippedRecording(): { readonly path: string; readonly workspace: string } {
	for (const way of PACKAGE_FROM_HERE) {
		const workspace = fileURLToPath(new URL(way, import.meta.url));
		const path = resolve(workspace, SHIPPED);
		if (existsSync(path)) return { path, workspace };
	}
	throw new CommandError("This copy of wavetrain lacks its recording; name one of your own.");
}

export async function openRecording(name: string, given: { path: string; format?: StreamFormat | undefined }) {
	const text = await textOf(name, given.path);
	if (text.trim() === "") throw new CommandError(`The recording ${JSON.stringify(name)} is empty.`);
	const format = given.format ?? detectFormat(text);
	if (format === undefined) {
		const message = `Could not tell the format of ${JSON.stringify(name)}; say which with --format.`;
		throw new CommandError(message);
	}
	return { name, text, format } satisfies Recording;
}

async function textOf(name: string, path: string): Promise<string> {
	try {
		return await readFile(path, "utf8");
	} catch (error) {
		throw new CommandError(fileProblem(name, error));
	}
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
