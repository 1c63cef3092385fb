// Real path
//
// Where a path leads when every link of it is followed, also when its end does not exist yet: the system's own answer
// covers what exists, and what is missing is kept as written behind the deepest folder that exists.
//
// Owns:      links (in the middle, at the end, to links, to nothing), `.` and `..` after links, loops.
// Does not:  fold letter case or Unicode form (locks/name-folding.ts), or judge where a path leads (inside-workspace.ts).
//
// `..` after a link leaves the folder that the link leads to, not the one it stands in. So a path is never joined or
// normalised as text here before the file system has read it; that would take `link/../note` for `note`.

import { readlink, realpath } from "node:fs/promises";
import { dirname, isAbsolute, parse, sep } from "node:path";
import { EngineError } from "./errors.js";
import { LINK_HOPS_MAX, PATH_CHARS_MAX } from "./limits.js";

/** The real path; an error of the file system other than a missing file or a loop is thrown as it is. */
export function realPathOf(path: string): Promise<string> {
	if (path.length > PATH_CHARS_MAX) return Promise.reject(tooLong());
	return follow(isAbsolute(path) ? path : process.cwd() + sep + path, []);
}

async function follow(path: string, followed: string[]): Promise<string> {
	const real = await unlessMissing(realpath(path));
	if (real !== undefined) return real;
	const { folder, name } = lastName(path);
	// A drive that is not there.
	if (folder === path) return path;
	const realFolder = await follow(folder, followed);
	// The folder is missing, or the path would have had an answer; so this is only text.
	if (name === "..") return dirname(realFolder);
	if (name === "" || name === ".") return realFolder;
	const link = realFolder.endsWith(sep) ? realFolder + name : realFolder + sep + name;
	const target = await unlessMissing(readlink(link));
	if (target === undefined) return link;
	followed.push(link);
	if (followed.length > LINK_HOPS_MAX) throw loopAt(followed);
	return follow(isAbsolute(target) ? target : realFolder + sep + target, followed);
}

/** What the file system says of such a path once it looks at all of it. */
function tooLong(): Error {
	const message = `ENAMETOOLONG: the path is longer than ${PATH_CHARS_MAX} characters`;
	return Object.assign(new Error(message), { code: "ENAMETOOLONG" });
}

/** The last name and what stands before it, as text; slashes at the end name nothing. */
function lastName(path: string): { readonly folder: string; readonly name: string } {
	const { root } = parse(path);
	const isSlash = (at: number): boolean => path[at] === sep || path[at] === "/";
	let end = path.length;
	while (end > root.length && isSlash(end - 1)) end -= 1;
	let start = end;
	while (start > root.length && !isSlash(start - 1)) start -= 1;
	return { folder: path.slice(0, start), name: path.slice(start, end) };
}

function loopAt(followed: readonly string[]): EngineError {
	const again = followed.find((link, place) => followed.indexOf(link, place + 1) !== -1);
	const link = JSON.stringify(again ?? followed[0]);
	const problem =
		again === undefined
			? `${link} begins a chain of more than ${LINK_HOPS_MAX} links`
			: `the link ${link} leads back to itself`;
	return new EngineError("FILE_LINK_LOOP", { action: "follow the path's links", problem });
}

// EINVAL is what `readlink` says of a file that is no link.
const MISSING: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR", "ELOOP", "EINVAL"]);

/** What the file system answers; `undefined` if nothing is there. */
export async function unlessMissing<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
	try {
		return await answer;
	} catch (error) {
		if (MISSING.has((error as NodeJS.ErrnoException).code)) return undefined;
		throw error;
	}
}
