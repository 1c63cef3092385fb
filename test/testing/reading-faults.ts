// Reading faults
//
// Ledgers that are wrong in what they give out while they are open.
//
// Owns:      those ledgers.
// Does not:  say which promise a fault breaks (ledger-faults.test.ts).

import type { Entry, Intent } from "../../engine/index.js";
import { type Draft, each, type Faults, failed, PlainLedger } from "./plain-ledger.js";

export const READING_FAULTS: Faults = {
	"numbers the drafts it is given": class extends PlainLedger {
		override append(records: readonly Draft[]): void {
			super.append(records);
			for (const [seq, record] of records.entries()) Object.assign(record, { seq });
		}
	},
	"has no entries of one kind": class extends PlainLedger {
		override append(records: readonly Draft[]): void {
			super.append(records.filter(({ kind }) => kind !== "answer_received"));
		}
	},
	"keeps whole milliseconds": class extends PlainLedger {
		override append(records: readonly Draft[]): void {
			super.append(records.map((record) => ({ ...record, at: Math.trunc(record.at) })));
		}
	},
	"has other times by run": class extends PlainLedger {
		override records(runId?: string): AsyncIterable<Entry | Intent> {
			return each(() => this.all().map((one) => (runId === undefined ? one : { ...one, at: 0 })));
		}
	},
	"numbers by another rule in records()": class extends PlainLedger {
		override records(): AsyncIterable<Entry | Intent> {
			return each(() => this.all().map((one, seq) => (one.kind === "intent" ? one : { ...one, seq })));
		}
	},
	"finds runs by an object's fields": class extends PlainLedger {
		override records(runId?: string): AsyncIterable<Entry | Intent> {
			const runs: Record<string, (Entry | Intent)[]> = {};
			for (const one of this.all())
				runs[one.runId] = [...(Array.isArray(runs[one.runId]) ? (runs[one.runId] ?? []) : []), one];
			return each(() => (runId === undefined ? this.all() : Object.hasOwn(runs, runId) ? (runs[runId] ?? []) : []));
		}
	},
	"throws for a run that it does not hold": class extends PlainLedger {
		override records(runId?: string): AsyncIterable<Entry | Intent> {
			if (runId === undefined || this.all().some((one) => one.runId === runId)) return super.records();
			return each(() => {
				throw failed("there is no such run");
			});
		}
	},
	"gives other records in place of those of the run": class extends PlainLedger {
		override records(runId?: string): AsyncIterable<Entry | Intent> {
			return each(() => this.all().filter((one) => runId === undefined || one.runId !== runId));
		}
	},
	"reads by one place for all readers": class extends PlainLedger {
		#place = 0;
		override entries(): AsyncIterable<Entry> {
			const next = (entries: readonly Entry[]): IteratorResult<Entry, undefined> => {
				const value = entries[this.#place];
				this.#place = value === undefined ? 0 : this.#place + 1;
				return value === undefined ? { done: true, value } : { done: false, value };
			};
			const all = (): Entry[] => this.all().filter((one): one is Entry => one.kind !== "intent");
			return {
				[Symbol.asyncIterator]: () => {
					const entries = all();
					return { next: async () => next(entries) };
				},
			};
		}
	},
	"takes nothing more while a reader has not come to its end": class extends PlainLedger {
		#readers = 0;
		override records(): AsyncIterable<Entry | Intent> {
			const open = (by: number): void => {
				this.#readers += by;
			};
			const all = () => this.all();
			return {
				async *[Symbol.asyncIterator]() {
					open(1);
					yield* all();
					open(-1);
				},
			};
		}
		override flush(): void {
			if (this.#readers === 0) super.flush();
			else throw failed("the store is busy");
		}
	},
	"loses what is made durable while it is read": class extends PlainLedger {
		override entries(): AsyncIterable<Entry> {
			const [kept, held] = [() => this.kept(), () => this.held];
			return {
				async *[Symbol.asyncIterator]() {
					let seq = 0;
					for (const part of [kept, held])
						for (const one of part()) if (one.kind !== "intent") yield { seq: seq++, ...one };
				},
			};
		}
	},
};
