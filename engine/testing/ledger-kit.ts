// Ledger kit
//
// The few words that the cases of the ledger's contract are written in: records of every kind and run, values, and a look
// at all that a ledger holds.
//
// Owns:      those helpers, and what it means that a ledger holds exactly what it was given.
// Does not:  hold a case.

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createHash } from "node:crypto";
import { inspect, isDeepStrictEqual } from "node:util";
import { type Entry, type EntryDraft, type EntryKind, type Intent, type Ledger, systemClock } from "../index.js";
import { collect } from "./contract-case.js";

export const draftOf = (index: number, data: EntryDraft["data"] = { index }): EntryDraft => {
	return { kind: "tool_called", runId: "run", at: 1_000 + index, data };
};

export const intentOf = (index: number): Intent => {
	return { kind: "intent", runId: "run", at: 1_000 + index, data: { index } };
};

/** Each entry as its number and what it is of. */
export async function shapesOf(ledger: Ledger): Promise<unknown[]> {
	return (await collect(ledger.entries())).map(({ seq, data }: Entry) => [seq, data.index]);
}

export const inRun = <One extends EntryDraft | Intent>(runId: string, record: One): One => ({ ...record, runId });

export type Draft = EntryDraft | Intent;

/** The type asks for every kind, so that one that joins them cannot be forgotten here. */
const KINDS: Readonly<Record<EntryKind, true>> = {
	run_started: true,
	model_called: true,
	model_returned: true,
	tool_called: true,
	tool_result: true,
	steer_received: true,
	cancel_received: true,
	question_asked: true,
	answer_received: true,
	run_paused: true,
	run_resumed: true,
	run_finished: true,
};

/** Ids that something less than the whole id would take for one another, or for what is not an id. */
const RUN_IDS = ["run", "Run", "run ", "10", "2", "__proto__", "a/../b", "\u00e4", "a\u0308"];

/**
 * A record of every kind in each of several runs, which stand between each other's; `from` tells one lot from the next. The
 * clock goes backwards, as one that is set does, by parts of a millisecond, as a host's own may, and is at today's size.
 */
export function everyKind(from: number): readonly Draft[] {
	let index = from;
	return (Object.keys(KINDS) as EntryKind[]).flatMap((kind) =>
		RUN_IDS.flatMap((runId): Draft[] => {
			index += 2;
			const data = { index, of: runId, bytes: { $binary: "AAEC/w==" } };
			const place = { runId, at: 1_800_000_000_000 - index / 4 };
			return [
				{ ...draftOf(index, data), ...place, kind },
				{ ...intentOf(index + 1), ...place },
			];
		}),
	);
}

const isEntry = (record: Entry | Intent): record is Entry => record.kind !== "intent";

/** All but an entry's number, in one order: that of a record's own fields is for the ledger to choose. */
function partsOf(record: Draft): object {
	const { kind, runId, at, data, ...more } = record;
	const { seq: _seq, ...others } = more as { seq?: number };
	return { kind, runId, at, data, ...(record.kind === "intent" ? more : others) };
}

export const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, number) => number);

const shown = (value: unknown): string =>
	inspect(value, { depth: 6, maxStringLength: 200, breakLength: Number.POSITIVE_INFINITY });

/** The same items in the same order; says the first that is not. A comparison of thousands at once takes minutes to fail. */
export function sameItems(actual: readonly unknown[], expected: readonly unknown[], what: string): void {
	for (const [place, item] of expected.entries()) {
		if (place >= actual.length) break;
		// As texts too, because the order of the names is part of what was written.
		const isSame = isDeepStrictEqual(actual[place], item) && JSON.stringify(actual[place]) === JSON.stringify(item);
		ok(isSame, `${what}: number ${place} is ${shown(actual[place])} in place of ${shown(item)}`);
	}
	strictEqual(actual.length, expected.length, `${what}: there are ${actual.length} in place of ${expected.length}`);
}

/** Every record that was given is there and no other, whole, in its run's order, and the same by every way to read it. */
export async function holdsExactly(ledger: Ledger, given: readonly Draft[]): Promise<void> {
	const records = await collect(ledger.records());
	const runs = new Set(given.map(({ runId }) => runId));
	const numbers: (readonly number[])[] = [];
	for (const runId of runs) {
		const own = records.filter((record) => record.runId === runId);
		const expected = given.filter((record) => record.runId === runId);
		const what = `the records of the run ${JSON.stringify(runId)}`;
		sameItems(own.map(partsOf), expected.map(partsOf), what);
		const asked = (await collect(ledger.records(runId))).filter((record) => record.runId === runId);
		sameItems(asked, own, `${what}, asked for by its id`);
		numbers.push(own.filter(isEntry).map(({ seq }) => seq));
	}
	strictEqual(records.length, given.length, `there are ${records.length} records in place of ${given.length}`);
	const entries = records.filter(isEntry);
	const intents = records.filter((record) => !isEntry(record));
	sameItems(await collect(ledger.entries()), entries, "the entries, beside those among the records");
	sameItems(await collect(ledger.intents()), intents, "the intents, beside those among the records");
	// Numbered through, or each run by itself: which one is for the ledger to choose.
	const isThrough = entries.every(({ seq }, place) => seq === place);
	if (isThrough) return;
	for (const own of numbers) sameItems(own, upTo(own.length), "the numbers of a run's entries");
}

/** A turn of the event loop: whatever needs no more than promises has happened by then. */
export const turn = (): Promise<void> => systemClock.nextTurn();

const VALUES = [
	Buffer.from("a"),
	Buffer.alloc(70_000, 7),
	Buffer.from("a"),
	Buffer.alloc(0),
	Buffer.from([0, 255, 128]),
];
const NAMES = VALUES.map((bytes) => createHash("sha256").update(bytes).digest("hex"));

/** Hands values over; `false` for a ledger that keeps none. */
export async function keepsValues({ values }: Ledger): Promise<boolean> {
	if (values === undefined) return false;
	deepStrictEqual(await values.keep(VALUES), NAMES);
	return true;
}

/** Those values are there, and no others. */
export async function hasValues({ values }: Ledger): Promise<void> {
	ok(values !== undefined, "the ledger keeps no values any more");
	for (const [place, name] of NAMES.entries()) {
		const bytes = VALUES[place] ?? Buffer.alloc(0);
		const loaded = await values.load(name, bytes.length);
		ok("bytes" in loaded, `the value ${place} is not there`);
		ok(bytes.equals(loaded.bytes), `the value ${place} is another`);
	}
	const others = [await values.load("0".repeat(64), 1), await values.load(NAMES[0] ?? "", 2)];
	for (const other of others) strictEqual("problem" in other && typeof other.problem, "string");
}
