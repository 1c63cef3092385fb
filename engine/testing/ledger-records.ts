// Ledger records
//
// What a ledger promises of its records beside their order: that all of them are there, of every run, however many and
// however large, with every name and number that JSON can say; and of the values that it keeps beside them.
//
// Owns:      those promises as cases, and the records that the contract's cases write.
// Does not:  know an adapter, or what becomes of records when one is closed or breaks (ledger-contract.ts).

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createHash } from "node:crypto";
import type { Entry, EntryDraft, Intent, Ledger } from "../index.js";
import { collect, type Promised, promised } from "./contract-case.js";

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

const of = <One extends EntryDraft | Intent>(runId: string, record: One): One => ({ ...record, runId });

/** Two runs whose records stand between each other's. */
const OF_TWO_RUNS = [
	of("a", draftOf(0)),
	of("b", intentOf(1)),
	of("b", draftOf(2)),
	of("a", intentOf(3)),
	of("a", draftOf(4)),
];

function byRun(records: readonly (Entry | Intent)[]): Record<string, unknown[]> {
	const indexes: Record<string, unknown[]> = { a: [], b: [] };
	for (const { runId, data } of records) indexes[runId]?.push(data.index);
	return indexes;
}

/** Once as they are held, and once as they are kept. */
async function twice(ledger: Ledger, look: () => Promise<void>): Promise<void> {
	await look();
	await ledger.barrier();
	await look();
}

export const OF_RECORDS: readonly Promised<Ledger>[] = [
	promised(
		"L1: entries of several runs are all there, each run in its order, and so are the intents of every run",
		async (ledger) => {
			ledger.append(OF_TWO_RUNS);
			await twice(ledger, async () => {
				const entries = await collect(ledger.entries());
				for (const runId of ["a", "b"]) {
					const numbers = entries.filter((entry) => entry.runId === runId).map(({ seq }) => seq);
					const rise = numbers.every((seq, place) => seq > (numbers[place - 1] ?? -1));
					ok(rise, `the entries of the run ${runId} have the numbers ${numbers.join(", ")}`);
				}
				// Which run comes first is for the ledger to choose: it may keep each by itself.
				deepStrictEqual(byRun(entries), { a: [0, 4], b: [2] });
				deepStrictEqual(byRun(await collect(ledger.intents())), { a: [3], b: [1] });
			});
		},
	),
	promised("records of one run are all there and in order, its intents among them", async (ledger) => {
		ledger.append(OF_TWO_RUNS);
		await twice(ledger, async () => {
			for (const runId of ["a", "b"]) {
				const own = (await collect(ledger.records(runId))).filter((record) => record.runId === runId);
				const expected = OF_TWO_RUNS.filter((record) => record.runId === runId);
				deepStrictEqual(
					own.map(({ kind, data }) => [kind, data]),
					expected.map(({ kind, data }) => [kind, data]),
				);
			}
		});
	}),
	promised(
		"what intents() and records() returned can be iterated twice, and each time from the first",
		async (ledger) => {
			ledger.append(OF_TWO_RUNS);
			for (const iterable of [ledger.intents(), ledger.records(), ledger.records("a")]) {
				const first = await collect<unknown>(iterable);
				ok(first.length > 0);
				deepStrictEqual(await collect<unknown>(iterable), first);
			}
		},
	),
	promised("an entry reads back whole, however large, and with every name and number", async (ledger) => {
		const large = "\u00e4\ud83d\ude00\n".repeat(100_000);
		const data = JSON.parse(
			`{"z":[1e21,5e-324,-1.5,9007199254740991],"__proto__":{"a":1},"constructor":2,"1":"one","a":null}`,
		);
		const drafts = [draftOf(0, data), draftOf(1, { large, list: [large] }), draftOf(2, {})];
		ledger.append(drafts);
		await twice(ledger, async () => {
			const read = await collect(ledger.entries());
			// As texts, because the order of the names is part of what was written.
			deepStrictEqual(
				read.map((entry) => JSON.stringify(entry.data)),
				drafts.map((draft) => JSON.stringify(draft.data)),
			);
		});
	}),
	promised("thousands of entries are all there, appended at once and one by one", async (ledger) => {
		const count = 2_500;
		ledger.append([]);
		ledger.append(Array.from({ length: count }, (_, index) => draftOf(index)));
		for (let index = count; index < 2 * count; index += 1) ledger.append([draftOf(index)]);
		await twice(ledger, async () => {
			const expected = Array.from({ length: 2 * count }, (_, index) => [index, index]);
			deepStrictEqual(await shapesOf(ledger), expected);
		});
	}),
	promised("values that it keeps are there by the SHA-256 of their bytes, and no others", async ({ values }) => {
		if (values === undefined) return;
		const given = [Buffer.from("a"), Buffer.alloc(70_000, 7), Buffer.from("a"), Buffer.alloc(0)];
		const names = given.map((bytes) => createHash("sha256").update(bytes).digest("hex"));
		deepStrictEqual(await values.keep(given), names);
		for (const [place, name] of names.entries()) {
			const bytes = given[place] ?? Buffer.alloc(0);
			const loaded = await values.load(name, bytes.length);
			ok("bytes" in loaded, `the value ${place} is not there`);
			ok(bytes.equals(loaded.bytes), `the value ${place} is another`);
		}
		const others = [await values.load("0".repeat(64), 1), await values.load(names[0] ?? "", 2)];
		for (const other of others) strictEqual("problem" in other && typeof other.problem, "string");
	}),
];
