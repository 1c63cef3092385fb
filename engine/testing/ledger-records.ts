// Ledger records
//
// What a ledger promises of its records beside their order: that all of them are there, of every run, however many and
// however large, with every name and number that JSON can say; and of the values that it keeps beside them.
//
// Owns:      those promises as cases.
// Does not:  know an adapter, or what becomes of records when one is closed or breaks (ledger-contract.ts).

import { deepStrictEqual, ok } from "node:assert/strict";
import type { Entry, Intent, Ledger } from "../index.js";
import { collect, type Promised, promised } from "./contract-case.js";
import {
	draftOf,
	everyKind,
	hasValues,
	holdsExactly,
	inRun,
	intentOf,
	keepsValues,
	sameItems,
	shapesOf,
	turn,
	upTo,
} from "./ledger-kit.js";

/** Two runs whose records stand between each other's. */
const OF_TWO_RUNS = [
	inRun("a", draftOf(0)),
	inRun("b", intentOf(1)),
	inRun("b", draftOf(2)),
	inRun("a", intentOf(3)),
	inRun("a", draftOf(4)),
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
			sameItems(await shapesOf(ledger), expected, "the entries");
		});
	}),
	promised("entries of every kind and of every run are there whole, whichever way they are read", async (ledger) => {
		const given = everyKind(0);
		ledger.append(given);
		await twice(ledger, () => holdsExactly(ledger, given));
	}),
	promised("what it is given stays as it was", async (ledger) => {
		const [given, before] = [everyKind(0), everyKind(0)];
		ledger.append(given);
		await twice(ledger, async () => {
			await collect(ledger.records());
			sameItems(given, before, "what was given");
		});
	}),
	promised("records of a run that it does not hold are none", async (ledger) => {
		ledger.append(OF_TWO_RUNS);
		await twice(ledger, async () => {
			const found = (await collect(ledger.records("c"))).filter(({ runId }) => runId === "c");
			deepStrictEqual(found, []);
		});
	}),
	promised("what is read while a barrier is under way lacks nothing and has nothing twice", readsDuringBarriers),
	promised("what is read while more is appended has no gap, and nothing twice", readsDuringAppends),
	promised("two readers at once, and one that stops early, are in nobody's way", async (ledger) => {
		ledger.append(OF_TWO_RUNS);
		await ledger.barrier();
		const [one, other] = [ledger.entries()[Symbol.asyncIterator](), ledger.entries()[Symbol.asyncIterator]()];
		for (const _ of [0, 1, 2]) deepStrictEqual(await one.next(), await other.next());
		for await (const _ of ledger.records()) break;
		ledger.append([draftOf(5)]);
		await ledger.barrier();
		await holdsExactly(ledger, [...OF_TWO_RUNS, draftOf(5)]);
	}),
	promised("values that it keeps are there by the SHA-256 of their bytes, and no others", async (ledger) => {
		if (await keepsValues(ledger)) await hasValues(ledger);
	}),
];

async function readsDuringBarriers(ledger: Ledger): Promise<void> {
	const shapes = upTo(6).map((index) => [index, index]);
	for (const index of upTo(6)) {
		ledger.append([draftOf(index), intentOf(index)]);
		const barrier = ledger.barrier();
		const early = shapesOf(ledger);
		await turn();
		for (const seen of [await early, await shapesOf(ledger)]) deepStrictEqual(seen, shapes.slice(0, index + 1));
		await barrier;
	}
}

async function readsDuringAppends(ledger: Ledger): Promise<void> {
	ledger.append(upTo(3).map((index) => draftOf(index)));
	await ledger.barrier();
	const seen: unknown[] = [];
	let index = 3;
	for await (const { seq, data } of ledger.entries()) {
		seen.push([seq, data.index]);
		// Bounded, because those that are appended meanwhile may come too.
		if (index >= 9) continue;
		ledger.append([draftOf(index), draftOf(index + 1)]);
		if (index % 4 === 1) await ledger.barrier();
		index += 2;
	}
	ok(seen.length >= 3, `${seen.length} entries were read of the 3 that had been appended before`);
	deepStrictEqual(
		seen,
		upTo(seen.length).map((number) => [number, number]),
	);
}
