// Net manifest
//
// What was kept for one call, as data: each file with the digest of its content, each link with what it says, each folder.
// The text of the manifest is canonical and its own digest is the reference, so that the same files have the same
// reference wherever and whenever they are kept.
//
// Owns:      the manifest, its text and its reference; reading the files once to make it.
// Does not:  find what belongs into it (at-stake.ts) or keep it (net-repository.ts, net-folder.ts).
//
// Invariants:
//   NM1. A reference is the digest of its manifest's text and depends on nothing else.
//   NM2. A manifest holds no more bytes of files than it was allowed.

import { createHash } from "node:crypto";
import { lstat, readFile, readlink } from "node:fs/promises";
import { isAbsolute, relative, sep } from "node:path";
import { invariant } from "../core/invariant.js";
import { canonicalJson, type JsonValue } from "../core/json-value.js";
import { unlessMissing } from "../core/real-path.js";
import { isWithin } from "./git-command.js";
import { CannotKeep, requireReadable } from "./net-refusal.js";

/** `path` is one from the root with `/`, or an absolute one outside of it. */
export type Kept =
	| {
			readonly path: string;
			readonly kind: "file";
			readonly mode: number;
			readonly bytes: number;
			readonly sha256: string;
	  }
	| { readonly path: string; readonly kind: "link"; readonly target: string }
	| { readonly path: string; readonly kind: "folder"; readonly mode: number };

export type KeptFile = Kept & { readonly kind: "file" };

export interface Manifest {
	readonly reference: string;
	readonly text: string;
	readonly kept: readonly Kept[];
}

export interface ManifestBounds {
	/** The real path of the folder that paths are named from. */
	readonly root: string;
	readonly bytesMax: number;
	readonly signal: AbortSignal;
}

/** Reads what stands at the places now; nothing where nothing does. */
export async function readPlaces(places: readonly string[], bounds: ManifestBounds): Promise<Manifest | undefined> {
	const kept: Kept[] = [];
	let bytes = 0;
	for (const place of places) {
		bounds.signal.throwIfAborted();
		const here = await unlessMissing(lstat(place));
		if (here === undefined) continue;
		const path = shownPath(bounds.root, place);
		const mode = here.mode & 0o777;
		if (here.isSymbolicLink()) {
			const target = await readlink(place);
			requireReadable(target, place);
			kept.push({ path, kind: "link", target });
		}
		if (here.isDirectory()) kept.push({ path, kind: "folder", mode });
		if (!here.isFile()) continue;
		if (bytes + here.size > bounds.bytesMax) throw tooLarge(bounds);
		const content = await readFile(place, { signal: bounds.signal });
		bytes += content.length;
		if (bytes > bounds.bytesMax) throw tooLarge(bounds);
		kept.push({ path, kind: "file", mode, bytes: content.length, sha256: digestOf(content) });
	}
	invariant(bytes <= bounds.bytesMax, "NM2", `${bytes} bytes were read`);
	return kept.length === 0 ? undefined : manifestOf(kept);
}

/** Of the places that are `fresh` what stands there now, of all others what the older one says. */
export function mergedManifest(
	now: Manifest | undefined,
	older: Manifest | undefined,
	{ root, isFresh }: { readonly root: string; readonly isFresh: (place: string) => boolean },
): Manifest | undefined {
	const fresh = ({ path }: Kept): boolean => isFresh(realPath(root, path));
	const kept = [...(now?.kept.filter(fresh) ?? []), ...(older?.kept.filter((one) => !fresh(one)) ?? [])];
	const byPlace = new Map(kept.map((one) => [realPath(root, one.path), one]));
	const inOrder = [...byPlace.keys()].sort().flatMap((place) => byPlace.get(place) ?? []);
	return inOrder.length === 0 ? undefined : manifestOf(inOrder);
}

function manifestOf(kept: readonly Kept[]): Manifest {
	const text = canonicalJson({ version: 1, kept: kept as unknown as JsonValue });
	// NM1: no clock, no store, no root.
	return { reference: digestOf(text), text, kept };
}

/** The manifest that a store gave back; nothing where it is not the one of the reference. */
export function manifestFrom(text: string, reference: string): Manifest | undefined {
	if (digestOf(text) !== reference) return undefined;
	const { kept } = JSON.parse(text) as { readonly kept: readonly Kept[] };
	return { reference, text, kept };
}

export function digestOf(content: string | Uint8Array): string {
	return createHash("sha256").update(content).digest("hex");
}

/** Reads a file again, to keep it; it must be the one that the manifest names. */
export async function contentOf(root: string, file: KeptFile): Promise<Buffer> {
	const content = await readFile(realPath(root, file.path));
	if (digestOf(content) === file.sha256) return content;
	throw new CannotKeep(`${JSON.stringify(file.path)} is being changed by something else`);
}

export function realPath(root: string, path: string): string {
	return isAbsolute(path) ? path : path === "." ? root : root + sep + path.split("/").join(sep);
}

function shownPath(root: string, place: string): string {
	return isWithin(root, place) ? relative(root, place).split(sep).join("/") || "." : place;
}

function tooLarge({ bytesMax }: ManifestBounds): CannotKeep {
	return new CannotKeep(`it is more than ${bytesMax} bytes`);
}
