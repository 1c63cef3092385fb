// Tour workspace
//
// Where the recording that ships does its work: a copy of this package's own files in a temporary folder, gone when the
// replay is over. Its calls read what they find and write a note; a package that others have installed is not to be
// written to, and a workspace lets nothing be read through links that lead out of it.
//
// Owns:      the copy and its end.
// Does not:  find the package (recording.ts).

import { existsSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What an installed package and a clone both have. */
const COPIED = ["engine", "workers", "README.md", "LICENSE", "package.json"];

export interface TourWorkspace {
	readonly folder: string;
	remove(): Promise<void>;
}

export async function tourWorkspace(packageFolder: string): Promise<TourWorkspace> {
	const folder = await mkdtemp(join(tmpdir(), "wavetrain-tour-"));
	const remove = () => rm(folder, { recursive: true, force: true });
	try {
		for (const name of COPIED) {
			const from = join(packageFolder, name);
			if (existsSync(from)) await cp(from, join(folder, name), { recursive: true });
		}
	} catch (error) {
		await remove();
		throw error;
	}
	return { folder, remove };
}
