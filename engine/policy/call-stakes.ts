// Call stakes
//
// What a call could discard, read from its effect and its arguments. A write could write over every file that one of its
// texts names; a folder counts where the argument's or the tool's name says that folders are meant. Whatever has a
// command among its arguments could discard what that command could.
//
//   { path: "a.txt", text: "..." }                    the file
//   { from: "a.txt", to: "b.txt" }                    both files
//   { command: "rm", args: ["-r", "build"] }          what the program could discard, its words taken as they are
//   { command: "rm -r build && make", path: "sub" }   what the line could discard, run in `sub`
//
// Owns:      that reading, for tools nobody has said anything more about.
// Does not:  look whether anything is there (at-stake.ts).

import { isAbsolute, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { NET_PATH_CHARS_MAX, NET_PATHS_MAX } from "../core/limits.js";
import type { Stake } from "./at-stake.js";
import { discardedByLine, discardedByProgram } from "./discarding-commands.js";
import { CannotKeep } from "./net-refusal.js";

export interface Suspect {
	readonly tool: string;
	readonly args: unknown;
}

const COMMAND_FIELDS = ["command", "cmd", "commandLine", "command_line", "script", "argv"];
const FOLDER_FIELDS = ["path", "cwd", "dir", "directory", "folder", "workdir", "workingDirectory"];
const WORD_FIELDS = ["args", "arguments", "argv"];

/** Fields and tools with such a word in their names may mean a folder with all that is in it. */
const NAMES_A_PLACE = /path|file|folder|dir|source|target|dest|from|^to$|old|new|location|uri|url/i;
const TAKES_FOLDERS =
	/^(?:del|remov|rm|rmdir$|unlink|mov|mv|renam|clean|purg|trash|wip|discard|reset|clear|drop|prun|replac|sync)/i;

export function stakesOf({ tool, args }: Suspect, root: string): readonly Stake[] {
	const fields = typeof args === "object" && args !== null ? (args as Readonly<Record<string, unknown>>) : {};
	const commands = COMMAND_FIELDS.filter((name) => isCommand(fields[name]));
	if (commands.length > 0) return commands.flatMap((name) => commandStakes(fields, name, root));
	const takesFolders = wordsOf(tool).some((word) => TAKES_FOLDERS.test(word));
	return textsIn("", args, []).map(({ name, text }) => {
		return { kind: "place", path: placeOf(text, root), folders: takesFolders && NAMES_A_PLACE.test(name) };
	});
}

/** Paths as a host names them: from the root, absolute, as `file:` URLs, or as the lock keys of files. */
export function namedPlace(name: string, root: string): Stake {
	return { kind: "place", path: placeOf(name, root), folders: true };
}

/** `deleteFolder`, `delete_folder` and `fs.delete` alike. */
function wordsOf(name: string): readonly string[] {
	return name.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? [];
}

function isCommand(value: unknown): boolean {
	return typeof value === "string" || isWords(value);
}

function isWords(value: unknown): value is readonly string[] {
	return Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === "string");
}

function commandStakes(fields: Readonly<Record<string, unknown>>, name: string, root: string): readonly Stake[] {
	const folder = FOLDER_FIELDS.map((one) => fields[one]).find((value) => typeof value === "string");
	const start = typeof folder === "string" ? placeOf(folder, root) : root;
	const command = fields[name];
	if (isWords(command)) return discardedByProgram(command, start);
	const words = WORD_FIELDS.map((one) => fields[one]).find(isWords);
	// A program and its words; what they are joined to is no line, because no shell reads it.
	if (words !== undefined) return discardedByProgram([String(command), ...words], start);
	return discardedByLine(String(command), start);
}

interface Text {
	readonly name: string;
	readonly text: string;
}

/** Every text that could be a path, with the name of its field. */
function textsIn(name: string, data: unknown, found: Text[]): readonly Text[] {
	if (typeof data === "string") {
		const isPath = data !== "" && data.length <= NET_PATH_CHARS_MAX && !/[\0\n\r]/.test(data);
		if (isPath) found.push({ name, text: data });
		if (found.length > NET_PATHS_MAX) throw new CannotKeep(`its arguments may name more than ${NET_PATHS_MAX} paths`);
	} else if (Array.isArray(data)) {
		for (const item of data) textsIn(name, item, found);
	} else if (typeof data === "object" && data !== null && !(data instanceof Uint8Array)) {
		for (const [key, value] of Object.entries(data)) textsIn(key, value, found);
	}
	return found;
}

function placeOf(text: string, root: string): string {
	const path = /^file:\/\//.test(text) ? pathOfUrl(text) : text.replace(/^file:(?=[\\/]|[A-Za-z]:)/, "");
	return isAbsolute(path) ? path : root + sep + path;
}

function pathOfUrl(url: string): string {
	try {
		return fileURLToPath(url);
	} catch {
		return url;
	}
}
