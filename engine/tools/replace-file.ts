// Replacing a file
//
// Gives a file new content so that a crash at any moment leaves the old or the new content whole: it is written to a
// file beside the old one, made durable, and renamed over it. Writing into the old file would be simpler, and a crash
// would leave half of it.
//
//   symbolic link   the place is real already, so the file that the link leads to is replaced and the link stays
//   hard links      a rename would part the names, and an edit through one would not be seen through the others; so a
//                   file of several names is written in place, and a crash may leave a part
//   mode, owner     are the old file's
//   no new file     where the folder takes none, or the owner cannot be given, the file is written in place as well
//
// Owns:      writing, and nothing left beside the file when it fails.
// Does not:  keep two writers apart (locked-place.ts).

import { constants, type Stats } from "node:fs";
import { access, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { systemClock } from "../core/clock.js";
import type { InsidePath } from "../core/inside-workspace.js";
import { statOf } from "./plain-file.js";

/** Writes the file, missing folders too. Says whether it is new. */
export async function replaceFile(place: InsidePath, bytes: Uint8Array): Promise<{ readonly created: boolean }> {
	const before = await statOf(place);
	if (before === undefined) {
		await makeFolders(place);
		await renameOver(place.real, bytes, undefined);
		return { created: true };
	}
	if (!before.isFile()) throw new Error(`${JSON.stringify(place.shown)} is not a plain file.`);
	// A rename asks only what the folder allows; a file that may not be written stays as it is.
	await access(place.real, constants.W_OK);
	if (before.nlink > 1) await writeInPlace(place.real, bytes);
	else await renameOver(place.real, bytes, before).catch((error) => unlessDenied(error, place.real, bytes));
	return { created: false };
}

async function makeFolders({ real, shown }: InsidePath): Promise<void> {
	try {
		await mkdir(dirname(real), { recursive: true });
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code !== "EEXIST" && code !== "ENOTDIR") throw error;
		throw new Error(`On the way to ${JSON.stringify(shown)} is a file, not a folder.`);
	}
}

async function renameOver(real: string, bytes: Uint8Array, before: Stats | undefined): Promise<void> {
	const aside = join(dirname(real), `.wavetrain-${systemClock.newId()}.tmp`);
	try {
		const file = await open(aside, "wx", 0o666);
		try {
			await file.writeFile(bytes);
			if (before !== undefined) {
				const made = await file.stat();
				if (made.uid !== before.uid || made.gid !== before.gid) await file.chown(before.uid, before.gid);
				await file.chmod(before.mode & 0o7777);
			}
			await file.sync();
		} finally {
			await file.close();
		}
		await rename(aside, real);
	} catch (error) {
		await rm(aside, { force: true });
		throw error;
	}
}

async function unlessDenied(error: unknown, real: string, bytes: Uint8Array): Promise<void> {
	const { code } = error as NodeJS.ErrnoException;
	if (code !== "EACCES" && code !== "EPERM") throw error;
	await writeInPlace(real, bytes);
}

async function writeInPlace(real: string, bytes: Uint8Array): Promise<void> {
	const file = await open(real, constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0));
	try {
		await file.writeFile(bytes);
		await file.truncate(bytes.length);
		await file.sync();
	} finally {
		await file.close();
	}
}
