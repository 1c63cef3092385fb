// Simulated disk
//
// A file system in memory whose power can be cut before any of its steps. What was synced survives; of the rest, what a
// real disk may keep: nothing, all, a beginning cut at any byte, or any of the sectors with any length, the missing ones
// read as NUL bytes. Names are kept in the order they were given, as journals keep them, from none to all of those that
// were not synced.
//
// Owns:      what a file system promises after a power cut, and no more than that.
// Does not:  know ledgers.

import { dirname } from "node:path";
import {
	type FileSystem,
	type LedgerFile,
	type ReadPiece,
	syncingFile,
	type WritePiece,
} from "../../engine/ledger/file-system.js";

/** What becomes of bytes that were not synced. */
export type Fate = "lost" | "kept" | "torn" | "reordered";

/** A number from 0 up to and without `bound`. */
export type Pick = (bound: number) => number;

const SECTOR_BYTES = 512;

interface Inode {
	/** What whoever reads sees. */
	cached: Buffer;
	synced: Buffer;
}

interface NameChange {
	readonly folder: string;
	/** Which inode has which name from now on; `undefined`: none any more. */
	readonly names: readonly (readonly [string, Inode | "folder" | undefined])[];
}

interface Left {
	readonly names: ReadonlyMap<string, Inode | "folder">;
	readonly syncedNames: ReadonlyMap<string, Inode | "folder">;
	readonly nameChanges: readonly NameChange[];
}

const NOTHING: Left = { names: new Map(), syncedNames: new Map(), nameChanges: [] };

export class SimulatedDisk {
	readonly files: FileSystem;
	/** How many steps were taken: each write, sync, cut to length and change of a name is one. */
	steps = 0;
	readonly #cutBefore: number;
	readonly #names: Map<string, Inode | "folder">;
	readonly #syncedNames: Map<string, Inode | "folder">;
	#nameChanges: NameChange[];

	/** A disk whose power is cut before the step of that number; left out: never. */
	constructor(cutBefore = Number.POSITIVE_INFINITY, left: Left = NOTHING) {
		this.#cutBefore = cutBefore;
		this.#names = new Map(left.names);
		this.#syncedNames = new Map(left.syncedNames);
		this.#nameChanges = [...left.nameChanges];
		this.files = {
			open: async (path, flags) => this.#open(path, flags === "w"),
			// Whoever claims a ledger has created its file already.
			openDurable: async (path) => syncingFile(this.#names.has(path) ? this.#open(path, false) : this.#create(path)),
			mkdir: async (path) => this.#rename([[path, "folder"]]),
			rename: async (from, to) => {
				this.#rename([
					[to, this.#names.get(from)],
					[from, undefined],
				]);
			},
			head: (path, bytes) => this.#head(path, bytes),
			readFile: async (path) => Buffer.from(this.#inode(path).cached),
			realpath: async (path) => {
				this.#inode(path);
				return path;
			},
		};
	}

	get isCut(): boolean {
		return this.steps > this.#cutBefore;
	}

	/** The disk as it is found when the power is back. Cut before no step, unless a number is given. */
	afterCut(fate: Fate, pick: Pick, cutBefore?: number): SimulatedDisk {
		const names = new Map(this.#syncedNames);
		for (const change of this.#nameChanges.slice(0, keptOf(this.#nameChanges.length, fate, pick))) {
			for (const [name, inode] of change.names) {
				if (inode === undefined) names.delete(name);
				else names.set(name, inode);
			}
		}
		const left = new Map<string, Inode | "folder">();
		for (const [name, inode] of names) {
			const cached = inode === "folder" ? inode : survivorOf(inode, fate, pick);
			left.set(name, cached === "folder" ? cached : { cached, synced: cached });
		}
		return new SimulatedDisk(cutBefore, { names: left, syncedNames: left, nameChanges: [] });
	}

	/** The disk as the next process finds it when this one was killed: all that it wrote is there and may yet be lost. */
	afterKill(cutBefore: number): SimulatedDisk {
		return new SimulatedDisk(cutBefore, {
			names: this.#names,
			syncedNames: this.#syncedNames,
			nameChanges: this.#nameChanges,
		});
	}

	/** Whoever claims a ledger has created its file already. */
	#head(path: string, bytes: number): Buffer {
		const inode = this.#names.get(path);
		return inode === undefined || inode === "folder" ? Buffer.alloc(0) : inode.cached.subarray(0, bytes);
	}

	#step(): void {
		this.steps += 1;
		if (this.isCut) throw new Error("the power was cut");
	}

	#inode(path: string): Inode {
		const inode = this.#names.get(path);
		if (this.isCut) throw new Error("the power was cut");
		if (inode === undefined || inode === "folder") throw Object.assign(new Error("ENOENT"), { code: "ENOENT" });
		return inode;
	}

	#open(path: string, empties: boolean): LedgerFile {
		if (this.#names.get(path) === "folder" || this.#isFolder(path)) return this.#folder(path);
		if (empties && !this.#names.has(path)) return this.#create(path);
		const inode = this.#inode(path);
		if (empties) {
			this.#step();
			inode.cached = Buffer.alloc(0);
		}
		return this.#handle(inode);
	}

	#create(path: string): LedgerFile {
		const inode: Inode = { cached: Buffer.alloc(0), synced: Buffer.alloc(0) };
		this.#rename([[path, inode]]);
		return this.#handle(inode);
	}

	#isFolder(path: string): boolean {
		return [...this.#names.keys()].some((name) => dirname(name) === path);
	}

	#rename(names: NameChange["names"]): void {
		this.#step();
		this.#nameChanges.push({ folder: dirname(names[0]?.[0] ?? ""), names });
		for (const [name, inode] of names) {
			if (inode === undefined) this.#names.delete(name);
			else this.#names.set(name, inode);
		}
	}

	#folder(path: string): LedgerFile {
		const sync = async (): Promise<void> => {
			this.#step();
			for (const { names } of this.#nameChanges.filter(({ folder }) => folder === path)) {
				for (const [name, inode] of names) {
					if (inode === undefined) this.#syncedNames.delete(name);
					else this.#syncedNames.set(name, inode);
				}
			}
			this.#nameChanges = this.#nameChanges.filter(({ folder }) => folder !== path);
		};
		const nothing = { cached: Buffer.alloc(0), synced: Buffer.alloc(0) };
		return { ...this.#handle(nothing), sync };
	}

	#handle(inode: Inode): LedgerFile {
		const sync = async (): Promise<void> => {
			this.#step();
			inode.synced = Buffer.from(inode.cached);
		};
		return {
			read: async ({ buffer, offset, length, position }: ReadPiece) => {
				if (this.isCut) throw new Error("the power was cut");
				return { bytesRead: inode.cached.subarray(position, position + length).copy(buffer, offset) };
			},
			write: async (...[bytes, offset, length, position]: WritePiece) => {
				this.#step();
				const written = Buffer.alloc(Math.max(inode.cached.length, position + length));
				inode.cached.copy(written);
				bytes.copy(written, position, offset, offset + length);
				inode.cached = written;
				return { bytesWritten: length };
			},
			truncate: async (bytes) => {
				this.#step();
				inode.cached = Buffer.from(inode.cached.subarray(0, bytes));
			},
			datasync: sync,
			sync,
			close: async () => undefined,
		};
	}
}

function keptOf(count: number, fate: Fate, pick: Pick): number {
	if (fate === "lost") return 0;
	return fate === "kept" ? count : pick(count + 1);
}

function survivorOf({ cached, synced }: Inode, fate: Fate, pick: Pick): Buffer {
	if (fate === "lost") return synced;
	if (fate === "kept") return cached;
	const longest = Math.max(cached.length, synced.length);
	return fate === "torn" ? torn(cached, synced, pick(longest + 1)) : reordered(cached, synced, pick);
}

function torn(cached: Buffer, synced: Buffer, at: number): Buffer {
	// A file is cut to a shorter length whole or not at all: the length is kept apart from the bytes.
	if (cached.length < synced.length) return at % 2 === 0 ? cached : synced;
	return Buffer.concat([cached.subarray(0, at), synced.subarray(at)]);
}

function reordered(cached: Buffer, synced: Buffer, pick: Pick): Buffer {
	const [shorter, longer] = [synced.length, cached.length].sort((left, right) => left - right) as [number, number];
	// A length is what it was or will be, or on its way there a whole number of sectors.
	const between = Math.min(longer, shorter + SECTOR_BYTES * pick(Math.ceil((longer - shorter) / SECTOR_BYTES) + 1));
	const left = Buffer.alloc([shorter, longer, between][pick(3)] ?? longer);
	for (let at = 0; at < left.length; at += SECTOR_BYTES) {
		const sector = pick(2) === 0 ? cached : synced;
		sector.subarray(at, at + SECTOR_BYTES).copy(left, at);
	}
	return left;
}
