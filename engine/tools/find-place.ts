// Finding a place
//
// Where a file tool's path leads: anywhere, as the host itself would go there, or only inside a base folder.
//
// Owns:      the choice between the two.
// Does not:  follow links (core/real-path.ts) or judge a path (core/inside-workspace.ts).

import { type InsidePath, insideWorkspace } from "../core/inside-workspace.js";
import { realPathOf } from "../core/real-path.js";

/** What a file tool is given of a path. `base` never comes from a model: its schemas refuse the field. */
export interface AskedPath {
	readonly path: string;
	/** The folder that nothing outside of may be touched. Left out: there is none. */
	readonly base?: string | undefined;
}

export async function findPlace({ path, base }: AskedPath): Promise<InsidePath> {
	if (base !== undefined) return insideWorkspace(base, path);
	const real = await realPathOf(path);
	return { real, shown: real };
}
