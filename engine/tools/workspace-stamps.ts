// Workspace stamps
//
// What a workspace tool reads, as a stamp that moves when it does: a file by its real path, device, inode, size and
// change time, a folder by every name below it that the tool would meet and the same of each file. Only `stat` is used,
// nothing is opened. The contents of many files cannot be stamped by less than a look at each; so a folder with more than
// a bounded number of entries has no stamp, and what reads it does not start early.
//
// Owns:      the stamps, and when one is too fresh to tell two changes apart.
// Does not:  compare stamps (ahead/) or check paths for the tools (the thread that opens a file does).
//
// A program that sets a file's times back after writing the same number of bytes still changes its change time; one that
// writes through a mapping shows when the system writes the page back, and until then no stamp sees it.

import { createHash } from "node:crypto";
import type { BigIntStats, Dirent } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { systemClock } from "../core/clock.js";
import {
	CHANGE_TIME_STEP_MS,
	STAMPED_AT_ONCE_MAX,
	STAMPED_ENTRIES_MAX,
	WORKSPACE_DEPTH_MAX,
	WORKSPACE_FOLDERS_PASSED_OVER,
} from "../core/limits.js";

interface Place {
	readonly root: string;
	/** As the model named it. */
	readonly path: string;
}

export interface FolderPlace extends Place {
	/** Only files whose name ends so. */
	readonly ending?: string | undefined;
	/** How many folders deep. */
	readonly depth?: number | undefined;
}

/** A stamp, and the change time of what changed last, in milliseconds since 1970. */
interface Seen {
	readonly stamp: string;
	readonly changedMs: number;
}

/** Rejects for what is not there, is outside the root, or is just being changed. */
export function fileStamp({ root, path }: Place): Promise<string> {
	return settledStamp(() => seenFile(inside(root, path)));
}

/** The same for everything below a folder; rejects also where that is too much. A file is stamped as one. */
export function folderStamp({ root, path, ending, depth = WORKSPACE_DEPTH_MAX }: FolderPlace): Promise<string> {
	return settledStamp(async () => {
		const asked = inside(root, path);
		const real = await realpath(asked);
		const top = await stat(real, { bigint: true });
		if (!top.isDirectory()) return seenFile(asked);
		const walk = new StampWalk(ending);
		await walk.add(real, depth);
		return walk.seen(`${real} ${textOf(top)}`);
	});
}

// A file system's clock moves in steps, and two changes within one step look alike. So what changed within the last step
// is looked at again once the step is over.
async function settledStamp(look: () => Promise<Seen>): Promise<string> {
	for (let tries = 0; tries < 2; tries += 1) {
		const nowMs = systemClock.now();
		const { stamp, changedMs } = await look();
		if (nowMs - changedMs > CHANGE_TIME_STEP_MS) return stamp;
		await new Promise<void>((resolve) => systemClock.setTimer(resolve, 2 * CHANGE_TIME_STEP_MS));
	}
	throw new Error("It is being changed.");
}

// By the written path alone: where links lead out, the tool refuses, and a stamp tells nobody anything.
function inside(root: string, path: string): string {
	const place = resolve(root, path);
	const way = relative(resolve(root), place);
	if (way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)) throw new Error("It is outside the root.");
	return place;
}

async function seenFile(place: string): Promise<Seen> {
	const real = await realpath(place);
	const file = await stat(real, { bigint: true });
	return { stamp: `${real} ${textOf(file)}`, changedMs: changedMsOf(file) };
}

function textOf({ dev, ino, size, ctimeNs }: BigIntStats): string {
	return `${dev}:${ino}:${size}:${ctimeNs}`;
}

function changedMsOf({ ctimeNs }: BigIntStats): number {
	return Number(ctimeNs / 1_000_000n);
}

class StampWalk {
	readonly #hash = createHash("sha256");
	readonly #ending: string | undefined;
	#entries = 0;
	#changedMs = 0;

	constructor(ending: string | undefined) {
		this.#ending = ending;
	}

	async add(folder: string, depth: number): Promise<void> {
		const entries = await readdir(folder, { withFileTypes: true });
		this.#entries += entries.length;
		if (this.#entries > STAMPED_ENTRIES_MAX) throw new Error("It holds too much to be stamped.");
		entries.sort((left, right) => (left.name < right.name ? -1 : 1));
		this.#hash.update(`${folder}\n${entries.map((entry) => `${kindOf(entry)} ${entry.name}\n`).join("")}`);
		const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith(this.#ending ?? ""));
		for (let from = 0; from < files.length; from += STAMPED_AT_ONCE_MAX) {
			const some = files.slice(from, from + STAMPED_AT_ONCE_MAX);
			const looks = some.map(({ name }) => stat(join(folder, name), { bigint: true }));
			for (const file of await Promise.all(looks)) {
				this.#hash.update(`${textOf(file)}\n`);
				this.#changedMs = Math.max(this.#changedMs, changedMsOf(file));
			}
		}
		if (depth <= 1) return;
		const folders = entries.filter((entry) => entry.isDirectory() && !WORKSPACE_FOLDERS_PASSED_OVER.has(entry.name));
		for (const { name } of folders) await this.add(join(folder, name), depth - 1);
	}

	/** The names are in the stamp themselves, so a folder's own change time is not asked to be old. */
	seen(top: string): Seen {
		return { stamp: `${top} ${this.#hash.digest("hex")}`, changedMs: this.#changedMs };
	}
}

function kindOf(entry: Dirent): string {
	if (entry.isFile()) return "file";
	if (entry.isDirectory()) return "folder";
	return entry.isSymbolicLink() ? "link" : "other";
}
