// Net files
//
// Files that must be there after a crash, whole or not at all: each is written beside its place, made durable and renamed,
// and the folders on its way are durable too.
//
// Owns:      that writing.
// Does not:  know what is in a file (net-folder.ts, net-calls.ts).

import { mkdir, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import process from "node:process";

/** Of two that write at once the later rename stands. */
export async function writeDurably(path: string, content: Uint8Array): Promise<void> {
	await makeFolder(dirname(path));
	const beside = `${path}.${process.pid}.new`;
	const file = await open(beside, "w", 0o600);
	try {
		await file.writeFile(content);
		await file.sync();
	} finally {
		await file.close();
	}
	await rename(beside, path);
	await syncFolder(dirname(path));
}

/** A folder's name stands in the one above it, so that one is made durable as well, as far up as any was made. */
async function makeFolder(path: string): Promise<void> {
	const first = await mkdir(path, { recursive: true });
	if (first === undefined) return;
	for (let made = path; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}

// Windows opens no folder; its file system keeps renames in order by itself.
async function syncFolder(folder: string): Promise<void> {
	if (process.platform === "win32") return;
	const opened = await open(folder, "r");
	await opened.sync().finally(() => opened.close());
}
