// Ledger
//
// The port that history is written through. Appending only holds entries, in the order given; a barrier makes all that
// is held durable with one write and one sync. Who acts on the world awaits a barrier first.
//
// Owns:      the port.
// Does not:  say what is written when (accounting/account.ts, wave/wave.ts).
//
// Promises that every adapter keeps:
//   L1. Entries read back in the order they were appended, numbered from 0 without a gap; where each run is kept by itself,
//       the runs one after another and each numbered by itself.
//   L2. When a barrier resolves, everything appended before it was called is durable; one that fails rejects with
//       LEDGER_FAILED, and so does every append and barrier after it.
//   L3. Barriers asked for while one is under way share the next one.

import type { JsonValue } from "../core/json-value.js";
import type { Entry, EntryDraft, Intent } from "./entry.js";

/**
 * Where history is kept. `memoryLedger()`, `fileLedger(path)` and `sqliteLedger(path)` make one.
 *
 * One of a host's own throws its failures as `new EngineError("LEDGER_FAILED", { action, problem })`, and `ledgerContract` of
 * `wavetrain/testing` says whether it keeps what is promised here.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface Ledger {
	/** Holds records in order. Throws `LEDGER_FAILED` once a barrier has failed or the ledger was closed. */
	append(records: readonly (EntryDraft | Intent)[]): void;
	/** Makes everything held durable; resolves once it is. Rejects with `LEDGER_FAILED` when it cannot. */
	barrier(): Promise<void>;
	/**
	 * The entries in order, those only held included; intents are left out. What is returned can be iterated again, each time
	 * from the first: an object that makes a generator, not a generator.
	 */
	entries(): AsyncIterable<Entry>;
	/** The intents of every run, in order. One without an outcome may stand for a change that nobody knows of. */
	intents(): AsyncIterable<Intent>;
	/**
	 * Both in the order they were appended: what was intended before a line is told from what was intended after it.
	 * With a run's id those of other runs may be left out, and what is wrong with them alone.
	 */
	records(runId?: string): AsyncIterable<Entry | Intent>;
	/** Makes what is held durable and lets go of the file. Idempotent. */
	close(): Promise<void>;
	/** Values kept beside the entries. Left out by a ledger that keeps none: a checkpoint then holds its values itself. */
	readonly values?: ValueStore;
}

/**
 * Where a ledger keeps values that are too large to stand in a line or in a checkpoint, by the SHA-256 of their bytes.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface ValueStore {
	/** Durable when it resolves; the hashes in the order of the values. */
	keep(values: readonly Uint8Array[]): Promise<readonly string[]>;
	/** The value of that hash and length, or what is wrong with it, as a sentence: it is missing, or is not what was written. */
	load(sha256: string, bytes: number): Promise<{ readonly bytes: Uint8Array } | { readonly problem: string }>;
	/**
	 * Whether a value of the run may be kept here; binary comes as it stands in an entry. Left out: any may. One that may not
	 * stays in the checkpoint.
	 */
	takes?(runId: string, value: JsonValue): boolean;
}
