// Locked place
//
// What a file tool that changes a file holds while it does, and that it is the right file by then. A call names its keys
// before it waits for them, and while it waits a link may be turned, a folder moved, a second name given to the file. So
// the path is followed again once the keys are held, and where it now leads elsewhere the keys of that place are taken
// instead. Taking keys again that the call holds already is free, which is the usual case.
//
// Owns:      the keys of a path, and acting only under keys of where it leads.
// Does not:  write (replace-file.ts).
//
// Invariants:
//   LP1. A file is changed only while the call holds every key of the place that its path leads to.

import { type InsidePath, OutsideWorkspaceError } from "../core/inside-workspace.js";
import type { ToolContext } from "../core/tool-context.js";
import { FILE_LOCK_TRIES_MAX } from "../core/tool-limits.js";
import { fileLockKeys, keysCoverFile } from "../locks/file-lock-key.js";
import { type AskedPath, findPlace } from "./find-place.js";

/**
 * The keys of a path, for a tool's `lockKeys`. A path that leads out has none: nothing there will be touched, and a call
 * that is about to be refused waits for nobody.
 */
export async function placeKeys(asked: AskedPath): Promise<string[]> {
	try {
		return await fileLockKeys((await findPlace(asked)).real);
	} catch (error) {
		if (error instanceof OutsideWorkspaceError) return [];
		throw error;
	}
}

/** Acts on where the path leads, its keys held. */
export async function atLockedPlace<Answer>(
	asked: AskedPath,
	context: ToolContext,
	act: (place: InsidePath) => Promise<Answer>,
): Promise<Answer> {
	for (let tries = 0; tries < FILE_LOCK_TRIES_MAX; tries += 1) {
		const keys = await fileLockKeys((await findPlace(asked)).real);
		const release = await context.lock(keys);
		try {
			const place = await findPlace(asked);
			// LP1: what others move from here on, they move under the same keys, or from outside this process.
			if (await keysCoverFile(place.real, keys)) {
				context.signal.throwIfAborted();
				return await act(place);
			}
		} finally {
			release();
		}
	}
	const path = JSON.stringify(asked.path);
	throw new Error(`The path ${path} led to another file each of the ${FILE_LOCK_TRIES_MAX} times it was locked.`);
}
