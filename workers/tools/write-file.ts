// Writing a file
//
// Puts a text into one file, making the folders on the way. Every one of them is a real folder inside the root by then.

import { closeSync, constants, mkdirSync, openSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { insideWorkspace } from "./inside-workspace.js";
import { statOf } from "./workspace-file.js";

export interface WriteFileArgs {
	readonly root: string;
	readonly path: string;
	readonly text: string;
}

export function writeFile({ root, path, text }: WriteFileArgs) {
	const place = insideWorkspace(root, path);
	const before = statOf(place);
	if (before !== undefined && !before.isFile()) throw new Error(`${JSON.stringify(place.shown)} is not a plain file.`);
	mkdirSync(dirname(place.real), { recursive: true });
	const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
	const descriptor = openSync(place.real, O_WRONLY | O_CREAT | O_TRUNC | (O_NOFOLLOW ?? 0), 0o666);
	try {
		writeFileSync(descriptor, text);
	} finally {
		closeSync(descriptor);
	}
	return { path: place.shown, bytes: Buffer.byteLength(text), created: before === undefined };
}
