// Ledger spy
//
// A ledger that writes down the order of appends and barriers, beside whatever else a test notes, and whose barriers
// wait to be released when a test asks for it.
//
// Owns:      that record.
// Does not:  store entries (the ledger behind it does).

import type { Ledger } from "../../engine/index.js";
import type { Entry, EntryDraft, Intent } from "../../engine/ledger/entry.js";
import type { Hold } from "./held-work.js";

export class LedgerSpy implements Ledger {
	readonly log: string[] = [];
	readonly #behind: Ledger;
	readonly #hold: Hold | undefined;
	#barriers = 0;

	constructor(behind: Ledger, hold?: Hold) {
		this.#behind = behind;
		this.#hold = hold;
	}

	/** How many barriers were asked for. */
	get barriers(): number {
		return this.#barriers;
	}

	append(records: readonly (EntryDraft | Intent)[]): void {
		for (const { kind, data } of records)
			this.log.push(data.index === undefined ? kind : `${kind} ${String(data.index)}`);
		this.#behind.append(records);
	}

	async barrier(): Promise<void> {
		this.#barriers += 1;
		const label = `barrier ${this.#barriers}`;
		await this.#hold?.(label);
		await this.#behind.barrier();
		this.log.push(label);
	}

	entries(): AsyncIterable<Entry> {
		return this.#behind.entries();
	}

	intents(): AsyncIterable<Intent> {
		return this.#behind.intents();
	}

	records(): AsyncIterable<Entry | Intent> {
		return this.#behind.records();
	}

	close(): Promise<void> {
		return this.#behind.close();
	}
}
