// Workspace stamps
//
// What a workspace tool reads, as a stamp that moves when it does: a file by its real path, device, inode, size and
// change time, a folder by every name below it that the tool would meet and the same of each file. The contents of many
// files cannot be stamped by less than a look at each; so a folder with more than a bounded number of entries has no
// stamp, and what reads it does not start early.
//
// Owns:      the stamps of files and folders.
// Does not:  compare stamps (ahead/) or check paths for the tools (the thread that opens a file does).
//
// A file is looked at without a promise: that is two or three system calls, and a read that waited a turn for its stamp
// would begin after a reply that is read at once has ended. A folder is walked by promises.
//
// A program that sets a file's times back after writing the same number of bytes still changes its change time; one that
// writes through a mapping shows when the system writes the page back, and until then no stamp sees it.

import { createHash } from "node:crypto";
import { type BigIntStats, type Dirent, realpathSync, statSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import {
	STAMPED_AT_ONCE_MAX,
	STAMPED_ENTRIES_MAX,
	WORKSPACE_DEPTH_MAX,
	WORKSPACE_FOLDERS_PASSED_OVER,
} from "../core/tool-limits.js";
import { freshFiles } from "./fresh-files.js";

interface Place {
	/** Nothing outside it is stamped. Left out: there is no such folder. */
	readonly root?: string | undefined;
	/** As the model named it. */
	readonly path: string;
}

export interface FolderPlace extends Place {
	/** Only files whose name ends so. */
	readonly ending?: string | undefined;
	/** How many folders deep. */
	readonly depth?: number | undefined;
}

/** Throws for what is not there or is outside the root. */
export function fileStamp(place: Place): string {
	const real = realPlace(place);
	return `${real} ${textOf(real, statSync(real, { bigint: true }))}`;
}

/** The same for everything below a folder; rejects also where that is too much. A file is stamped as one. */
export async function folderStamp({ root, path, ending, depth = WORKSPACE_DEPTH_MAX }: FolderPlace): Promise<string> {
	const real = realPlace({ root, path });
	const top = statSync(real, { bigint: true });
	if (!top.isDirectory()) return fileStamp({ root, path });
	const walk = new StampWalk(ending);
	await walk.add(real, depth);
	// The names are in the stamp themselves, so it does not matter when the folder itself was changed.
	return `${real} ${top.dev}:${top.ino} ${walk.digest()}`;
}

/** Of what is at a path, whatever it holds. */
export function kindStamp(place: Place): string {
	const real = realPlace(place);
	const found = statSync(real);
	return `${real} ${kindOf(found)}`;
}

// Where the path really is, by the system's own way there: Node's would take `link/..` for nothing before it looks.
function realPlace({ root, path }: Place): string {
	if (root === undefined) return realpathSync.native(path);
	const real = realpathSync.native(isAbsolute(path) ? path : root + sep + path);
	const way = relative(realpathSync.native(root), real);
	if (way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)) throw new Error("It is outside the root.");
	return real;
}

function textOf(real: string, file: BigIntStats): string {
	const { dev, ino, size, ctimeNs } = file;
	return `${dev}:${ino}:${size}:${ctimeNs}${freshFiles.mark(real, file)}`;
}

class StampWalk {
	readonly #hash = createHash("sha256");
	readonly #ending: string | undefined;
	#entries = 0;

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
			for (const [index, file] of (await Promise.all(looks)).entries()) {
				this.#hash.update(`${textOf(join(folder, some[index]?.name ?? ""), file)}\n`);
			}
		}
		if (depth <= 1) return;
		const folders = entries.filter((entry) => entry.isDirectory() && !WORKSPACE_FOLDERS_PASSED_OVER.has(entry.name));
		for (const { name } of folders) await this.add(join(folder, name), depth - 1);
	}

	digest(): string {
		return this.#hash.digest("hex");
	}
}

function kindOf(entry: Pick<Dirent, "isFile" | "isDirectory" | "isSymbolicLink">): string {
	if (entry.isFile()) return "file";
	if (entry.isDirectory()) return "folder";
	return entry.isSymbolicLink() ? "link" : "other";
}
