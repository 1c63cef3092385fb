// Text files
//
// The text of each file below a folder that is small enough to hold and is text: what grep and analysing share.
//
// Owns:      which files are passed over, and what is said of them.
// Does not:  look at the text.

import type { InsidePath } from "../../engine/core/inside-workspace.js";
import { WORKSPACE_FILE_BYTES_MAX } from "../../engine/core/tool-limits.js";
import { endsWith, walk } from "./walk.js";
import type { WorkBudget } from "./work-budget.js";
import { readHead, textOf, withFile } from "./workspace-file.js";

export interface TextFile {
	readonly shown: string;
	readonly bytes: Uint8Array;
	readonly text: string;
}

export function* textFiles(from: InsidePath, budget: WorkBudget, ending?: string): Generator<TextFile> {
	for (const found of walk(from, budget, endsWith(ending))) {
		if (found.kind === "folder") continue;
		if (found.bytes > WORKSPACE_FILE_BYTES_MAX) {
			budget.leaveOut("files that are too large");
			continue;
		}
		if (!budget.takeFile(found.bytes)) return;
		const bytes = bytesOf(found);
		const text = bytes && textOf(bytes);
		if (bytes === undefined) budget.leaveOut("files that cannot be opened");
		else if (text === undefined) budget.leaveOut("files that are not text");
		else yield { shown: found.shown, bytes, text };
	}
}

// One file that vanished or may not be read is no reason to lose the answer about all others.
function bytesOf(found: InsidePath): Uint8Array | undefined {
	try {
		return withFile(found, (file) => readHead(file, WORKSPACE_FILE_BYTES_MAX));
	} catch {
		return undefined;
	}
}
