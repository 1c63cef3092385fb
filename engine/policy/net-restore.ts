// Net restore
//
// Puts back what a checkpoint net kept: missing files are written, changed ones written over, links and folders made. A
// file is written beside its place and renamed over it. What was made since, and is in nobody's way, stays.
//
// Owns:      the order (folders, then files and links), and what is refused: a place whose folder leads elsewhere by now, a
//            folder where a file was.
// Does not:  fetch what was kept (the store does) or keep what it writes over (net.ts does, first).

import { chmod, lstat, mkdir, open, rename, symlink, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import process from "node:process";
import { EngineError } from "../core/errors.js";
import { realPathOf, unlessMissing } from "../core/real-path.js";
import { digestOf, type Kept, type KeptFile, type Manifest, realPath } from "./net-manifest.js";

export interface Restoring {
	readonly root: string;
	readonly content: (file: KeptFile) => Promise<Uint8Array>;
}

/** The paths that were put back, in the manifest's order; what was as it should be counts. */
export async function putBack({ kept }: Manifest, { root, content }: Restoring): Promise<readonly string[]> {
	// Before anything is touched: half of it put back would be a third state.
	for (const one of kept) await requireRoom(root, one);
	for (const one of kept) if (one.kind === "folder") await mkdir(realPath(root, one.path), { recursive: true });
	for (const one of kept) {
		const place = realPath(root, one.path);
		if (one.kind !== "folder") await mkdir(dirname(place), { recursive: true });
		if (one.kind === "file") await putFile(place, one, await content(one));
		if (one.kind === "link") await putLink(place, one.target);
	}
	// Last, because a folder that may not be written to could not be filled.
	for (const one of kept) if (one.kind === "folder") await chmod(realPath(root, one.path), one.mode);
	return kept.map(({ path }) => path);
}

async function requireRoom(root: string, one: Kept): Promise<void> {
	const place = realPath(root, one.path);
	const folder = dirname(place);
	if ((await realPathOf(folder)) !== folder) throw refused(one, "its folder leads elsewhere by now");
	const here = await unlessMissing(lstat(place));
	if (here === undefined || here.isDirectory() === (one.kind === "folder")) return;
	throw refused(one, one.kind === "folder" ? "a file stands where a folder was" : "a folder stands where it was");
}

async function putFile(place: string, one: KeptFile, content: Uint8Array): Promise<void> {
	if (digestOf(content) !== one.sha256) throw refused(one, "what was kept of it is damaged");
	const beside = `${place}.${process.pid}.new`;
	const file = await open(beside, "w", one.mode);
	try {
		await file.writeFile(content);
		// The mode above is cut by the process's mask.
		await file.chmod(one.mode);
		await file.sync();
	} finally {
		await file.close();
	}
	await rename(beside, place);
}

async function putLink(place: string, target: string): Promise<void> {
	const beside = `${place}.${process.pid}.new`;
	await unlessMissing(unlink(beside));
	await symlink(target, beside);
	await rename(beside, place);
}

function refused({ path }: Kept, problem: string): EngineError {
	return new EngineError("RESTORE_FAILED", { action: `put back ${JSON.stringify(path)}`, problem });
}
