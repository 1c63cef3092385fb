// File tools
//
// Tools over any file that this process may touch, by absolute path or from the current folder. A host that does not
// want that much puts them through `restrictFileTools`.
//
// Owns:      their declarations, and the reads' code.
// Does not:  write (text-files.ts) or keep calls inside a folder (restrict-file-tools.ts).
//
// All run on the host: each is a few calls to the file system on one file or folder, which costs less than the way to a
// thread.

import type { Dirent } from "node:fs";
import { opendir, unlink } from "node:fs/promises";
import { z } from "zod";
import { type Tool, tool } from "../core/tool.js";
import type { ToolContext } from "../core/tool-context.js";
import { LIST_ENTRIES_MAX, READ_TEXT_CHARS_MAX, WORKSPACE_TOOL_MS_MAX } from "../core/tool-limits.js";
import { type AskedPath, findPlace } from "./find-place.js";
import { atLockedPlace, placeKeys } from "./locked-place.js";
import { isText, readHead, requireFile, statOf } from "./plain-file.js";
import { writeText } from "./text-files.js";
import { wholeText } from "./text-schemas.js";
import { wholeEnd } from "./utf8-edges.js";
import { fileStamp, folderStamp, kindStamp } from "./workspace-stamps.js";

const path = z.string().min(1).describe("An absolute path, or one from the current folder");

const READS = {
	effect: "read",
	annotations: { readOnlyHint: true, openWorldHint: false },
	timeout: WORKSPACE_TOOL_MS_MAX,
} as const;

const WRITES = {
	effect: { write: "files" },
	annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
	timeout: WORKSPACE_TOOL_MS_MAX,
	lockKeys: placeKeys,
} as const;

/**
 * Tools over any file this process may touch: `file_read`, `file_list`, `file_exists` (reads) and `file_write`,
 * `file_delete`, which run alone under the lock keys of the real file. Links are followed, also by `file_delete`: the
 * file that a link leads to is deleted, and the link stays.
 *
 * A text longer than 262,144 bytes is cut and a folder is listed up to 1,000 names, each with a `remark` that says so.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export function fileTools(): Tool[] {
	return [
		tool({
			...READS,
			name: "file_read",
			description: "Reads a text file.",
			parameters: z.strictObject({ path }),
			presentation: (args) => ({ title: `Read ${args.path}` }),
			observed: ({ path: asked, base }: AskedPath) => fileStamp({ path: asked, root: base }),
			execute: readText,
		}),
		tool({
			...READS,
			name: "file_list",
			description: "Lists the names in a folder and what each is.",
			parameters: z.strictObject({ path }),
			presentation: (args) => ({ title: `List ${args.path}` }),
			observed: ({ path: asked, base }: AskedPath) => folderStamp({ path: asked, root: base, depth: 1 }),
			execute: listFolder,
		}),
		tool({
			...READS,
			name: "file_exists",
			description: "Says whether there is a file or folder at a path.",
			parameters: z.strictObject({ path }),
			presentation: (args) => ({ title: `Look for ${args.path}` }),
			observed: ({ path: asked, base }: AskedPath) => kindStamp({ path: asked, root: base }),
			execute: lookUp,
		}),
		tool({
			...WRITES,
			name: "file_write",
			description: "Writes a text file, replacing what it held; missing folders are made.",
			parameters: z.strictObject({ path, text: wholeText }),
			presentation: (args) => ({ title: `Write ${args.path}`, detail: `${args.text.length} characters` }),
			execute: writeText,
		}),
		tool({
			...WRITES,
			name: "file_delete",
			description: "Deletes a file. Where the path is a link, the file it leads to is deleted.",
			parameters: z.strictObject({ path }),
			presentation: (args) => ({ title: `Delete ${args.path}` }),
			execute: deleteFile,
		}),
	];
}

async function readText(asked: AskedPath) {
	const place = await findPlace(asked);
	const { size, bytes } = await readHead(place, READ_TEXT_CHARS_MAX);
	const whole = size > bytes.length ? bytes.subarray(0, wholeEnd(bytes)) : bytes;
	if (!isText(whole)) throw new Error(`${JSON.stringify(place.shown)} is not UTF-8 text.`);
	const remark = whole.length < size ? { remark: `only the first ${whole.length} of ${size} bytes` } : {};
	return { path: place.shown, bytes: size, text: whole.toString(), ...remark };
}

async function listFolder(asked: AskedPath) {
	const place = await findPlace(asked);
	const found = await statOf(place);
	if (!found?.isDirectory()) throw new Error(`There is no folder ${JSON.stringify(place.shown)}.`);
	const entries: { name: string; kind: string }[] = [];
	let more = false;
	for await (const entry of await opendir(place.real)) {
		more = entries.length >= LIST_ENTRIES_MAX;
		if (more) break;
		entries.push({ name: entry.name, kind: kindOf(entry) });
	}
	entries.sort((left, right) => (left.name < right.name ? -1 : 1));
	const remark = more ? { remark: `stopped after ${LIST_ENTRIES_MAX} names: a part of the folder` } : {};
	return { path: place.shown, entries, ...remark };
}

async function lookUp(asked: AskedPath) {
	const place = await findPlace(asked);
	const found = await statOf(place);
	if (found === undefined) return { path: place.shown, exists: false };
	return { path: place.shown, exists: true, kind: kindOf(found) };
}

function deleteFile(asked: AskedPath, context: ToolContext) {
	return atLockedPlace(asked, context, async (place) => {
		await requireFile(place);
		await unlink(place.real);
		return { path: place.shown, deleted: true };
	});
}

function kindOf(entry: Pick<Dirent, "isFile" | "isDirectory" | "isSymbolicLink">): string {
	if (entry.isFile()) return "file";
	if (entry.isDirectory()) return "folder";
	return entry.isSymbolicLink() ? "link" : "other";
}
