// Made calls
//
// What a call has made, and the two forms in which that is kept: by number, for the call itself, which runs again from its
// beginning where it asked a person; and wave by wave, for policies that were not there when the calls were made.
//
// Owns:      those forms, and the ways between them.
// Does not:  make calls (nested-calls.ts) or tell policies of them (tell-made.ts).

import { argumentsKey, readArguments, type ToolCall, UNREADABLE } from "../core/call.js";
import {
	type CallMemory,
	type CallRecord,
	type MadeRecord,
	type NestedRecord,
	outcomeOf,
} from "../core/call-record.js";
import type { JsonValue } from "../core/json-value.js";
import { rawArguments } from "../ledger/call-entries.js";
import type { EntryDraft } from "../ledger/entry.js";
import type { CallResult, WaveEnd } from "./wave-result.js";

export type MadeCall = Omit<ToolCall, "id"> & { readonly id?: string };

/** A call that a call has made. */
export interface Child {
	readonly kind: "call";
	readonly call: MadeCall;
	/** Its place among the calls that were made with it. */
	readonly place: number;
	/** Those of all calls that were made with it stand with the first. */
	lines: readonly EntryDraft[];
	/** How it ended in this run of its parent, or what is remembered of it. */
	end: WaveEnd | undefined;
	readonly remembered: NestedRecord | undefined;
	/** How many other calls were remembered under its number before it. */
	readonly turn: number;
}

/** What a call has made, in order: calls, and lines of its own. */
export type Made = Child | { readonly kind: "lines"; readonly lines: readonly EntryDraft[] };

/** What is remembered of the call's child of this number; nothing where the call makes another one now. */
export function recall(memory: CallMemory | undefined, number: number, call: MadeCall): NestedRecord | undefined {
	const remembered = memory?.nested[number];
	if (remembered === undefined) return undefined;
	return remembered.name === call.name && remembered.argsKey === argumentsKey(call.args) ? remembered : undefined;
}

/** How many calls were remembered under the number before one that is, or is not, what is remembered there. */
export function turnAt(memory: CallMemory | undefined, number: number, isRemembered: boolean): number {
	const before = memory?.nested[number];
	if (before === undefined) return 0;
	return (before.turn ?? 0) + (isRemembered ? 0 : 1);
}

export function nestedRecordOf({ call, place, lines, end, remembered, turn }: Child): NestedRecord | undefined {
	if (end === undefined) return remembered;
	const record = end.record().calls[place];
	const { id = "", name, args } = call;
	const known = { ...(id !== "" && { id }), name, argsKey: argumentsKey(args), ...(place > 0 && { place }) };
	return record && { ...known, ...(turn > 0 && { turn }), call: record, lines };
}

/** How the child ended before its parent asked; nothing where it had not. */
export function resultOf({ call, place, remembered }: Child): CallResult | undefined {
	if (remembered?.call.kind !== "accounted") return undefined;
	const { id = "", name } = call;
	const { outcome, timing, ahead, replayOf } = remembered.call;
	const { hiddenMs, ...rest } = timing;
	const replay = replayOf === undefined ? {} : { replayOf };
	return { index: place, id, name, outcome: outcomeOf(outcome), timing: rest, ...replay, ahead, hiddenMs };
}

interface Numbered {
	readonly place: number;
	readonly id: string;
	readonly name: string;
	readonly args: JsonValue;
	readonly record: CallRecord;
}

/** What a call has made that runs no more. */
export function madeOf(made: readonly Made[]): readonly MadeRecord[] {
	const children = made.filter((one): one is Child => one.kind === "call");
	return wavesOf(
		children.map(({ call: { id = "", name, args }, place, end, remembered }) => {
			const record = end?.record().calls[place] ?? remembered?.call;
			return record && { place, id, name, args: rawArguments(args), record };
		}),
	);
}

/** The same of one that has asked a person. */
export function madeIn({ nested }: CallMemory): readonly MadeRecord[] {
	const numbered: (Numbered | undefined)[] = [];
	for (const [number, { id = "", name, argsKey, place = 0, call }] of Object.entries(nested)) {
		numbered[Number(number)] = { place, id, name, args: argumentsIn(argsKey), record: call };
	}
	return wavesOf(numbered);
}

function wavesOf(numbered: Iterable<Numbered | undefined>): readonly MadeRecord[] {
	const waves: { first: number; calls: Omit<Numbered, "place" | "record">[]; records: CallRecord[] }[] = [];
	let number = 0;
	for (const one of numbered) {
		if (one?.place === 0) waves.push({ first: number, calls: [], records: [] });
		const wave = waves.at(-1);
		if (one !== undefined && wave?.calls.length === one.place) {
			const { id, name, args, record } = one;
			wave.calls.push({ id, name, args });
			wave.records.push(record);
		}
		number += 1;
	}
	return waves;
}

// What cannot be read is no call that a policy was asked about.
function argumentsIn(argsKey: string): JsonValue {
	return readArguments(argsKey).ok ? (JSON.parse(argsKey) as JsonValue) : { [UNREADABLE]: "the arguments" };
}
