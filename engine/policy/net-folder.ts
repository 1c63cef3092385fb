// Net folder
//
// The store for whatever git is not there for: copies in a folder of the host's choosing. Content is kept once, under its
// own digest; a manifest is written last, so that one that is there has all its files.
//
//   <folder>/files/<sha256>             what a file held
//   <folder>/manifests/<reference>.json the manifest
//
// Owns:      that layout. Every file is written beside its place, made durable and renamed: a crash leaves all or nothing.
// Does not:  ever take anything out: how long copies are worth their room is the host's to say.

import { mkdir, open, readFile, rename, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { unlessMissing } from "../core/real-path.js";
import type { KeptFile } from "./net-manifest.js";
import type { NetStore } from "./net-store.js";

export function netFolder(folder: string): NetStore {
	const fileAt = (sha256: string): string => join(folder, "files", sha256);
	const manifestAt = (reference: string): string => join(folder, "manifests", `${reference}.json`);
	return {
		async keep({ reference, text, kept }, read) {
			for (const one of kept) {
				if (one.kind === "file") await writeOnce(fileAt(one.sha256), () => read(one));
			}
			await writeOnce(manifestAt(reference), async () => Buffer.from(text));
		},
		manifest: (reference) => unlessMissing(readFile(manifestAt(reference), "utf8")),
		content: (_reference: string, { sha256 }: KeptFile) => readFile(fileAt(sha256)),
	};
}

async function writeOnce(path: string, read: () => Promise<Uint8Array>): Promise<void> {
	// A name is a digest of what stands under it, so what is there is the same.
	if ((await unlessMissing(stat(path))) !== undefined) return;
	await mkdir(dirname(path), { recursive: true });
	await writeDurably(path, await read());
}

/** Of two that write the same at once the later rename stands; both wrote the same. */
async function writeDurably(path: string, content: Uint8Array): Promise<void> {
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

// Windows opens no folder; its file system keeps renames in order by itself.
async function syncFolder(folder: string): Promise<void> {
	if (process.platform === "win32") return;
	const opened = await open(folder, "r");
	await opened.sync().finally(() => opened.close());
}
