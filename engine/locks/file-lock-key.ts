// File lock key
//
// The lock key of a file, the same for every path that leads to it: through links, with another case where the file
// system folds it, as a `file:` URL, and before the file exists.
//
// Owns:      keys of paths, keys of files with several names, and checking them again.
// Does not:  lock (keyed-lock.ts).
//
// A link may be turned between working out a key and being granted it. Whoever must not be led astray checks again once
// it holds the key (`keysCoverFile`), and starts over with the new keys when the answer is no.

import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { EngineError } from "../core/errors.js";
import { realPathOf, unlessMissing } from "../core/real-path.js";
import { NameFolding } from "./name-folding.js";

const folding = new NameFolding();

/**
 * The lock key of a file: `file:` and its real path, every link followed, also when the file does not exist yet.
 *
 * @param path - A path, relative ones to the working folder, or a `file:` URL as a text or a `URL`.
 * @throws EngineError `FILE_LINK_LOOP` naming the link; `INVALID_OPTIONS` for an empty path or another kind of URL. An
 * error of the file system, such as a folder that may not be read, is thrown as it is.
 * @remarks Since 0.1.0.
 * @public
 */
export async function fileLockKey(path: string | URL): Promise<string> {
	return keyOf(await realPathOf(plainPath(path)));
}

/**
 * The lock keys of a file: that of {@link fileLockKey}, and one of the file itself where it has several names (hard
 * links), so that calls through different names meet.
 *
 * @param path - As of {@link fileLockKey}.
 * @throws As {@link fileLockKey} does.
 * @remarks Since 0.1.0.
 * @public
 */
export async function fileLockKeys(path: string | URL): Promise<string[]> {
	const real = await realPathOf(plainPath(path));
	const key = await keyOf(real);
	const file = await unlessMissing(stat(real, { bigint: true }));
	return file?.isFile() && file.nlink > 1n ? [key, `inode:${file.dev}:${file.ino}`] : [key];
}

/**
 * Whether the keys still cover the file that the path leads to now: a link may have been turned, or a second name given,
 * since they were worked out. Ask once they are held; where the answer is no, start over with new keys.
 *
 * @param path - As it was given to {@link fileLockKeys}.
 * @param keys - What that answered.
 * @throws As {@link fileLockKey} does.
 * @remarks Since 0.1.0.
 * @public
 */
export async function keysCoverFile(path: string | URL, keys: readonly string[]): Promise<boolean> {
	const now = await fileLockKeys(path);
	return now.every((key) => keys.includes(key));
}

async function keyOf(realPath: string): Promise<string> {
	return `file:${await folding.fold(realPath)}`;
}

function plainPath(path: string | URL): string {
	const action = "work out the lock key of a file";
	if (path === "") throw new EngineError("INVALID_OPTIONS", { action, problem: "the path is empty" });
	// `file:note` without a slash is a name like any other.
	if (typeof path === "string" && !path.startsWith("file:/")) return path;
	try {
		return fileURLToPath(path);
	} catch (cause) {
		throw new EngineError("INVALID_OPTIONS", { action, problem: `${String(path)} is not the URL of a file`, cause });
	}
}
