// Reading a file
//
// The lines of one text file, from a line on, as many as fit. A file that is not UTF-8 is refused: text made of it
// would hold characters that the file does not.
//
// Owns:      which lines are answered, and what is said of those that are not.
// Does not:  decide which file may be read, or open it (workspace-file.ts).

import { insideWorkspace } from "../../engine/core/inside-workspace.js";
import { READ_TEXT_CHARS_MAX, WORKSPACE_FILE_BYTES_MAX } from "../../engine/core/tool-limits.js";
import { readHead, textOf, withFile } from "./workspace-file.js";

export interface ReadFileArgs {
	readonly root: string;
	readonly path: string;
	/** The first line to answer, from 1. */
	readonly fromLine: number;
	readonly lines?: number | undefined;
}

export async function readFile({ root, path, fromLine, lines }: ReadFileArgs) {
	const place = await insideWorkspace(root, path);
	return withFile(place, (file) => {
		const text = textOf(readHead(file, WORKSPACE_FILE_BYTES_MAX));
		if (text === undefined) throw new Error(`${JSON.stringify(place.shown)} is not UTF-8 text.`);
		const cutAtBytes = file.bytes > WORKSPACE_FILE_BYTES_MAX;
		const asked = linesOf(text, fromLine, lines);
		const answer = cutText(asked, READ_TEXT_CHARS_MAX);
		const remarks = [
			...(cutAtBytes ? [`only the first ${WORKSPACE_FILE_BYTES_MAX} of ${file.bytes} bytes were looked at`] : []),
			...(answer.length < asked.length ? [`cut after ${answer.length} of ${asked.length} characters`] : []),
		];
		const remark = remarks.length === 0 ? {} : { remark: `${remarks.join("; ")}; ask for lines further on` };
		return { path: place.shown, bytes: file.bytes, text: answer, ...remark };
	});
}

// Line ends are kept as they are, so that the answer is a piece of the file byte for byte.
function linesOf(text: string, fromLine: number, lines: number | undefined): string {
	const start = offsetOfLine(text, 0, fromLine - 1);
	return text.slice(start, lines === undefined ? undefined : offsetOfLine(text, start, lines));
}

function offsetOfLine(text: string, from: number, lines: number): number {
	let offset = from;
	for (let passed = 0; passed < lines; passed += 1) {
		const end = text.indexOf("\n", offset);
		if (end === -1) return text.length;
		offset = end + 1;
	}
	return offset;
}

// A pair of code units that make one character is not torn apart.
function cutText(text: string, charsMax: number): string {
	if (text.length <= charsMax) return text;
	const last = text.charCodeAt(charsMax - 1);
	const torn = last >= 0xd800 && last <= 0xdbff;
	return text.slice(0, torn ? charsMax - 1 : charsMax);
}
