// Inside the workspace
//
// A model names paths; a workspace tool may touch only what lies in its root. The path is resolved to the real place it
// means, every link followed, before anything is opened, and only that real place is opened, never the name that was
// asked for. Comparing the written paths would be shorter and would follow a link out of the workspace.
//
// Owns:      the real place of a path, and the refusal that names the path or the link.
// Does not:  open anything (workspace-file.ts) or keep two writers apart (the tool's lock keys do).
//
// Invariants:
//   I9. The real place that is handed out is the root or lies below it.
//
// What this cannot do: another process that swaps a folder for a link between this check and the open is not stopped.
// A thread is no sandbox.

import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { invariant } from "../../engine/core/invariant.js";
import { LINK_HOPS_MAX } from "../../engine/core/limits.js";

/** A path that was let in: where it really is, and how it is shown, from the root with `/`. */
export interface InsidePath {
	readonly real: string;
	readonly shown: string;
}

/** What a refused path throws. `code` survives the trip back from the thread. */
export class OutsideWorkspaceError extends Error {
	readonly code = "OUTSIDE_WORKSPACE";

	constructor(problem: string) {
		super(`${problem}. Name a path inside the workspace.`);
		this.name = "OutsideWorkspaceError";
	}
}

/** Resolves a path against the root. Nothing need exist there; what does exist is followed to where it really is. */
export function insideWorkspace(root: string, asked: string): InsidePath {
	if (asked.includes("\0")) throw new OutsideWorkspaceError(`The path ${JSON.stringify(asked)} holds a zero byte`);
	const realRoot = realpathSync(root);
	const written = resolve(root, asked);
	// The root itself may be given by a link; a path inside it may then be written either way.
	const base = [resolve(root), realRoot].find((one) => isWithin(one, written));
	if (base === undefined)
		throw new OutsideWorkspaceError(`The path ${JSON.stringify(asked)} leads out of the workspace`);
	const real = realPlace(written, 0);
	if (!isWithin(realRoot, real)) throw new OutsideWorkspaceError(linkProblem(realRoot, relative(base, written)));
	invariant(real === realRoot || real.startsWith(withSeparator(realRoot)), "I9", `${real} is not in ${realRoot}`);
	return { real, shown: relative(realRoot, real).split(sep).join("/") || "." };
}

// Where a path really is. `realpath` alone stops at a path that does not exist yet, and a link that points to such a
// path is the way out that is easiest to overlook.
function realPlace(path: string, hops: number): string {
	try {
		return realpathSync(path);
	} catch (error) {
		const code = (error as NodeJS.ErrnoException).code;
		if (code === "ELOOP" || hops > LINK_HOPS_MAX) {
			throw new OutsideWorkspaceError(`The link ${JSON.stringify(path)} leads back to itself`);
		}
		if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
	}
	const folder = dirname(path) === path ? path : realPlace(dirname(path), hops);
	const target = linkTarget(join(folder, basename(path)));
	return target === undefined ? join(folder, basename(path)) : realPlace(resolve(folder, target), hops + 1);
}

function linkTarget(path: string): string | undefined {
	try {
		return readlinkSync(path);
	} catch {
		return undefined;
	}
}

// The first step of the way that is outside is the link to name.
function linkProblem(realRoot: string, way: string): string {
	const names = way.split(sep);
	const steps = names.map((_, place) => names.slice(0, place + 1));
	const out = steps.find((step) => !isWithin(realRoot, realPlace(join(realRoot, ...step), 0)));
	return `The link ${JSON.stringify((out ?? names).join("/"))} leads out of the workspace`;
}

function isWithin(root: string, path: string): boolean {
	const way = relative(root, path);
	return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

function withSeparator(path: string): string {
	return path.endsWith(sep) ? path : path + sep;
}
