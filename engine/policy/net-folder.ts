// Net folder
//
// The store for whatever git is not there for: copies in a folder of the host's choosing. Content is kept once, under its
// own digest; a manifest is written last, so that one that is there has all its files.
//
//   <folder>/files/<sha256>             what a file held
//   <folder>/manifests/<reference>.json the manifest
//
// Owns:      that layout. A crash leaves all of a file or nothing of it (net-files.ts).
// Does not:  ever take anything out: how long copies are worth their room is the host's to say.

import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { unlessMissing } from "../core/real-path.js";
import { writeDurably } from "./net-files.js";
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
	await writeDurably(path, await read());
}
