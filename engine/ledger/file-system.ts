// File system
//
// The few calls of `node:fs/promises` that a file ledger is written and read through. Node's own module is the adapter;
// the tests pass one whose disk fails, fills up or forgets what was not synced.
//
// Owns:      the port, and the writes and syncs that need more than one call.
// Does not:  take the writer's lock, which is synchronous (writer-lock.ts).

import type * as nodeFileSystem from "node:fs/promises";

export type FileSystem = Pick<typeof nodeFileSystem, "open" | "mkdir" | "rename" | "readFile" | "realpath">;

export type FileHandle = Awaited<ReturnType<FileSystem["open"]>>;

/** Writes all of `bytes` at `position`: a write may take less than it was given without failing. */
export async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
	let written = 0;
	while (written < bytes.length) {
		const { bytesWritten } = await file.write(bytes, written, bytes.length - written, position + written);
		// A disk that takes nothing and reports no error would otherwise be asked for ever.
		if (bytesWritten === 0) throw new Error(`the disk took ${written} of ${bytes.length} bytes and no more`);
		written += bytesWritten;
	}
}

/** Makes the names in a folder durable: syncing a file does not make its name so. */
export async function syncFolder(folder: string, files: FileSystem): Promise<void> {
	// Windows opens no folder as a file and keeps names durable by itself.
	if (process.platform === "win32") return;
	const handle = await files.open(folder, "r");
	try {
		await handle.sync();
	} finally {
		await handle.close();
	}
}
