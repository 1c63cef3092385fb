// At stake
//
// From what a call could discard to the files themselves: paths are followed, patterns are matched, folders are walked,
// git is asked what it has not kept. What comes out is everything that would have to be written down to undo the loss.
//
// Owns:      finding the files, links and folders, and the bound on how many.
// Does not:  read what is in them (net-manifest.ts) or know commands (discarding-commands.ts).
//
// Invariants:
//   NS1. A place is named by the real path of its folder and its own name: a link at its end is the link itself.

import { lstat, readdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join, sep } from "node:path";
import { isEngineError } from "../core/errors.js";
import { invariant } from "../core/invariant.js";
import { NET_ENTRIES_MAX, NET_FILES_MAX } from "../core/limits.js";
import { realPathOf, unlessMissing } from "../core/real-path.js";
import type { Discards } from "./discards.js";
import { notKept, repositoryOf } from "./git-command.js";
import { CannotKeep, requireReadable } from "./net-refusal.js";
import { MAY_BEGIN_WITH_DOT, matcherOf, PATTERN } from "./shell-pattern.js";
import type { ShellWord } from "./shell-words.js";

/** Something that a call could write over or remove. `folders`: of a folder all that is in it is meant as well. */
export type Stake = Discards | { readonly kind: "place"; readonly path: string; readonly folders: boolean };

export interface Search {
	/** Names of folders that are not entered. */
	readonly leaveOut: ReadonlySet<string>;
	readonly signal: AbortSignal;
}

/** What is at stake, and the folders of which more may be than can be named. */
export interface AtStake {
	/** The real paths, in the order of their text. */
	readonly places: readonly string[];
	/** Folders of which anything may be lost, whatever is put there. */
	readonly emptied: readonly string[];
	/** Folders of which git may remove what it does not keep. */
	readonly cleaned: readonly string[];
	/** Whether places may be meant that are nowhere in those folders. */
	readonly anywhere: boolean;
}

export async function placesAtStake(stakes: readonly Stake[], search: Search): Promise<AtStake> {
	const finder = new Finder(search);
	for (const stake of stakes) await finder.find(stake);
	const { found, emptied, cleaned, anywhere } = finder;
	return { places: [...found].sort(), emptied: [...emptied], cleaned: [...cleaned], anywhere };
}

/** How much of a place is meant: what is there, of a folder all that is in it, and what the links in it lead to. */
type Reach = "itself" | "folders" | "links";

class Finder {
	readonly #search: Search;
	readonly found = new Set<string>();
	readonly emptied = new Set<string>();
	readonly cleaned = new Set<string>();
	anywhere = false;
	#entries = 0;

	constructor(search: Search) {
		this.#search = search;
	}

	async find(stake: Stake): Promise<void> {
		this.#search.signal.throwIfAborted();
		if (stake.kind === "place") return this.#place(stake.path, stake.folders ? "folders" : "itself");
		const before = this.found.size;
		for (const folder of new Set(stake.from.map(atHome))) {
			this.#search.signal.throwIfAborted();
			if (stake.kind === "not kept") {
				this.anywhere ||= stake.anywhere === true;
				await this.#notKept(folder, stake.ignored);
			} else if (stake.kind === "everything" || isUnknown(stake.word)) await this.#everything(folder);
			else if (stake.word.pattern) await this.#matching(folder, stake.word);
			else if (stake.kind === "path") await this.#place(within(folder, stake.word.text), "folders");
			else await this.#target(within(folder, stake.word.text), stake.names);
		}
		if (stake.kind !== "target" || this.found.size === before) return;
		for (const word of stake.moved) await this.find({ kind: "path", word, from: stake.from });
	}

	async #place(path: string, reach: Reach): Promise<void> {
		const real = await realPlaceOf(path);
		if (real === undefined) return;
		const kind = await this.#add(real, reach);
		if (kind !== "link") return;
		// Whoever writes through a link changes the file that it leads to; with a slash behind it it is the folder itself.
		const end = await endOf(real);
		if (end !== undefined) await this.#add(end, SLASHES_AT_END.test(path) ? reach : "itself");
	}

	/** Who puts a folder's content in the place of another's writes through the links there. */
	async #target(path: string, names: readonly ShellWord[]): Promise<void> {
		const isFolder = (await unlessMissing(stat(path)))?.isDirectory() === true;
		if (!isFolder || names.some(({ text, unknown }) => text === "" || unknown)) return this.#place(path, "links");
		for (const name of names) {
			if (name.pattern) await this.#matching(path, name);
			else await this.#place(path + sep + name.text, "links");
		}
	}

	/** Adds what is there, and of a folder all that is in it. */
	async #add(real: string, reach: Reach): Promise<"link" | "other"> {
		const here = await unlessMissing(lstat(real));
		if (here === undefined) return "other";
		invariant(isAbsolute(real), "NS1", `${real} is no place`);
		if (here.isSymbolicLink()) this.#keep(real);
		else if (here.isFile()) this.#keep(real);
		else if (here.isDirectory() && reach !== "itself" && !this.#search.leaveOut.has(nameOf(real)))
			await this.#walk(real, reach);
		return here.isSymbolicLink() ? "link" : "other";
	}

	async #walk(folder: string, reach: Reach): Promise<void> {
		// Folders are kept too: an empty one may matter to a program.
		this.#keep(folder);
		for (const entry of await this.#entriesOf(folder)) {
			const path = join(folder, entry.name);
			if (entry.isSymbolicLink() && reach === "links") await this.#place(path, "itself");
			else if (entry.isFile() || entry.isSymbolicLink()) this.#keep(path);
			else if (entry.isDirectory() && !this.#search.leaveOut.has(entry.name)) await this.#walk(path, reach);
		}
	}

	/** Git's own files too: what they hold can be given back by nobody. */
	async #everything(folder: string): Promise<void> {
		this.anywhere = true;
		const real = await endOf(folder);
		if (real === undefined) return;
		this.emptied.add(real);
		await this.#place(real, "folders");
		// A folder within a working tree may be left for what is around it.
		await this.#notKept(real, true);
	}

	/** Files that git could not give back; of a folder that git does not know, all of them. */
	async #notKept(folder: string, ignored: boolean): Promise<void> {
		if ((await unlessMissing(stat(folder)))?.isDirectory() !== true) return;
		const repository = await repositoryOf(folder, this.#search.signal);
		if (repository === undefined) return this.#place(folder, "folders");
		this.cleaned.add(repository.top);
		const { files, folders } = await notKept(repository, { ignored, signal: this.#search.signal });
		const isMeant = (path: string): boolean => !path.split("/").some((name) => this.#search.leaveOut.has(name));
		for (const file of files.filter(isMeant)) await this.#place(repository.top + sep + file, "folders");
		for (const one of folders.filter(isMeant)) await this.#folders(join(repository.top, one));
	}

	/** A folder that git knows nothing of and those in it, which hold nothing or what is named by itself. */
	async #folders(folder: string): Promise<void> {
		this.#keep(folder);
		for (const entry of await this.#entriesOf(folder)) {
			const isMeant = entry.isDirectory() && entry.name !== ".git" && !this.#search.leaveOut.has(entry.name);
			if (isMeant) await this.#folders(join(folder, entry.name));
		}
	}

	/** A pattern, name by name. */
	async #matching(folder: string, word: ShellWord): Promise<void> {
		const names = word.text.split(/[\\/]+/);
		const first = names.findIndex((name) => PATTERN.test(name));
		const before = names.slice(0, first).join("/");
		await this.#matchFrom(within(folder, first === 0 ? "." : before === "" ? "/" : before), names.slice(first));
	}

	async #matchFrom(folder: string, [name, ...rest]: readonly string[]): Promise<void> {
		if (name === undefined) return this.#place(folder, "folders");
		// To some shells all that is in the folder, to others what `*` is.
		if (name === "**") await this.#place(folder, "folders");
		if (!PATTERN.test(name)) return this.#matchFrom(folder + sep + name, rest);
		const matches = matcherOf(name);
		if (matches === undefined) return this.#place(folder, "folders");
		if ((await unlessMissing(stat(folder)))?.isDirectory() !== true) return;
		for (const entry of await this.#entriesOf(folder)) {
			// As in a shell: a name that begins with a dot is matched only by a pattern that does.
			if (entry.name.startsWith(".") && !MAY_BEGIN_WITH_DOT.test(name)) continue;
			if (matches(entry.name)) await this.#matchFrom(folder + sep + entry.name, rest);
		}
	}

	async #entriesOf(folder: string) {
		this.#search.signal.throwIfAborted();
		const entries = await readdir(folder, { withFileTypes: true });
		this.#entries += entries.length;
		if (this.#entries > NET_ENTRIES_MAX) throw new CannotKeep(`it holds more than ${NET_ENTRIES_MAX} names`);
		for (const { name } of entries) requireReadable(name, folder);
		return entries;
	}

	#keep(path: string): void {
		this.found.add(path);
		if (this.found.size > NET_FILES_MAX) throw new CannotKeep(`it is more than ${NET_FILES_MAX} files and folders`);
	}
}

const SLASHES_AT_END = sep === "/" ? /\/+$/ : /[\\/]+$/;
const LAST_NAME = sep === "/" ? /[^/]*$/ : /[^\\/]*$/;

/** NS1: the folder's real path and the last name, which is not followed. */
async function realPlaceOf(path: string): Promise<string | undefined> {
	const trimmed = path.replace(SLASHES_AT_END, "");
	const name = trimmed.slice(trimmed.search(LAST_NAME));
	// A path is never normalised as text: `link/..` is beside the folder that the link leads to.
	if (name === "" || name === "." || name === "..") return endOf(path);
	const folder = await endOf(trimmed.slice(0, trimmed.length - name.length) || sep);
	return folder === undefined ? undefined : join(folder, name);
}

/** Where a path leads; nothing where its links lead back to themselves, because nobody can open that. */
async function endOf(path: string): Promise<string | undefined> {
	try {
		return await realPathOf(path);
	} catch (error) {
		if (isEngineError(error) && error.code === "FILE_LINK_LOOP") return undefined;
		throw error;
	}
}

function within(folder: string, path: string): string {
	const there = atHome(path);
	return isAbsolute(there) ? there : folder + sep + there;
}

function atHome(path: string): string {
	return path === "~" || /^~[\\/]/.test(path) ? homedir() + path.slice(1) : path;
}

/** A home that is another's, or the folder that a shell has been in: who would know that? */
function isUnknown({ text, unknown }: ShellWord): boolean {
	return unknown || /^~[^\\/]/.test(text);
}

function nameOf(path: string): string {
	return path.slice(path.lastIndexOf(sep) + 1);
}
