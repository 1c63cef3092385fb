// Barrier faults
//
// Ledgers whose barriers do not what they say. Each would pass if nobody looked at the store before it is closed.
//
// Owns:      those ledgers.
// Does not:  say which promise a fault breaks (ledger-faults.test.ts).

import { type Draft, type Faults, isIntent, later, PlainLedger } from "./plain-ledger.js";

export const BARRIER_FAULTS: Faults = {
	"has barriers that do nothing, and writes on close": class extends PlainLedger {
		override async barrier(): Promise<void> {
			this.demandOpen();
		}
	},
	"resolves a barrier before it has written": class extends PlainLedger {
		override async barrier(): Promise<void> {
			this.demandOpen();
			void later().then(() => this.flush());
		}
	},
	"makes the first barrier durable alone": class extends PlainLedger {
		#barriers = 0;
		override async barrier(): Promise<void> {
			this.demandOpen();
			this.#barriers += 1;
			if (this.#barriers === 1) this.flush();
		}
	},
	"makes entries durable at a barrier, and intents on close": class extends PlainLedger {
		override async barrier(): Promise<void> {
			this.demandOpen();
			const intents = this.held.filter(isIntent);
			this.held = this.held.filter((record) => !isIntent(record));
			this.flush();
			this.held = intents;
		}
	},
	"makes nothing durable where intents alone are held": class extends PlainLedger {
		override async barrier(): Promise<void> {
			this.demandOpen();
			if (!this.held.every(isIntent)) this.flush();
		}
	},
	"makes all but the last record durable": class extends PlainLedger {
		override async barrier(): Promise<void> {
			this.demandOpen();
			const last = this.held.splice(-1);
			this.flush();
			this.held = last;
		}
	},
	"makes one run durable a barrier": class extends PlainLedger {
		override async barrier(): Promise<void> {
			this.demandOpen();
			const [first] = this.held;
			const others = this.held.filter(({ runId }) => runId !== first?.runId);
			this.held = this.held.filter(({ runId }) => runId === first?.runId);
			this.flush();
			this.held = others;
		}
	},
	"gives whoever asks while a barrier is under way that very barrier": class extends PlainLedger {
		#running: Promise<void> | undefined;
		override barrier(): Promise<void> {
			if (this.closed) return super.barrier();
			this.#running ??= this.#write().finally(() => {
				this.#running = undefined;
			});
			return this.#running;
		}
		async #write(): Promise<void> {
			const count = this.held.length;
			await later();
			const rest = this.held.splice(count);
			this.flush();
			this.held = rest;
		}
	},
	"loses what is appended while a barrier is under way": class extends PlainLedger {
		override async barrier(): Promise<void> {
			this.demandOpen();
			const batch = this.held;
			await later();
			this.held = batch;
			this.flush();
		}
	},
	"does not show what is being written": class extends PlainLedger {
		override async barrier(): Promise<void> {
			this.demandOpen();
			const batch = this.held;
			this.held = [];
			await later();
			this.store.lines.push(...batch.map((record) => this.encode(record)));
		}
	},
	"shows what is being written twice": class extends PlainLedger {
		override async barrier(): Promise<void> {
			this.demandOpen();
			const batch = [...this.held];
			this.store.lines.push(...batch.map((record) => this.encode(record)));
			await later();
			this.held = this.held.slice(batch.length);
		}
	},
	"writes again what it has written": class extends PlainLedger {
		readonly #ever: Draft[] = [];
		override flush(): void {
			this.#ever.push(...this.held);
			this.store.lines.push(...(this.held.length === 0 ? [] : this.#ever).map((record) => this.encode(record)));
			this.held = [];
		}
	},
	"keeps values durable on close alone": class extends PlainLedger {
		readonly #kept = new Map<string, Uint8Array>();
		override keepValue(name: string, bytes: Uint8Array): void {
			this.#kept.set(name, bytes);
		}
		override loadValue(name: string, length: number): { bytes: Uint8Array } | { problem: string } {
			const bytes = this.#kept.get(name);
			return bytes?.length === length ? { bytes } : super.loadValue(name, length);
		}
		override async close(): Promise<void> {
			for (const [name, bytes] of this.#kept) this.store.values.set(name, bytes);
			return super.close();
		}
	},
};
