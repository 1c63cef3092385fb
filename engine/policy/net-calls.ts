// Net calls
//
// Which copies were made for which call, on the disk beside the copies themselves. An entry is written when a call has ended,
// and a process may end before that: then this is the one place that still says what the call could have discarded.
//
//   <base>/calls/<sha256 of the run's id>/<step>/<path, as in 0.2.1>.json   {"at":…,"kept":[…],"version":1}
//
// Owns:      that layout; finding the note of a call, and those of the calls that it made.
// Does not:  choose where notes are (net.ts) or know how they come into entries (net-notes.ts).
//
// Invariants:
//   NK1. A note is found under the place that it was written for, and names at least one copy.

import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { invariant } from "../core/invariant.js";
import { canonicalJson } from "../core/json-value.js";
import { unlessMissing } from "../core/real-path.js";
import { writeDurably } from "./net-files.js";
import { digestOf } from "./net-manifest.js";

/** A call's place in its run: the indexes of the calls that it is nested in, outermost first, and its own. */
export interface CallPlace {
	readonly runId: string;
	readonly step: number;
	readonly path: readonly number[];
}

/** `at`: when the call was admitted, in milliseconds since 1970; `kept`: the references, in the order they were made. */
export interface CallNote {
	readonly at: number;
	readonly kept: readonly string[];
}

export interface FoundNotes {
	/** The references of the call itself. */
	readonly own: readonly string[];
	/** Those of the calls that it made, by their paths. */
	readonly below: ReadonlyMap<string, readonly string[]>;
}

export function pathText(path: readonly number[]): string {
	return path.join(".");
}

/** Durable once it resolves. */
export async function writeNote(base: string, place: CallPlace, { at, kept }: CallNote): Promise<void> {
	invariant(kept.length > 0, "NK1", `the note of call ${pathText(place.path)} names nothing`);
	await writeDurably(noteAt(base, place), Buffer.from(canonicalJson({ version: 1, at, kept })));
}

export async function forgetNote(base: string, place: CallPlace): Promise<void> {
	await rm(noteAt(base, place), { force: true });
}

/** What is noted in any of the bases; of two notes of one call the later stands. */
export async function findNotes(bases: readonly string[], place: CallPlace): Promise<FoundNotes> {
	const found = new Map<string, CallNote>();
	for (const base of bases) {
		const folder = folderOf(base, place);
		for (const file of (await unlessMissing(readdir(folder))) ?? []) {
			const [, path] = /^([0-9.]+)\.json$/.exec(file) ?? [];
			if (path === undefined || !isAtOrBelow(path, place)) continue;
			const note = JSON.parse(await readFile(join(folder, file), "utf8")) as CallNote;
			const other = found.get(path);
			if (other === undefined || isLater(note, other)) found.set(path, note);
		}
	}
	const own = pathText(place.path);
	const below = [...found].filter(([path]) => path !== own).map(([path, { kept }]) => [path, kept] as const);
	return { own: found.get(own)?.kept ?? [], below: new Map(below) };
}

// A form that middleware makes of a call has the stamp of the call, and its note names what the call's own did and more.
function isLater(one: CallNote, other: CallNote): boolean {
	return one.at > other.at || (one.at === other.at && one.kept.length > other.kept.length);
}

function isAtOrBelow(path: string, place: CallPlace): boolean {
	const own = pathText(place.path);
	return path === own || path.startsWith(`${own}.`);
}

function folderOf(base: string, { runId, step }: CallPlace): string {
	return join(base, "calls", digestOf(runId), String(step));
}

function noteAt(base: string, place: CallPlace): string {
	return join(folderOf(base, place), `${pathText(place.path)}.json`);
}
