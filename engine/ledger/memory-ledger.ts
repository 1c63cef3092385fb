// Memory ledger
//
// History for as long as the process lives: for tests, for runs nobody resumes, and as the plain reference for the file.
// Two records a call pass through here on the engine's hot path, so an append is a few pushes and nothing else: numbers
// are derived when entries are read, and data is not copied, because what reaches a ledger is the engine's own copy of the
// host's data already. A record is kept in a list a field and put together again when it is read: a long wave's records
// would otherwise outnumber everything else that the garbage collector has to move.
//
// Owns:      the records, in order.
// Does not:  survive the process; its barrier makes nothing durable.

import type { JsonObject } from "../core/json-value.js";
import type { Entry, EntryDraft, Intent } from "./entry.js";
import type { Ledger } from "./ledger.js";
import { closedError } from "./ledger-error.js";

class MemoryLedger implements Ledger {
	readonly #records = new Records();
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

/** The records as lists of their fields. */
class Records {
	readonly #kinds: (EntryDraft | Intent)["kind"][] = [];
	readonly #runIds: string[] = [];
	readonly #stamps: number[] = [];
	readonly #data: JsonObject[] = [];

	push({ kind, runId, at, data }: EntryDraft | Intent): void {
		this.#kinds.push(kind);
		this.#runIds.push(runId);
		this.#stamps.push(at);
		this.#data.push(data);
	}

	/** In order; those that are appended meanwhile come too. */
	*[Symbol.iterator](): Generator<EntryDraft | Intent, void> {
		for (const [place, data] of this.#data.entries()) {
			const [kind, runId, at] = [this.#kinds[place], this.#runIds[place], this.#stamps[place]];
			// The cast holds because the lists grow together.
			yield { kind, runId, at, data } as EntryDraft | Intent;
		}
	}
}

async function* numbered(records: Records): AsyncGenerator<Entry | Intent, void> {
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

async function* entriesOf(records: Records): AsyncGenerator<Entry, void> {
	for await (const record of numbered(records)) if (record.kind !== "intent") yield record;
}

async function* intentsOf(records: Records): AsyncGenerator<Intent, void> {
	for (const record of records) {
		if (record.kind === "intent") yield record;
	}
}
