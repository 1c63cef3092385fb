// Memory ledger
//
// History for as long as the process lives: for tests, for runs nobody resumes, and as the plain reference for the file.
// Two records a call pass through here on the engine's hot path, so an append is a push and nothing else: numbers are
// derived when entries are read, and nothing is copied. Copying was left out because what reaches a ledger is the
// engine's own copy of the host's data already.
//
// Owns:      the records, in order.
// Does not:  survive the process; its barrier makes nothing durable.

import type { Entry, EntryDraft, Intent } from "./entry.js";
import type { Ledger } from "./ledger.js";
import { closedError } from "./ledger-error.js";

class MemoryLedger implements Ledger {
	readonly #records: (EntryDraft | Intent)[] = [];
	#closed = false;

	append(records: readonly (EntryDraft | Intent)[]): void {
		if (this.#closed) throw closedError("append to the ledger");
		for (const record of records) this.#records.push(record);
	}

	barrier(): Promise<void> {
		return this.#closed ? Promise.reject(closedError("make the ledger durable")) : Promise.resolve();
	}

	entries(): AsyncIterable<Entry> {
		return { [Symbol.asyncIterator]: () => entriesOf(this.#records) };
	}

	intents(): AsyncIterable<Intent> {
		return { [Symbol.asyncIterator]: () => intentsOf(this.#records) };
	}

	records(): AsyncIterable<Entry | Intent> {
		return { [Symbol.asyncIterator]: () => numbered(this.#records) };
	}

	close(): Promise<void> {
		this.#closed = true;
		return Promise.resolve();
	}
}

/**
 * Makes a ledger that lives as long as the process.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export function memoryLedger(): Ledger {
	return new MemoryLedger();
}

async function* numbered(records: readonly (EntryDraft | Intent)[]): AsyncGenerator<Entry | Intent, void> {
	// L1: a place in the list of entries is its number.
	let seq = 0;
	for (const record of records) {
		if (record.kind === "intent") {
			yield record;
		} else {
			yield { seq, ...record };
			seq += 1;
		}
	}
}

async function* entriesOf(records: readonly (EntryDraft | Intent)[]): AsyncGenerator<Entry, void> {
	for await (const record of numbered(records)) if (record.kind !== "intent") yield record;
}

async function* intentsOf(records: readonly (EntryDraft | Intent)[]): AsyncGenerator<Intent, void> {
	for (const record of records) {
		if (record.kind === "intent") yield record;
	}
}
