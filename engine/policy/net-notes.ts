// Net notes
//
// What was kept for each call until its entry is written. An entry names its call by lineage, id, name and arguments, and
// so do the notes. A form that middleware made has other arguments than its entry, and is noted without them.
//
// After a crash some calls have no entry any more: those that a call had made which ended with the process. What was kept for
// them is named by the `tool_result` of the outermost call around them.
//
// Owns:      the way of references from admission to the entry.
// Does not:  keep anything, or outlive the process (net-calls.ts).

import { argumentsKey, type ToolCall } from "../core/call.js";
import type { JsonObject, JsonValue } from "../core/json-value.js";
import { pathText } from "./net-calls.js";
import type { RecordedEntry } from "./policy.js";
import { RunStates } from "./run-states.js";

export interface Noted {
	readonly runId: string;
	/** The call's lineage. */
	readonly path: readonly number[];
	readonly call: ToolCall;
	readonly rewritten: boolean;
}

interface CallNotes {
	/** The arguments that it was asked for with, where something was kept for that form. */
	readonly askedWith?: string;
	readonly asked: readonly string[];
	/** What was kept for the forms that middleware made. */
	readonly forms: readonly string[];
	/** Of forms that have not begun since, by their arguments: what was kept when they were admitted. */
	readonly admitted: ReadonlyMap<string, string>;
}

interface RunNotes {
	readonly byCall: Map<string, CallNotes>;
	/** Of calls that a process had made that ended, by their paths, until they are made again. */
	readonly orphans: Map<string, readonly string[]>;
	/** How many calls' lines are being written that stand within each other. */
	depth: number;
}

export class NetNotes {
	readonly #runs = new RunStates<RunNotes>(() => ({ byCall: new Map(), orphans: new Map(), depth: 0 }));

	/**
	 * Nothing kept takes an earlier note away: that was of a call whose entry never came. `admitted` is the one of them that
	 * the form's beginning may show to be out of date.
	 */
	put({ runId, path, call, rewritten }: Noted, references: readonly string[], admitted?: string): void {
		const notes = (references.length === 0 ? this.#runs.known(runId) : this.#runs.of(runId))?.byCall;
		const place = placeOf(path, call);
		const before = notes?.get(place);
		const form = argumentsKey(call.args);
		const own: CallNotes["admitted"] = admitted === undefined ? NOTHING.admitted : new Map([[form, admitted]]);
		if (rewritten) {
			if (references.length === 0) return;
			const kept = { ...NOTHING, ...before, forms: references };
			notes?.set(place, { ...kept, admitted: new Map([...kept.admitted, ...own]) });
		} else if (references.length === 0) notes?.delete(place);
		else notes?.set(place, { askedWith: form, asked: references, forms: [], admitted: own });
	}

	/** The form begins, and these stand for what was known of it; from now on nothing of them is out of date. */
	begun({ runId, path, call, rewritten }: Noted, references: readonly string[]): void {
		const { byCall } = this.#runs.of(runId);
		const place = placeOf(path, call);
		const before = byCall.get(place);
		if (before === undefined && references.length === 0) return;
		const form = argumentsKey(call.args);
		const admitted = new Map(before?.admitted);
		admitted.delete(form);
		const own = rewritten ? { forms: references } : { askedWith: form, asked: references };
		byCall.set(place, { ...NOTHING, ...before, ...own, admitted });
	}

	/** What is noted of the call, in the form that it was asked for in and in the others. */
	of({ runId, path, call }: Noted): Omit<CallNotes, "askedWith"> {
		return this.#runs.known(runId)?.byCall.get(placeOf(path, call)) ?? NOTHING;
	}

	/** What a process that ended had kept for calls that this one had made. */
	putOrphans({ runId, path }: Noted, below: ReadonlyMap<string, readonly string[]>): void {
		const orphans = (below.size === 0 ? this.#runs.known(runId) : this.#runs.of(runId))?.orphans;
		for (const known of [...(orphans?.keys() ?? [])])
			if (known.startsWith(`${pathText(path)}.`)) orphans?.delete(known);
		for (const [one, references] of below) orphans?.set(one, references);
	}

	/** The same for the call itself, which is made again and has an entry of its own. */
	takeOrphan({ runId, path }: Noted): readonly string[] {
		const orphans = this.#runs.known(runId)?.orphans;
		const references = orphans?.get(pathText(path)) ?? [];
		orphans?.delete(pathText(path));
		return references;
	}

	/** The entry's data with what was kept for its call. */
	added({ kind, runId, data }: RecordedEntry): JsonObject {
		const notes = this.#runs.known(runId);
		if (notes === undefined) return data;
		if (kind === "tool_called") {
			notes.depth += 1;
			return withKept(data, called(notes, data));
		}
		if (kind !== "tool_result") return data;
		notes.depth -= 1;
		return notes.depth === 0 ? withKept(data, orphansOf(notes, Number(data.index))) : data;
	}
}

function called({ byCall }: RunNotes, data: JsonObject): readonly string[] {
	if (byCall.size === 0) return [];
	const path = Array.isArray(data.lineage) ? (data.lineage as readonly number[]) : [Number(data.index)];
	const place = placeOf(path, { id: String(data.id), name: String(data.name) });
	const { askedWith, asked, forms } = byCall.get(place) ?? NOTHING;
	byCall.delete(place);
	return askedWith === argumentsKey(data.args) ? [...asked, ...forms] : forms;
}

function orphansOf({ orphans }: RunNotes, index: number): readonly string[] {
	const within = [...orphans].filter(([path]) => path.startsWith(`${index}.`));
	for (const [path] of within) orphans.delete(path);
	return within.flatMap(([, references]) => references);
}

function withKept(data: JsonObject, references: readonly string[]): JsonObject {
	return references.length === 0 ? data : { ...data, kept: unique(references) as JsonValue };
}

export function unique(references: readonly string[]): readonly string[] {
	return [...new Set(references)];
}

function placeOf(path: readonly number[], { id, name }: Pick<ToolCall, "id" | "name">): string {
	return JSON.stringify([path, id, name]);
}

const NOTHING: CallNotes = { asked: [], forms: [], admitted: new Map() };
