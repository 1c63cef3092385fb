// Net places
//
// Which of the two stores may hold a copy: one that the call cannot discard with what the copy is of. The repository comes
// first, because people know how to look into one; the folder does where a command may mean places that nobody can name,
// because git's own files may be among those.
//
// Owns:      that choice, and where notes of calls are beside each store's copies.
// Does not:  keep anything (net.ts has the stores do it).

import { join } from "node:path";
import type { AtStake } from "./at-stake.js";
import { isWithin, type Repository } from "./git-command.js";
import { netFolder } from "./net-folder.js";
import { type Kept, type Manifest, realPath } from "./net-manifest.js";
import { netRepository } from "./net-repository.js";
import type { NetStore } from "./net-store.js";

export interface PlacesParts {
	/** Real paths. */
	readonly root: string;
	readonly folder: string;
	readonly repository: Repository | undefined;
	readonly signal: AbortSignal;
}

export interface StorePlace {
	readonly store: NetStore;
	/** Where the notes of calls are. */
	readonly base: string;
}

/** Those that are not at stake themselves, the one to be preferred first. */
export function safePlaces(
	{ kept }: Pick<Manifest, "kept">,
	{ emptied, cleaned, anywhere }: Omit<AtStake, "places">,
	{ root, folder, repository, signal }: PlacesParts,
): readonly StorePlace[] {
	const isSafe = (place: string, swept: readonly string[]): boolean =>
		!kept.some((one) => endangers(one, root, place)) && !swept.some((one) => isWithin(one, place));
	const places: StorePlace[] = [];
	if (repository !== undefined && isSafe(repository.gitFolder, emptied) && !kept.some(isGits)) {
		places.push({ store: netRepository(repository, signal), base: baseIn(repository) });
	}
	// What git cleans its own files are no part of, and a folder of copies among the others is.
	if (isSafe(folder, [...emptied, ...cleaned])) places.push({ store: netFolder(folder), base: folder });
	return anywhere ? places.reverse() : places;
}

/** Among git's own files, where neither its clean-ups nor a checkout come. */
export function baseIn({ gitFolder }: Repository): string {
	return join(gitFolder, "wavetrain");
}

/** Whether losing what was kept would mean losing the place where it is. */
function endangers(one: Kept, root: string, safe: string): boolean {
	const place = realPath(root, one.path);
	return isWithin(safe, place) || (one.kind === "folder" && isWithin(place, safe));
}

/** Git takes no file of this name into a commit, and a repository inside of the workspace is not its own to keep. */
function isGits({ path }: Kept): boolean {
	return path.split(/[\\/]/).some((name) => name.toLowerCase() === ".git");
}
