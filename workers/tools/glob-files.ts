// Glob
//
// The files whose paths fit a pattern. Folders that no fitting path can lie in are not entered.
//
// Owns:      what is answered, and when the search is cut short.
// Does not:  read patterns (glob-pattern.ts) or walk folders (walk.ts).

import { type InsidePath, insideWorkspace } from "../../engine/core/inside-workspace.js";
import type { ToolContext } from "../../engine/core/tool-context.js";
import { LIST_ENTRIES_MAX } from "../../engine/core/tool-limits.js";
import { GlobPattern } from "./glob-pattern.js";
import { walk } from "./walk.js";
import { WorkBudget } from "./work-budget.js";
import { statOf } from "./workspace-file.js";

export interface GlobFilesArgs {
	readonly root: string;
	readonly pattern: string;
	/** The folder that the pattern is read from. */
	readonly path: string;
}

export async function globFiles({ root, pattern, path }: GlobFilesArgs, context: ToolContext) {
	const place = await insideWorkspace(root, path);
	if (statOf(place)?.isFile())
		throw new Error(`${JSON.stringify(place.shown)} is a file; a pattern is read from a folder.`);
	const glob = new GlobPattern(pattern);
	const budget = new WorkBudget(context);
	const namesBelow = ({ shown }: InsidePath) => (place.shown === "." ? shown : shown.slice(place.shown.length + 1));
	const wants = (file: InsidePath) => glob.fits(namesBelow(file));
	const enters = (folder: InsidePath) => glob.mayHold(namesBelow(folder));
	const files: string[] = [];
	for (const found of walk(place, budget, { wants, enters })) {
		if (found.kind === "folder") continue;
		if (files.length >= LIST_ENTRIES_MAX) {
			budget.stop(`after ${LIST_ENTRIES_MAX} names`);
			break;
		}
		files.push(found.shown);
	}
	return { pattern, path: place.shown, files, ...budget.remark() };
}
