// Plain ledger
//
// A ledger on a store in memory that outlives it, small enough to be seen right at a glance: what the contract finds nothing
// against, and what is wrong in one thing each in the files beside this one. Its barriers are done within the call, so that
// what is seen of a fault is the same every time.
//
// Owns:      the ledger, its store, and how the contract is told of both.
// Does not:  hold a fault (barrier-faults.ts, reopening-faults.ts, reading-faults.ts).

import { createHash } from "node:crypto";
import {
	EngineError,
	type Entry,
	type EntryDraft,
	type Intent,
	type Ledger,
	systemClock,
	type ValueStore,
} from "../../engine/index.js";
import type { LedgerUnderTest, MadeLedger } from "../../engine/testing/index.js";

export type Draft = EntryDraft | Intent;

export class Store {
	/** What a crash leaves. */
	lines: string[] = [];
	readonly values = new Map<string, Uint8Array>();
}

export class PlainLedger implements Ledger {
	readonly store: Store;
	held: Draft[] = [];
	closed = false;

	constructor(store: Store) {
		this.store = store;
	}

	append(records: readonly Draft[]): void {
		this.demandOpen();
		this.held.push(...records.map((record) => JSON.parse(JSON.stringify(record)) as Draft));
	}

	async barrier(): Promise<void> {
		this.demandOpen();
		this.flush();
	}

	entries(): AsyncIterable<Entry> {
		return each(() => this.all().filter((record): record is Entry => record.kind !== "intent"));
	}

	intents(): AsyncIterable<Intent> {
		return each(() => this.all().filter((record): record is Intent => record.kind === "intent"));
	}

	records(_runId?: string): AsyncIterable<Entry | Intent> {
		return each(() => this.all());
	}

	async close(): Promise<void> {
		if (this.closed) return;
		this.flush();
		this.closed = true;
	}

	readonly values?: ValueStore = {
		keep: async (values) =>
			values.map((bytes) => {
				const name = createHash("sha256").update(bytes).digest("hex");
				this.keepValue(name, bytes);
				return name;
			}),
		load: async (name, length) => this.loadValue(name, length),
	};

	keepValue(name: string, bytes: Uint8Array): void {
		this.store.values.set(name, bytes);
	}

	loadValue(name: string, length: number): { bytes: Uint8Array } | { problem: string } {
		const bytes = this.store.values.get(name);
		return bytes?.length === length ? { bytes } : { problem: "It is missing." };
	}

	demandOpen(): void {
		if (this.closed) throw failed("it is closed");
	}

	flush(): void {
		this.store.lines.push(...this.held.map((record) => this.encode(record)));
		this.held = [];
	}

	encode(record: Draft): string {
		return JSON.stringify(record);
	}

	decode(line: string): Draft {
		return JSON.parse(line) as Draft;
	}

	kept(): Draft[] {
		return this.store.lines.map((line) => this.decode(line));
	}

	all(): (Entry | Intent)[] {
		let seq = 0;
		return [...this.kept(), ...this.held].map((record) =>
			record.kind === "intent" ? record : { seq: seq++, ...record },
		);
	}
}

export function failed(problem: string): EngineError {
	return new EngineError("LEDGER_FAILED", { action: "use the ledger", problem });
}

export function each<Item>(items: () => readonly Item[]): AsyncIterable<Item> {
	return {
		async *[Symbol.asyncIterator]() {
			yield* items();
		},
	};
}

interface MadePlain extends MadeLedger {
	readonly store: Store;
}

/** Crashes show the store as it is; it is opened again by the same, perhaps faulty, code. */
export function storedUnder(Kind: new (store: Store) => PlainLedger): LedgerUnderTest<MadePlain> {
	return {
		make: () => {
			const store = new Store();
			return { store, ledger: new Kind(store) };
		},
		reopen: ({ store }) => new Kind(store),
	};
}

export type Kind = new (store: Store) => PlainLedger;

/** A ledger that is wrong in one thing, and a part of the name of a promise that it breaks. */
export type Faults = Readonly<Record<string, Kind>>;

export const later = (): Promise<void> => systemClock.nextTurn();
export const isIntent = ({ kind }: Draft): boolean => kind === "intent";
