// Net repository
//
// The store that is the repository itself. What a call could discard becomes a commit without a parent, under a ref that
// is named by the reference: neither a branch, nor the index, HEAD or the working tree know of it, no clean-up of git's
// takes it, and a person can look into it with git alone. Author and date are fixed, so the same files are the same commit.
//
//   refs/wavetrain/net/<reference>   manifest.json            the manifest
//                                    inside/<path>            files inside the root, by their paths from it
//                                    outside/<path>           files elsewhere, by their absolute paths
//
// Owns:      that layout, and the stream that git imports.
// Does not:  keep what belongs to git itself: a repository is no place to keep its own copy (net.ts asks).

import { isAbsolute } from "node:path";
import { git, type Repository } from "./git-command.js";
import type { Kept, KeptFile, Manifest } from "./net-manifest.js";
import type { NetStore } from "./net-store.js";

const REFS = "refs/wavetrain/net";
const MANIFEST = "manifest.json";
const NOBODY = "wavetrain <wavetrain@localhost> 0 +0000";

export function netRepository({ top }: Repository, signal: AbortSignal): NetStore {
	const read = async (reference: string, path: string): Promise<Buffer> =>
		git(top, { args: ["cat-file", "blob", `${REFS}/${reference}:${path}`], signal });
	const manifest = async (reference: string): Promise<string | undefined> => {
		try {
			return (await read(reference, MANIFEST)).toString();
		} catch {
			signal.throwIfAborted();
			return undefined;
		}
	};
	return {
		manifest,
		async keep(kept, readFile) {
			if ((await manifest(kept.reference)) === kept.text) return;
			const args = ["fast-import", "--quiet", "--done", "--force"];
			await git(top, { args, signal, input: imported(kept, readFile) });
		},
		content: (reference, file) => read(reference, pathInTree(file)),
	};
}

async function* imported(
	{ reference, text, kept }: Manifest,
	read: (file: KeptFile) => Promise<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
	yield Buffer.from(`commit ${REFS}/${reference}\ncommitter ${NOBODY}\n`);
	yield* data(`What a call could discard, as it was before: ${kept.length} files, links and folders.\n`);
	yield* file(MANIFEST, Buffer.from(text), 0o644);
	for (const one of kept) {
		if (one.kind === "file") yield* file(pathInTree(one), await read(one), one.mode);
	}
	yield Buffer.from("done\n");
}

function* file(path: string, content: Uint8Array, mode: number): Generator<Uint8Array, void> {
	yield Buffer.from(`M ${(mode & 0o100) === 0 ? "100644" : "100755"} inline ${quoted(path)}\n`);
	yield* data(content);
}

function* data(content: string | Uint8Array): Generator<Uint8Array, void> {
	const bytes = Buffer.from(content);
	yield Buffer.from(`data ${bytes.length}\n`);
	yield bytes;
	yield Buffer.from("\n");
}

/** As git reads a path between quotes. */
function quoted(path: string): string {
	return `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}

function pathInTree({ path }: Kept): string {
	return isAbsolute(path) ? `outside/${path.replace(/^([A-Za-z]):/, "$1").replace(/^[\\/]+/, "")}` : `inside/${path}`;
}
