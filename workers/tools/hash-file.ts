// Hashing a file
//
// The digest of one file, read in pieces. There is no digest of a part: a file that is too large is refused.
//
// Owns:      reading the file in pieces, and its digest.
// Does not:  decide which file may be read (core/inside-workspace.ts).

import { createHash } from "node:crypto";
import { insideWorkspace } from "../../engine/core/inside-workspace.js";
import type { ToolContext } from "../../engine/core/tool-context.js";
import { HASH_FILE_BYTES_MAX } from "../../engine/core/tool-limits.js";
import { readPieces, withFile } from "./workspace-file.js";

export interface HashFileArgs {
	readonly root: string;
	readonly path: string;
	readonly algorithm: "sha256" | "sha512";
}

export async function hashFile({ root, path, algorithm }: HashFileArgs, context: ToolContext) {
	const place = await insideWorkspace(root, path);
	return withFile(place, (file) => {
		if (file.bytes > HASH_FILE_BYTES_MAX) {
			throw new Error(`${JSON.stringify(place.shown)} has ${file.bytes} bytes; the limit is ${HASH_FILE_BYTES_MAX}.`);
		}
		const hash = createHash(algorithm);
		for (const piece of readPieces(file)) {
			if (context.cancelled()) throw new Error("The call was called off.");
			hash.update(piece);
		}
		return { path: place.shown, bytes: file.bytes, algorithm, digest: hash.digest("hex") };
	});
}
