// Held disk
//
// Node's file system with a hand on it: every sync is counted, the next one can be held, and the next write or sync can
// be made to fail as a full disk does.
//
// Owns:      the faults.
// Does not:  keep bytes (the real disk does).

import { FileStore } from "../../engine/ledger/file-ledger.js";
import { type FileSystem, type LedgerFile, nodeFileSystem, syncingFile } from "../../engine/ledger/file-system.js";
import type { Ledger } from "../../engine/ledger/ledger.js";
import { StoredLedger } from "../../engine/ledger/stored-ledger.js";
import type { LedgerDisk } from "../contracts/ledger.js";

export class HeldDisk implements LedgerDisk {
	readonly files: FileSystem;
	/** What reached the disk, in order: `write ledger.jsonl`, `datasync ledger.jsonl`, `sync folder`, `rename ...`. */
	readonly done: string[] = [];
	/** Most bytes one write takes; the rest is left to the caller, as a real disk may. */
	bytesAWriteMax = Number.POSITIVE_INFINITY;
	#fails: "write" | "datasync" | undefined;
	#hold: { reached(release: () => void): void } | undefined;

	constructor() {
		this.files = {
			...nodeFileSystem,
			open: async (path, flags) => this.#watch(path, await nodeFileSystem.open(path, flags)),
			openDurable: async (path) => syncingFile(this.#watch(path, await nodeFileSystem.open(path, "r+"))),
			rename: async (from, to) => {
				await nodeFileSystem.rename(from, to);
				this.done.push(`rename ${nameOf(to)}`);
			},
		};
	}

	/** A file ledger on this disk. */
	ledgerAt(path: string): Ledger {
		return new StoredLedger(new FileStore(path, this.files));
	}

	get syncs(): number {
		return this.done.filter((line) => line.startsWith("datasync")).length;
	}

	holdNextSync(): Promise<() => void> {
		return new Promise((resolve) => {
			this.#hold = { reached: resolve };
		});
	}

	failNext(operation: "write" | "datasync"): void {
		this.#fails = operation;
	}

	#watch(path: string, file: LedgerFile): LedgerFile {
		const name = nameOf(path);
		return {
			read: (piece) => file.read(piece),
			write: async (...[bytes, offset, length, position]) => {
				this.#failIf("write");
				this.done.push(`write ${name}`);
				return file.write(bytes, offset, Math.min(length, this.bytesAWriteMax), position);
			},
			truncate: (bytes) => file.truncate(bytes),
			datasync: async () => {
				await this.#holdIfAsked();
				this.#failIf("datasync");
				await file.datasync();
				this.done.push(`datasync ${name}`);
			},
			sync: async () => {
				await file.sync();
				this.done.push(`sync ${name}`);
			},
			close: () => file.close(),
		};
	}

	#failIf(operation: "write" | "datasync"): void {
		if (this.#fails !== operation) return;
		this.#fails = undefined;
		throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
	}

	async #holdIfAsked(): Promise<void> {
		const hold = this.#hold;
		this.#hold = undefined;
		if (hold !== undefined) await new Promise<void>((resolve) => hold.reached(resolve));
	}
}

function nameOf(path: string): string {
	return path.split("/").at(-1) ?? path;
}
