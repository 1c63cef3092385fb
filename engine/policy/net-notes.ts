// Net notes
//
// What was kept for each call until its entry is written. An entry names its call by index, id, name and arguments, and so
// do the notes: calls within calls have indexes of their own, which alone would be mistaken for others'. A form that
// middleware made has other arguments than its entry, and is noted without them.
//
// Owns:      the way of a reference from admission to the entry.
// Does not:  keep anything.

import { argumentsKey, type ToolCall } from "../core/call.js";
import type { JsonObject } from "../core/json-value.js";
import type { RecordedEntry } from "./policy.js";
import { RunStates } from "./run-states.js";

export interface Noted {
	readonly runId: string;
	readonly index: number;
	readonly call: ToolCall;
	readonly rewritten: boolean;
}

export class NetNotes {
	readonly #runs = new RunStates<Map<string, string>>(() => new Map());

	/** Nothing kept takes an earlier note away: that was of a call whose entry never came. */
	put({ runId, index, call, rewritten }: Noted, reference: string | undefined): void {
		const place = placeOf(index, call.id, call.name);
		const key = rewritten ? place : exactly(place, call.args);
		const notes = reference === undefined ? this.#runs.known(runId) : this.#runs.of(runId);
		if (!rewritten) notes?.delete(place);
		if (reference === undefined) notes?.delete(key);
		else notes?.set(key, reference);
	}

	/** The entry's data with what was kept for its call. */
	added({ kind, runId, data }: RecordedEntry): JsonObject {
		const notes = kind === "tool_called" ? this.#runs.known(runId) : undefined;
		if (notes === undefined || notes.size === 0) return data;
		const place = placeOf(Number(data.index), String(data.id), String(data.name));
		const kept = [exactly(place, data.args), place].flatMap((key) => {
			const reference = notes.get(key);
			notes.delete(key);
			return reference === undefined ? [] : [reference];
		});
		return kept.length === 0 ? data : { ...data, kept };
	}
}

function placeOf(index: number, id: string, name: string): string {
	return JSON.stringify([index, id, name]);
}

function exactly(place: string, args: unknown): string {
	return `${place} ${argumentsKey(args)}`;
}
