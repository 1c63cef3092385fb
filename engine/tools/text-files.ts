// Text files
//
// What the tools that change a file do on the host: write a text, edit one. The work is the file system's and does not
// keep the host's thread; and here are the locks, which a thread could only ask for.
//
// Owns:      the two, from path to answer.
// Does not:  declare tools (workspace-tools.ts, file-tools.ts).

import type { ToolContext } from "../core/tool-context.js";
import { WORKSPACE_FILE_BYTES_MAX } from "../core/tool-limits.js";
import { type Edit, type Edited, editExactly } from "./exact-edit.js";
import type { AskedPath } from "./find-place.js";
import { atLockedPlace } from "./locked-place.js";
import { isText, readHead } from "./plain-file.js";
import { replaceFile } from "./replace-file.js";

export function writeText(asked: AskedPath & { readonly text: string }, context: ToolContext) {
	return atLockedPlace(asked, context, async (place) => {
		const bytes = Buffer.from(asked.text);
		const { created } = await replaceFile(place, bytes);
		return { path: place.shown, bytes: bytes.length, created };
	});
}

export function editText(asked: AskedPath & Edit, context: ToolContext) {
	return atLockedPlace(asked, context, async (place) => {
		const shown = JSON.stringify(place.shown);
		const { size, bytes: before } = await readHead(place, WORKSPACE_FILE_BYTES_MAX);
		if (size > WORKSPACE_FILE_BYTES_MAX) throw tooLarge(shown, size);
		if (!isText(before)) throw new Error(`${shown} is not UTF-8 text and was left as it is.`);
		const { bytes, replacements } = edited(before, asked, shown);
		if (bytes.length > WORKSPACE_FILE_BYTES_MAX) throw tooLarge(`${shown}, edited,`, bytes.length);
		context.signal.throwIfAborted();
		await replaceFile(place, bytes);
		return { path: place.shown, replacements, bytes: bytes.length };
	});
}

function edited(before: Buffer, edit: Edit, shown: string): Edited {
	try {
		return editExactly(before, edit);
	} catch (error) {
		throw new Error(`${shown} ${(error as Error).message}. It was left as it is.`);
	}
}

function tooLarge(what: string, bytes: number): Error {
	return new Error(`${what} has ${bytes} bytes; the limit is ${WORKSPACE_FILE_BYTES_MAX}.`);
}
