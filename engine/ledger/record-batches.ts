// Record batches
//
// From a store's records, some at a time, to entries and intents one at a time. Handing on whole batches up to here and
// taking them apart in one place is what makes reading fast: each further generator that every record passes costs as
// much as parsing it.
//
// Owns:      that step, and letting go of the store whatever way it ends.
// Does not:  know a store.

import type { Entry, Intent } from "./entry.js";
import { damagedError, isSystemError } from "./ledger-error.js";
import type { LedgerStore, StoreReader } from "./ledger-store.js";
import type { ReadRecord } from "./record-text.js";

export type RecordBatches = AsyncIterable<readonly ReadRecord[]>;

/** Every record of a store, without its lock. Throws at damage, after the records before it. */
export async function* recordsOf(
	store: Pick<LedgerStore, "path" | "read">,
	whenMissing: "missing is empty" | "missing throws",
): AsyncGenerator<readonly ReadRecord[], void> {
	let reader: StoreReader;
	try {
		reader = await store.read();
	} catch (error) {
		if (whenMissing === "missing is empty" && isSystemError((error as Error).cause, "ENOENT")) return;
		throw error;
	}
	try {
		yield* reader.batches();
		if (reader.problem !== undefined) throw damagedError(store.path, reader.problem);
	} finally {
		await reader.close();
	}
}

/** Records that come singly, for whoever takes some at a time. */
export async function* oneByOne(records: AsyncIterable<ReadRecord>): AsyncGenerator<readonly ReadRecord[], void> {
	for await (const record of records) yield [record];
}

export async function* eachOf(batches: RecordBatches): AsyncGenerator<ReadRecord, void> {
	for await (const batch of batches) yield* batch;
}

export async function* entriesOf(batches: RecordBatches): AsyncGenerator<Entry, void> {
	for await (const batch of batches) {
		for (const record of batch) if (record.kind !== "intent") yield record;
	}
}

export async function* intentsOf(batches: RecordBatches): AsyncGenerator<Intent, void> {
	for await (const batch of batches) {
		for (const record of batch) if (record.kind === "intent") yield record;
	}
}
