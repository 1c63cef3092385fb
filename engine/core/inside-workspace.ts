// Inside the workspace
//
// A model names paths; a file tool may touch only what lies in its root. The path is resolved to the real place it
// means, every link followed, before anything is opened, and only that real place is opened, never the name that was
// asked for. Comparing the written paths would be shorter and would follow a link out of the workspace.
//
// Owns:      the real place of a path, and the refusal that names the path or the link.
// Does not:  follow links itself (real-path.ts), open anything, or keep two writers apart (a tool's lock keys do).
//
// Invariants:
//   I9. The real place that is handed out is the root or lies below it.
//
// The root and the path are put together without being normalised: `link/../note` is beside the folder that the link
// leads to, which is what the file system opens and what the lock key of the path is.
//
// What this cannot do: another process that swaps a folder for a link between this check and the open is not stopped.

import { isAbsolute, relative, sep } from "node:path";
import { invariant } from "./invariant.js";
import { realPathOf } from "./real-path.js";

/** A path that was let in: where it really is, and how it is shown, from the root with `/`. */
export interface InsidePath {
	readonly real: string;
	readonly shown: string;
}

/** What a refused path throws. `code` survives the trip back from a thread. */
export class OutsideWorkspaceError extends Error {
	readonly code = "OUTSIDE_WORKSPACE";

	constructor(problem: string) {
		super(`${problem}. Name a path inside the workspace.`);
		this.name = "OutsideWorkspaceError";
	}
}

/**
 * Resolves a path against the root. Nothing need exist there; what does exist is followed to where it really is.
 *
 * @throws OutsideWorkspaceError naming the path, or the link that leads out; EngineError `FILE_LINK_LOOP`.
 */
export async function insideWorkspace(root: string, asked: string): Promise<InsidePath> {
	if (asked.includes("\0")) throw new OutsideWorkspaceError(`The path ${JSON.stringify(asked)} holds a zero byte`);
	const realRoot = await realPathOf(root);
	const real = await realPathOf(isAbsolute(asked) ? asked : withSeparator(root) + asked);
	if (!isWithin(realRoot, real)) throw new OutsideWorkspaceError(await whatLeadsOut({ root, realRoot, asked }));
	invariant(real === realRoot || real.startsWith(withSeparator(realRoot)), "I9", `${real} is not in ${realRoot}`);
	return { real, shown: relative(realRoot, real).split(sep).join("/") || "." };
}

interface Way {
	readonly root: string;
	readonly realRoot: string;
	readonly asked: string;
}

// The step with which the path leaves the root for good is what the reader can do something about.
async function whatLeadsOut({ root, realRoot, asked }: Way): Promise<string> {
	const path = `The path ${JSON.stringify(asked)} leads out of the workspace`;
	// The root itself may be given by a link; an absolute path in it may then be written either way.
	const base = [root, realRoot].map(withSeparator).find((one) => asked.startsWith(one));
	if (isAbsolute(asked) && base === undefined) return path;
	const names = (base === undefined ? asked : asked.slice(base.length)).split(sep === "/" ? sep : /[\\/]/);
	let lastInside = 0;
	for (let steps = 1; steps < names.length; steps += 1) {
		const place = await realPathOf(withSeparator(realRoot) + names.slice(0, steps).join(sep));
		if (isWithin(realRoot, place)) lastInside = steps;
	}
	if (names[lastInside] === "..") return path;
	return `The link ${JSON.stringify(names.slice(0, lastInside + 1).join("/"))} leads out of the workspace`;
}

function isWithin(root: string, path: string): boolean {
	const way = relative(root, path);
	return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

function withSeparator(path: string): string {
	return path.endsWith(sep) ? path : path + sep;
}
