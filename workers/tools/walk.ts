// Walk
//
// The files below a folder, in an order that depends on their names alone, so that the same tree gives the same answer
// on every machine. Links are not followed: they could lead out of the workspace or round in a circle.
//
// Owns:      the order, what is passed over, and how deep it goes.
// Does not:  read files (workspace-file.ts) or count them (work-budget.ts).

import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { WORKSPACE_DEPTH_MAX, WORKSPACE_FOLDERS_PASSED_OVER } from "../../engine/core/limits.js";
import type { InsidePath } from "./inside-workspace.js";
import type { WorkBudget } from "./work-budget.js";
import { statOf } from "./workspace-file.js";

/** One thing that a walk met. */
export interface Found extends InsidePath {
	readonly kind: "file" | "folder";
	/** Size of a file; 0 of a folder. */
	readonly bytes: number;
}

export interface WalkOptions {
	/** Only files whose name ends so. */
	readonly ending?: string | undefined;
	readonly depthMax?: number;
}

/** Everything below a folder, or the one file when the path is a file. */
export function* walk(from: InsidePath, budget: WorkBudget, options: WalkOptions = {}): Generator<Found> {
	const stat = statOf(from);
	if (stat === undefined) throw new Error(`There is no file or folder ${JSON.stringify(from.shown)}.`);
	if (stat.isFile()) {
		yield { ...from, kind: "file", bytes: stat.size };
		return;
	}
	if (!stat.isDirectory()) throw new Error(`${JSON.stringify(from.shown)} is neither a file nor a folder.`);
	yield* below(from, budget, { depthMax: WORKSPACE_DEPTH_MAX, ...options });
}

function* below(folder: InsidePath, budget: WorkBudget, options: WalkOptions & { depthMax: number }): Generator<Found> {
	for (const entry of entriesOf(folder, budget)) {
		if (!budget.mayGoOn()) return;
		const inside = {
			real: join(folder.real, entry.name),
			shown: folder.shown === "." ? entry.name : `${folder.shown}/${entry.name}`,
		};
		if (entry.isDirectory()) {
			if (WORKSPACE_FOLDERS_PASSED_OVER.has(entry.name)) continue;
			yield { ...inside, kind: "folder", bytes: 0 };
			if (options.depthMax > 1) yield* below(inside, budget, { ...options, depthMax: options.depthMax - 1 });
			else budget.leaveOut("folders deeper down");
		} else if (entry.isFile()) {
			if (options.ending !== undefined && !entry.name.endsWith(options.ending)) continue;
			yield { ...inside, kind: "file", bytes: lstatSync(inside.real, { throwIfNoEntry: false })?.size ?? 0 };
		} else if (entry.isSymbolicLink()) budget.leaveOut("links");
	}
}

function entriesOf(folder: InsidePath, budget: WorkBudget): Dirent[] {
	try {
		const entries = readdirSync(folder.real, { withFileTypes: true });
		return entries.sort((left, right) => (left.name < right.name ? -1 : 1));
	} catch {
		budget.leaveOut("folders that cannot be opened");
		return [];
	}
}
