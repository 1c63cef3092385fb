// Stored ledger
//
// History that lives on. Appending turns records into text and holds them; a barrier hands all that is held to the store
// at once. Nothing is opened before the first append, so that a ledger that is only read locks nothing and creates
// nothing; then the store's lock is taken at once, and the rest (finding the end of what is there) goes on behind the
// first barrier.
//
// Owns:      the phases of an open ledger, who shares which barrier, what is held.
// Does not:  know what the records are kept in (ledger-store.ts).
//
// Invariants:
//   F1. A record is in exactly one place: held, being written, or in the store before the writer's end; in that order of
//       age, so the three read one after another are the history.
//   F2. After the first failure no record is taken and no barrier resolves.
//   F3. No barrier resolves for records that the store's path does not lead to.

import type { EngineError } from "../core/errors.js";
import { invariant } from "../core/invariant.js";
import { LEDGER_HELD_CHARS_MAX } from "../core/ledger-limits.js";
import type { Entry, EntryDraft, Intent } from "./entry.js";
import type { Ledger, ValueStore } from "./ledger.js";
import { closedError, damagedError, failedError, isSystemError, unopenedError } from "./ledger-error.js";
import type { LedgerStore, StoreClaim, StoreReader, StoreWriter } from "./ledger-store.js";
import { eachOf, entriesOf, intentsOf, recordsOf } from "./record-batches.js";
import { type HeldRecord, holdRecord, type ReadRecord, readHeld } from "./record-text.js";

const nothing = (): void => undefined;

type Phase =
	| { readonly kind: "unopened" }
	| { readonly kind: "open"; readonly claim: StoreClaim }
	| { readonly kind: "failed"; readonly claim: StoreClaim; readonly error: EngineError }
	| { readonly kind: "closing"; readonly closed: Promise<void> };

export class StoredLedger implements Ledger {
	readonly #store: LedgerStore;
	#phase: Phase = { kind: "unopened" };
	#held: HeldRecord[] = [];
	#heldChars = 0;
	#writing: readonly HeldRecord[] = [];
	/** The barrier that has not begun, which everyone who asks now shares. */
	#next: Promise<void> | undefined;
	/** The barrier asked for last; it settles after every one before it. */
	#last: Promise<void> = Promise.resolve();

	constructor(store: LedgerStore) {
		this.#store = store;
	}

	append(records: readonly (EntryDraft | Intent)[]): void {
		const phase = this.#phase;
		if (phase.kind === "failed") throw phase.error;
		if (phase.kind === "closing") throw closedError(`append to the ledger ${this.#store.path}`);
		if (phase.kind === "unopened") this.#phase = { kind: "open", claim: this.#claim() };
		for (const record of records) {
			const held = holdRecord(record);
			this.#held.push(held);
			this.#heldChars += held.fields.length + held.large.reduce((sum, { bytes }) => sum + bytes.length, 0);
		}
		// A run that only reads may go on for long without a barrier. A failure is told by the next append or barrier.
		if (this.#heldChars > LEDGER_HELD_CHARS_MAX) this.barrier().catch(() => undefined);
	}

	barrier(): Promise<void> {
		const phase = this.#phase;
		if (phase.kind === "unopened") return Promise.resolve();
		if (phase.kind === "failed") return Promise.reject(phase.error);
		if (phase.kind === "closing") return Promise.reject(closedError(`make the ledger ${this.#store.path} durable`));
		return this.#commitNext(phase.claim);
	}

	entries(): AsyncIterable<Entry> {
		return { [Symbol.asyncIterator]: () => entriesOf(this.#records()) };
	}

	intents(): AsyncIterable<Intent> {
		return { [Symbol.asyncIterator]: () => intentsOf(this.#records()) };
	}

	records(runId?: string): AsyncIterable<ReadRecord> {
		return { [Symbol.asyncIterator]: () => eachOf(this.#records(runId)) };
	}

	close(): Promise<void> {
		const phase = this.#phase;
		if (phase.kind === "closing") return phase.closed;
		const closed = phase.kind === "unopened" ? Promise.resolve() : this.#letGo(phase.claim, this.barrier());
		this.#phase = { kind: "closing", closed };
		return closed;
	}

	readonly values: ValueStore = {
		keep: (values) => this.#keep(values),
		load: (sha256, bytes) => this.#load(sha256, bytes),
	};

	async #load(sha256: string, bytes: number): ReturnType<ValueStore["load"]> {
		try {
			return await this.#store.blobs().load({ path: [], as: "json", sha256, bytes });
		} catch (error) {
			const { path } = this.#store;
			if (!isSystemError(error, "ENOENT")) throw failedError(`read a value beside the ledger ${path}`, error);
			return { problem: `the ledger ${path} is missing, and the value ${sha256} beside it` };
		}
	}

	/** In line with the barriers, because the folder has one writer at a time. A failure is told to who asked alone. */
	async #keep(values: readonly Uint8Array[]): Promise<readonly string[]> {
		const phase = this.#phase;
		const action = `keep values beside the ledger ${this.#store.path}`;
		if (phase.kind === "failed") throw phase.error;
		if (phase.kind === "closing") throw closedError(action);
		if (phase.kind === "unopened") this.#phase = { kind: "open", claim: this.#claim() };
		const before = this.#last;
		const keeping = before.then(async () => {
			const blobs = this.#store.blobs();
			const large = values.map((bytes) => ({ path: [], as: "json" as const, bytes: Buffer.from(bytes) }));
			const refs = await blobs.keep(large);
			await blobs.syncNames();
			return refs.map(({ sha256 }) => sha256);
		});
		this.#last = keeping.then(nothing, nothing).then(() => before);
		// Whoever asks for the next barrier hears of a ledger that failed before; nobody else waits for this.
		this.#last.catch(nothing);
		try {
			return await keeping;
		} catch (error) {
			throw failedError(action, error);
		}
	}

	#claim(): StoreClaim {
		try {
			const claim = this.#store.claim();
			// Whoever asks for a barrier awaits it; a failure before anyone does is theirs to see then.
			claim.writer.catch(() => undefined);
			return claim;
		} catch (error) {
			throw unopenedError(this.#store.path, error);
		}
	}

	// L3: whoever asks before the next barrier begins is given that one. L2: behind one that failed, `then` fails as well.
	#commitNext(claim: StoreClaim): Promise<void> {
		this.#next ??= this.#last = this.#last.then(() => this.#commit(claim));
		return this.#next;
	}

	async #commit(claim: StoreClaim): Promise<void> {
		try {
			const writer = await claim.writer;
			// Until here everyone who asked shares this barrier: what they appended is still held.
			this.#next = undefined;
			if (this.#held.length === 0) return;
			invariant(this.#writing.length === 0, "F1", "two batches were being written at once");
			this.#writing = this.#held;
			this.#held = [];
			this.#heldChars = 0;
			await writer.write(this.#writing);
			// F3: only now, because it may have gone while it was written.
			claim.file.demandInPlace();
			this.#writing = [];
		} catch (cause) {
			const error = failedError(`make the ledger ${this.#store.path} durable`, cause);
			// F2: the phase turns before anyone who waits is told.
			this.#held = [];
			if (this.#phase.kind === "open") this.#phase = { kind: "failed", claim, error };
			throw error;
		}
	}

	async #letGo({ lock, writer, file }: StoreClaim, lastBarrier: Promise<void>): Promise<void> {
		try {
			await lastBarrier;
		} finally {
			const opened = await writer.catch(() => undefined);
			try {
				await opened?.close();
			} finally {
				file.close();
				await lock.release();
			}
		}
	}

	async *#records(runId?: string): AsyncGenerator<readonly ReadRecord[], void> {
		const phase = this.#phase;
		const read = () => this.#store.read(runId === undefined ? undefined : { runId });
		if (phase.kind === "closing") await phase.closed.catch(() => undefined);
		if (phase.kind === "open" || phase.kind === "failed") yield* this.#recordsWhileOpen(await phase.claim.writer, read);
		else yield* recordsOf({ path: this.#store.path, read }, "missing is empty");
	}

	async *#recordsWhileOpen(
		writer: StoreWriter,
		read: () => Promise<StoreReader>,
	): AsyncGenerator<readonly ReadRecord[], void> {
		const reader = await read();
		let rest: readonly ReadRecord[];
		try {
			while (reader.offset < writer.end.offset) {
				const before = reader.offset;
				yield* reader.batches(writer.end.offset);
				if (reader.problem !== undefined) throw damagedError(this.#store.path, reader.problem);
				invariant(reader.offset > before, "F1", `the store ends at ${before}, before the writer's end`);
			}
			if (this.#phase.kind === "failed") throw this.#phase.error;
			// F1: with no wait since the reader was at the writer's end; one more and a batch could pass by unread.
			rest = numbered([...this.#writing, ...this.#held], writer.end.seq);
		} finally {
			await reader.close();
		}
		yield rest;
	}
}

function numbered(records: readonly HeldRecord[], firstSeq: number): ReadRecord[] {
	let seq = firstSeq;
	return records.map((held) => readHeld(held, held.kind === "entry" ? seq++ : seq));
}
