// Listing files
//
// What lies below a folder, by name, with sizes. Folders end with `/`.
//
// Owns:      what is answered of each name, and the cut after the last that fits.
// Does not:  walk the folder (walk.ts).

import { insideWorkspace } from "../../engine/core/inside-workspace.js";
import type { ToolContext } from "../../engine/core/tool-context.js";
import { LIST_ENTRIES_MAX } from "../../engine/core/tool-limits.js";
import { endsWith, walk } from "./walk.js";
import { WorkBudget } from "./work-budget.js";

export interface ListFilesArgs {
	readonly root: string;
	readonly path: string;
	readonly ending?: string | undefined;
	/** How many folders deep; 1 is the folder alone. */
	readonly depth: number;
}

export async function listFiles({ root, path, ending, depth }: ListFilesArgs, context: ToolContext) {
	const place = await insideWorkspace(root, path);
	const budget = new WorkBudget(context);
	const entries: { path: string; bytes?: number }[] = [];
	for (const found of walk(place, budget, { ...endsWith(ending), depthMax: depth })) {
		if (found.kind === "folder" && ending !== undefined) continue;
		if (entries.length >= LIST_ENTRIES_MAX) {
			budget.stop(`after ${LIST_ENTRIES_MAX} names`);
			break;
		}
		entries.push(found.kind === "folder" ? { path: `${found.shown}/` } : { path: found.shown, bytes: found.bytes });
	}
	return { path: place.shown, entries, ...budget.remark() };
}
