// Made in lines
//
// The calls that a call made, out of the lines between its own two. They stand there in the order in which they were made:
// those of a model's reply behind it, as one wave; any other call is a wave of its own, with its own calls' lines inside.
//
// Owns:      that reading.
// Does not:  find the lines (ledger/wave-history.ts) or tell policies of the calls (wave/tell-made.ts).

import type { CallRecord, LineRecord, MadeRecord, RanAsRecord } from "../core/call-record.js";
import type { JsonObject, JsonValue } from "../core/json-value.js";
import type { AnsweredCall } from "../ledger/wave-history.js";
import { answeredRecord } from "./answered-record.js";

/** An answer as a record, with what the call made. */
export function recordWithMade(answered: AnsweredCall, base: CallRecord | undefined, depth = 1): CallRecord {
	const record = answeredRecord(answered, base);
	const made = madeInLines(answered.made ?? [], depth + 1);
	return made.length === 0 ? record : { ...record, made };
}

interface MadeInLine {
	readonly call: MadeRecord["calls"][number];
	readonly record: CallRecord;
}

/** `depth`: that of the calls, so that what a nested agent says is not taken for its caller's. */
export function madeInLines(lines: readonly LineRecord[], depth: number): readonly MadeRecord[] {
	const waves: { first: number; calls: MadeInLine["call"][]; records: CallRecord[] }[] = [];
	/** How many calls of a reply are still to come. */
	let together = 0;
	let made = 0;
	for (let place = 0; place < lines.length; place += 1) {
		const line = lines[place];
		if (line?.kind === "model_returned" && isAt(line, depth - 1)) {
			together = (line.data.calls as readonly JsonValue[]).length;
			waves.push({ first: made, calls: [], records: [] });
		}
		if (line?.kind !== "tool_called" || !isAt(line, depth)) continue;
		const end = endOf(lines, place);
		const one = madeIn(lines.slice(place, end + 1), depth);
		if (one === undefined) break;
		if (together === 0) waves.push({ first: made, calls: [], records: [] });
		else together -= 1;
		waves.at(-1)?.calls.push(one.call);
		waves.at(-1)?.records.push(one.record);
		made += 1;
		place = end;
	}
	return waves.filter(({ calls }) => calls.length > 0);
}

function isAt({ data: { lineage } }: LineRecord, depth: number): boolean {
	return Array.isArray(lineage) && lineage.length === depth;
}

/** Where the result stands of the call whose first line stands at `begin`. */
function endOf(lines: readonly LineRecord[], begin: number): number {
	let open = 0;
	for (let place = begin; place < lines.length; place += 1) {
		const kind = lines[place]?.kind;
		if (kind === "tool_called") open += 1;
		if (kind === "tool_result") open -= 1;
		if (open === 0) return place;
	}
	return lines.length;
}

function madeIn(lines: readonly LineRecord[], depth: number): MadeInLine | undefined {
	const [called] = lines;
	const result = lines.at(-1);
	if (called === undefined || result?.kind !== "tool_result") return undefined;
	const { id = "", name = "", args = null } = called.data;
	const { outcome, replayOf, ranAs } = result.data;
	const answered = {
		at: called.at,
		outcome: outcome as JsonObject,
		...(replayOf !== undefined && { replayOf: replayOf as number }),
		...(ranAs !== undefined && { ranAs: ranAs as unknown as RanAsRecord }),
	};
	const call = { id: String(id), name: String(name), args };
	return { call, record: recordWithMade({ ...answered, made: lines.slice(1, -1) }, undefined, depth) };
}
