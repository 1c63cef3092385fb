// Rotated ledger
//
// One ledger that writes each run to a file of its own. A host runs many, and no run says when it is over; so the files that
// were not written to for longest are closed when too many are open, and opened again when their run goes on.
//
// Owns:      which files are open, and which records wait for a file that is just being closed.
// Does not:  know where a run's file lies (run-folder.ts), or write it (stored-ledger.ts).
//
// Invariants:
//   RO1. Between two barriers no more files are open than RUN_FILES_OPEN_MAX and those written to since.
//   RO2. After the first failure no record is taken and no barrier resolves, whatever run it was in.

import { invariant } from "../core/invariant.js";
import { RUN_FILES_OPEN_MAX } from "../core/ledger-limits.js";
import type { Entry, EntryDraft, Intent } from "./entry.js";
import type { Ledger } from "./ledger.js";
import { closedError, isSystemError } from "./ledger-error.js";
import { runFile, runFiles, runFilesUnread } from "./run-folder.js";

/** What a folder of runs is made of. */
export interface RunFolderParts {
	readonly folder: string;
	/** Makes the ledger of one run; nothing is touched before its first append. */
	readonly ledgerAt: (path: string) => Ledger;
}

type Phase =
	| { readonly kind: "open" }
	| { readonly kind: "failed"; readonly error: unknown }
	| { readonly kind: "closing"; readonly closed: Promise<void> };

/** A run's file: written to, or being closed while what comes meanwhile waits. */
type RunFile =
	| { readonly kind: "open"; readonly ledger: Ledger }
	| { readonly kind: "closing"; readonly closed: Promise<void>; readonly waiting: (EntryDraft | Intent)[] };

export class RotatedLedger implements Ledger {
	readonly #parts: RunFolderParts;
	/** By path, in the order in which they were last written to. */
	readonly #files = new Map<string, RunFile>();
	#phase: Phase = { kind: "open" };

	constructor(parts: RunFolderParts) {
		this.#parts = parts;
	}

	append(records: readonly (EntryDraft | Intent)[]): void {
		const phase = this.#phase;
		if (phase.kind === "failed") throw phase.error;
		if (phase.kind === "closing") throw closedError(`append to the ledger ${this.#parts.folder}`);
		let from = 0;
		for (let to = 1; to <= records.length; to += 1) {
			const runId = records[from]?.runId;
			if (runId === undefined || records[to]?.runId === runId) continue;
			this.#appendTo(runFile(this.#parts.folder, runId), records.slice(from, to));
			from = to;
		}
	}

	#appendTo(path: string, records: readonly (EntryDraft | Intent)[]): void {
		const file = this.#files.get(path) ?? { kind: "open", ledger: this.#parts.ledgerAt(path) };
		if (file.kind === "open") file.ledger.append(records);
		else file.waiting.push(...records);
		this.#files.delete(path);
		this.#files.set(path, file);
	}

	async barrier(): Promise<void> {
		const phase = this.#phase;
		if (phase.kind === "failed") throw phase.error;
		if (phase.kind === "closing") throw closedError(`make the ledger ${this.#parts.folder} durable`);
		const ended = await Promise.allSettled([...this.#files.keys()].map((path) => this.#makeDurable(path)));
		for (const end of ended) if (end.status === "rejected") this.#fail(end.reason);
		if (this.#phase.kind === "open") this.#closeOldest();
	}

	async #makeDurable(path: string): Promise<void> {
		const file = this.#files.get(path);
		if (file?.kind !== "closing") return file?.ledger.barrier();
		await file.closed;
		// Another barrier may have been here meanwhile.
		if (this.#files.get(path) === file) this.#openAgain(path, file);
		const again = this.#files.get(path);
		return again?.kind === "open" ? again.ledger.barrier() : undefined;
	}

	#openAgain(path: string, { waiting }: RunFile & { readonly kind: "closing" }): void {
		this.#files.delete(path);
		if (waiting.length > 0) this.#appendTo(path, waiting);
	}

	/** RO2: the first failure is the one that is told from then on. */
	#fail(error: unknown): never {
		if (this.#phase.kind === "open") this.#phase = { kind: "failed", error };
		throw error;
	}

	/** RO1: a file that was written to since its barrier is closed by a later one; closing makes nothing durable late. */
	#closeOldest(): void {
		let over = this.#files.size - RUN_FILES_OPEN_MAX;
		for (const [path, file] of this.#files) {
			if (over <= 0) return;
			over -= 1;
			if (file.kind !== "open") continue;
			const waiting: (EntryDraft | Intent)[] = [];
			// A file that failed to close stays where it is, and fails the next barrier.
			const closing = { kind: "closing" as const, closed: file.ledger.close(), waiting };
			this.#files.set(path, closing);
			void closing.closed.then(
				() => waiting.length === 0 && this.#files.get(path) === closing && this.#files.delete(path),
				() => undefined,
			);
		}
	}

	entries(): AsyncIterable<Entry> {
		return { [Symbol.asyncIterator]: () => entriesOf(this.#records()) };
	}

	intents(): AsyncIterable<Intent> {
		return { [Symbol.asyncIterator]: () => intentsOf(this.#records()) };
	}

	records(runId?: string): AsyncIterable<Entry | Intent> {
		const read = () => (runId === undefined ? this.#records() : this.#recordsOf(runId));
		return { [Symbol.asyncIterator]: read };
	}

	/** Of its file alone: a run goes on though the file of another is damaged. */
	async *#recordsOf(runId: string): AsyncGenerator<Entry | Intent, void> {
		if (this.#phase.kind === "closing") await this.#phase.closed.catch(() => undefined);
		yield* this.#recordsIn(runFile(this.#parts.folder, runId), runId);
	}

	async *#recordsIn(path: string, runId?: string): AsyncGenerator<Entry | Intent, void> {
		if (this.#files.get(path)?.kind === "closing") await this.#makeDurable(path);
		yield* this.#ledgerOf(path).records(runId);
	}

	async *#records(): AsyncGenerator<Entry | Intent, void> {
		if (this.#phase.kind === "closing") await this.#phase.closed.catch(() => undefined);
		const paths = await this.#paths((folder) => runFiles(folder, (path) => this.#ledgerOf(path).records()));
		for (const path of paths) yield* this.#recordsIn(path);
	}

	/** The records of each file by itself, by the files' names: damage in one ends the records of that one alone. */
	async *byFile(): AsyncGenerator<{ readonly path: string; readonly records: AsyncIterable<Entry | Intent> }, void> {
		if (this.#phase.kind === "closing") await this.#phase.closed.catch(() => undefined);
		const paths = await this.#paths(runFilesUnread);
		for (const path of paths) yield { path, records: { [Symbol.asyncIterator]: () => this.#recordsIn(path) } };
	}

	async #paths(read: (folder: string) => Promise<readonly string[]>): Promise<readonly string[]> {
		try {
			return await read(this.#parts.folder);
		} catch (error) {
			// Nothing was written yet.
			if (isSystemError((error as Error).cause, "ENOENT")) return [];
			throw error;
		}
	}

	/** The run's ledger as it is open, or another one to read from. */
	#ledgerOf(path: string): Ledger {
		const file = this.#files.get(path);
		return file?.kind === "open" ? file.ledger : this.#parts.ledgerAt(path);
	}

	close(): Promise<void> {
		if (this.#phase.kind === "closing") return this.#phase.closed;
		const closed = this.#letGo();
		this.#phase = { kind: "closing", closed };
		return closed;
	}

	async #letGo(): Promise<void> {
		const paths = [...this.#files.keys()];
		const ended = await Promise.allSettled(
			paths.map(async (path) => {
				const file = this.#files.get(path);
				if (file?.kind === "closing") await this.#makeDurable(path);
				const open = this.#files.get(path);
				if (open?.kind === "open") await open.ledger.close();
			}),
		);
		invariant(this.#phase.kind === "closing", "RO2", "a closed ledger opened again");
		for (const end of ended) if (end.status === "rejected") throw end.reason;
	}
}

async function* entriesOf(records: AsyncIterable<Entry | Intent>): AsyncGenerator<Entry, void> {
	for await (const record of records) if (record.kind !== "intent") yield record;
}

async function* intentsOf(records: AsyncIterable<Entry | Intent>): AsyncGenerator<Intent, void> {
	for await (const record of records) if (record.kind === "intent") yield record;
}
