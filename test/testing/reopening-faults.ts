// Reopening faults
//
// Ledgers that lose, alter or add something where they are closed or opened again.
//
// Owns:      those ledgers.
// Does not:  say which promise a fault breaks (ledger-faults.test.ts).

import type { Entry, Intent } from "../../engine/index.js";
import { type Draft, each, type Faults, isIntent, type Kind, later, PlainLedger, type Store } from "./plain-ledger.js";

/** Changes what is kept when the ledger is closed, once. */
function onClose(change: (lines: readonly string[]) => string[]): Kind {
	return class extends PlainLedger {
		override async close(): Promise<void> {
			if (this.closed) return;
			await super.close();
			this.store.lines = change(this.store.lines);
		}
	};
}

/** Changes what is kept when the store is opened again. */
function onOpen(change: (kept: readonly Draft[]) => readonly Draft[]): Kind {
	return class extends PlainLedger {
		constructor(store: Store) {
			super(store);
			const kept = store.lines.map((line) => JSON.parse(line) as Draft);
			store.lines = change(kept).map((record) => JSON.stringify(record));
		}
	};
}

const withData = (record: Draft, data: (data: Draft["data"]) => unknown): Draft =>
	({ ...record, data: data(record.data) }) as Draft;

export const REOPENING_FAULTS: Faults = {
	"loses intents where it is closed": onClose((lines) => lines.filter((line) => !line.includes('"intent"'))),
	"loses the other runs where it is closed": onClose((lines) => {
		const runs = lines.map((line) => (JSON.parse(line) as Draft).runId);
		return lines.filter((_, place) => runs[place] === runs[0]);
	}),
	"drops what it holds where it is closed": class extends PlainLedger {
		override async close(): Promise<void> {
			this.closed = true;
		}
	},
	"writes twice where it is closed twice": class extends PlainLedger {
		readonly #last: string[] = [];
		override flush(): void {
			this.#last.push(...this.held.map((record) => this.encode(record)));
			super.flush();
		}
		override async close(): Promise<void> {
			if (this.closed) this.store.lines.push(...this.#last);
			await super.close();
		}
	},
	"takes records while it closes, and drops them": class extends PlainLedger {
		override async close(): Promise<void> {
			if (this.closed) return;
			this.flush();
			await later();
			this.closed = true;
		}
	},
	"begins anew at the first append": class extends PlainLedger {
		#isNew = true;
		override append(records: readonly Draft[]): void {
			if (this.#isNew) this.store.lines = [];
			this.#isNew = false;
			super.append(records);
		}
	},
	"knows what it wrote itself alone": class extends PlainLedger {
		readonly #from = this.store.lines.length;
		#hasAppended = false;
		override append(records: readonly Draft[]): void {
			this.#hasAppended = true;
			super.append(records);
		}
		override kept(): Draft[] {
			return super.kept().slice(this.#hasAppended ? this.#from : 0);
		}
	},
	"numbers from 0 again": class extends PlainLedger {
		readonly #from = this.store.lines.length;
		override all(): (Entry | Intent)[] {
			let seq = 0;
			return [...this.kept(), ...this.held].map((record, place) => {
				if (place === this.#from) seq = 0;
				return record.kind === "intent" ? record : { seq: seq++, ...record };
			});
		}
	},
	"forgets intents where it is opened again": onOpen((kept) => kept.filter((record) => !isIntent(record))),
	"forgets the entries of pauses": onOpen((kept) => kept.filter(({ kind }) => kind !== "run_paused")),
	"forgets the last record": onOpen((kept) => kept.slice(0, -1)),
	"forgets the first record": onOpen((kept) => kept.slice(1)),
	"gives the last record twice": onOpen((kept) => [...kept, ...kept.slice(-1)]),
	"gives intents behind all entries": onOpen((kept) => [
		...kept.filter((record) => !isIntent(record)),
		...kept.filter(isIntent),
	]),
	"turns the order": onOpen((kept) => [...kept].reverse()),
	"sorts by time": onOpen((kept) => [...kept].sort((one, other) => one.at - other.at || Number(isIntent(one)) - 1)),
	"forgets when it was": onOpen((kept) => kept.map((record) => ({ ...record, at: 0 }))),
	"keeps times in 32 bits": onOpen((kept) => kept.map((one) => ({ ...one, at: one.at | 0 }))),
	"rounds when it was to seconds": onOpen((kept) => kept.map((one) => ({ ...one, at: one.at - (one.at % 1_000) }))),
	"folds the case of run ids": onOpen((kept) => kept.map((one) => ({ ...one, runId: one.runId.toLowerCase() }))),
	"trims run ids": onOpen((kept) => kept.map((one) => ({ ...one, runId: one.runId.trim() }))),
	"composes run ids": onOpen((kept) => kept.map((one) => ({ ...one, runId: one.runId.normalize() }))),
	"takes entries for another kind": onOpen((kept) =>
		kept.map((one) => (one.kind === "steer_received" ? { ...one, kind: "cancel_received" as const } : one)),
	),
	"sorts the names of data": onOpen((kept) =>
		kept.map((one) => withData(one, (data) => Object.fromEntries(Object.entries(data).sort()))),
	),
	"reads binary as something else": onOpen((kept) =>
		kept.map((one) => withData(one, ({ bytes, ...data }) => (bytes === undefined ? data : { ...data, bytes: "" }))),
	),
	"cuts large data": onOpen((kept) =>
		kept.map((one) => withData(one, (data) => (JSON.stringify(data).length > 65_536 ? {} : data))),
	),
	"writes broken halves of characters as others": onOpen((kept) =>
		kept.map((one) => JSON.parse(JSON.stringify(one).replaceAll("\\ud800", "?")) as Draft),
	),
	"reads a thousand records": onOpen((kept) => kept.slice(0, 1_000)),
	"finds no run by its id in what it had before": class extends PlainLedger {
		readonly #from = this.store.lines.length;
		override records(runId?: string): AsyncIterable<Entry | Intent> {
			return each(() => (runId === undefined ? this.all() : this.all().slice(this.#from)));
		}
	},
	"forgets values": class extends PlainLedger {
		constructor(store: Store) {
			super(store);
			store.values.clear();
		}
	},
	"writes when it was only read": class extends PlainLedger {
		#hasAppended = this.store.lines.length === 0;
		override append(records: readonly Draft[]): void {
			this.#hasAppended = true;
			super.append(records);
		}
		override async close(): Promise<void> {
			if (!this.closed && !this.#hasAppended) this.store.lines.push(...this.store.lines.slice(-1));
			await super.close();
		}
	},
};
