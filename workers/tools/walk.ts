// Walk
//
// The files below a folder, in an order that depends on their names alone, so that the same tree gives the same answer
// on every machine. Links are not followed: they could lead out of the workspace or round in a circle.
//
// Owns:      the order, what is passed over, how deep it goes, and how much of one folder it takes in.
// Does not:  read files (workspace-file.ts) or keep the account of a whole call (work-budget.ts).

import { type Dirent, lstatSync, opendirSync } from "node:fs";
import { join } from "node:path";
import type { InsidePath } from "../../engine/core/inside-workspace.js";
import {
	FOLDER_ENTRIES_MAX,
	WORKSPACE_DEPTH_MAX,
	WORKSPACE_FOLDERS_PASSED_OVER,
} from "../../engine/core/tool-limits.js";
import type { WorkBudget } from "./work-budget.js";
import { statOf } from "./workspace-file.js";

/** One thing that a walk met. */
export interface Found extends InsidePath {
	readonly kind: "file" | "folder";
	/** Size of a file; 0 of a folder. */
	readonly bytes: number;
}

export interface WalkOptions {
	/** Only files of which this says so; asked before the size is. */
	readonly wants?: (file: InsidePath) => boolean;
	/** Only folders of which this says so. */
	readonly enters?: (folder: InsidePath) => boolean;
	readonly depthMax?: number;
}

/** For `wants`: only files whose name ends so. */
export function endsWith(ending: string | undefined): WalkOptions {
	return ending === undefined ? {} : { wants: ({ real }) => real.endsWith(ending) };
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
		if (!budget.passEntry()) return;
		const inside = {
			real: join(folder.real, entry.name),
			shown: folder.shown === "." ? entry.name : `${folder.shown}/${entry.name}`,
		};
		if (entry.isDirectory()) {
			if (WORKSPACE_FOLDERS_PASSED_OVER.has(entry.name) || options.enters?.(inside) === false) continue;
			yield { ...inside, kind: "folder", bytes: 0 };
			if (options.depthMax > 1) yield* below(inside, budget, { ...options, depthMax: options.depthMax - 1 });
			else budget.leaveOut("folders deeper down");
		} else if (entry.isFile()) {
			if (options.wants?.(inside) === false) continue;
			yield { ...inside, kind: "file", bytes: lstatSync(inside.real, { throwIfNoEntry: false })?.size ?? 0 };
		} else if (entry.isSymbolicLink()) budget.leaveOut("links");
	}
}

// Read piece by piece: the list of a folder that some program filled without end is not taken into memory whole.
function entriesOf(folder: InsidePath, budget: WorkBudget): Dirent[] {
	const entries: Dirent[] = [];
	try {
		const opened = opendirSync(folder.real, { bufferSize: 512 });
		try {
			for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
				if (entries.length >= FOLDER_ENTRIES_MAX) {
					budget.leaveOut(`folders with more than ${FOLDER_ENTRIES_MAX} names, from there on`);
					break;
				}
				entries.push(entry);
			}
		} finally {
			opened.closeSync();
		}
	} catch {
		budget.leaveOut("folders that cannot be opened");
	}
	return entries.sort((left, right) => (left.name < right.name ? -1 : 1));
}
