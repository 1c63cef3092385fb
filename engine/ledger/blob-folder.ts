// Blob folder
//
// The folder beside a file ledger where large values are kept, each in a file named by the SHA-256 of its bytes. A file
// gets its name only after its bytes were synced, so a name that is there vouches for its content after any crash, and a
// value that several entries carry is stored once.
//
// Owns:      the folder, names, and that what is read back is what was written.
// Does not:  choose which values go there (large-values.ts).
//
// Invariants:
//   B1. After `keep` the bytes are durable, after `syncNames` their names as well.
//   B2. `load` gives bytes whose SHA-256 is the name, or the reason why it cannot.

import { hash, webcrypto } from "node:crypto";
import { dirname, join } from "node:path";
import { LEDGER_READ_BYTES } from "../core/ledger-limits.js";
import { type FileSystem, syncFolder, writeAll } from "./file-system.js";
import type { LargeValue, ValuePath } from "./large-values.js";
import { failedError, isSystemError } from "./ledger-error.js";

/** How a line names a value that is kept beside it. */
export interface BlobRef {
	readonly path: ValuePath;
	readonly as: "json" | "binary";
	readonly sha256: string;
	readonly bytes: number;
}

export class BlobFolder {
	readonly #folder: string;
	readonly #files: FileSystem;
	#isMade = false;
	#keptSinceSync = 0;

	constructor(ledgerPath: string, files: FileSystem) {
		this.#folder = `${ledgerPath}.blobs`;
		this.#files = files;
	}

	/** Stores values. One writer at a time, which the ledger's lock sees to. */
	async keep(values: readonly LargeValue[]): Promise<readonly BlobRef[]> {
		await this.#make();
		const refs: BlobRef[] = [];
		for (const { path, as, bytes } of values) {
			const sha256 = await digest(bytes);
			if (!(await this.#has(sha256, bytes))) await this.#write(sha256, bytes);
			refs.push({ path, as, sha256, bytes: bytes.length });
		}
		// Also what was there already: a name left by a crashed writer may not be durable yet.
		this.#keptSinceSync += values.length;
		return refs;
	}

	/** Makes the names of everything kept so far durable, with one sync. */
	async syncNames(): Promise<void> {
		if (this.#keptSinceSync === 0) return;
		await syncFolder(this.#folder, this.#files);
		this.#keptSinceSync = 0;
	}

	async load({ path, as, sha256, bytes }: BlobRef): Promise<LargeValue | { readonly problem: string }> {
		const content = await this.#read(sha256);
		// B2: a file's name is a claim; its bytes are the proof.
		if (content === undefined) return { problem: `the value ${sha256} beside the ledger is missing` };
		if (content.length !== bytes || (await digest(content)) !== sha256) {
			return { problem: `the value ${sha256} beside the ledger is not what was written` };
		}
		return { path, as, bytes: content };
	}

	async #make(): Promise<void> {
		if (this.#isMade) return;
		await this.#files.mkdir(this.#folder, { recursive: true });
		await syncFolder(dirname(this.#folder), this.#files);
		this.#isMade = true;
	}

	/** B1: a name that is there says what its bytes were once; they are looked at, for nothing else is written of the value. */
	async #has(sha256: string, bytes: Buffer): Promise<boolean> {
		return (await this.#read(sha256))?.equals(bytes) ?? false;
	}

	async #write(sha256: string, bytes: Buffer): Promise<void> {
		const unnamed = join(this.#folder, `${sha256}.unsynced`);
		const handle = await this.#files.open(unnamed, "w");
		try {
			// B1: synced under a name that nothing reads, then given its own.
			await writeAll(handle, bytes, 0);
			await handle.datasync();
		} finally {
			await handle.close();
		}
		await this.#files.rename(unnamed, join(this.#folder, sha256));
	}

	async #read(sha256: string): Promise<Buffer | undefined> {
		try {
			return await this.#files.readFile(join(this.#folder, sha256));
		} catch (error) {
			if (isSystemError(error, "ENOENT")) return undefined;
			throw failedError(`read the value ${join(this.#folder, sha256)} beside the ledger`, error);
		}
	}
}

// Node hashes the second way on its own thread pool: 64 MB on the host's thread would hold it for a tenth of a second. The
// way there and back takes longer than a few hundred kilobytes do.
async function digest(bytes: Buffer): Promise<string> {
	if (bytes.length <= LEDGER_READ_BYTES) return hash("sha256", bytes);
	return Buffer.from(await webcrypto.subtle.digest("SHA-256", bytes)).toString("hex");
}
