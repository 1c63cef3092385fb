// File system
//
// The few calls that a file ledger is written and read through. Node's own module is the adapter; the tests pass one whose
// disk fails, fills up or forgets what was not synced.
//
// Owns:      the port, its adapter, and the writes and syncs that need more than one call.
// Does not:  take the writer's lock, which is synchronous (writer-lock.ts).

import { constants, write } from "node:fs";
import * as nodeFiles from "node:fs/promises";
import { readHead } from "./file-head.js";

export interface FileSystem {
	open(path: string, flags: "r" | "r+" | "w"): Promise<LedgerFile>;
	/** At most so many first bytes of a file, without a look at which it would have to be opened again; none of no file. */
	head(path: string, bytes: number): Buffer | undefined;
	/** Opens an existing file for barriers. */
	openDurable(path: string): Promise<DurableFile>;
	mkdir(path: string, options: { readonly recursive: true }): Promise<unknown>;
	rename(from: string, to: string): Promise<void>;
	readFile(path: string): Promise<Buffer>;
	realpath(path: string): Promise<string>;
}

/** The part of Node's FileHandle that is used. */
export interface LedgerFile {
	read(into: ReadPiece): Promise<{ readonly bytesRead: number }>;
	write(...from: WritePiece): Promise<{ readonly bytesWritten: number }>;
	truncate(bytes: number): Promise<void>;
	datasync(): Promise<void>;
	sync(): Promise<void>;
	close(): Promise<void>;
}

export interface ReadPiece {
	readonly buffer: Buffer;
	readonly offset: number;
	readonly length: number;
	readonly position: number;
}

export type WritePiece = [bytes: Buffer, offset: number, length: number, position: number];

export interface DurableFile extends LedgerFile {
	/** Writes all of `bytes` and makes them durable. */
	writeDurably(bytes: Buffer, position: number): Promise<void>;
}

export const nodeFileSystem: FileSystem = {
	open: nodeFiles.open,
	head: readHead,
	openDurable: process.platform === "linux" ? openWritingThrough : openSyncing,
	mkdir: nodeFiles.mkdir,
	rename: nodeFiles.rename,
	readFile: nodeFiles.readFile,
	realpath: nodeFiles.realpath,
};

// On Linux one call does both: a write to a file so opened returns when its bytes are as durable as after fdatasync. Each
// call is a trip to another thread and back, which costs up to as much as the disk does when the machine is busy. macOS
// has the flag and stops at the disk's own cache, where fdatasync does not; Windows has none.
async function openWritingThrough(path: string): Promise<DurableFile> {
	const file = await nodeFiles.open(path, constants.O_RDWR | constants.O_DSYNC);
	// The way back from the thread is shorter to a callback than to the file's own promise.
	const through: Pick<LedgerFile, "write"> = {
		write: (...[bytes, offset, length, position]) =>
			new Promise((resolve, reject) => {
				write(file.fd, bytes, offset, length, position, (error, bytesWritten) => {
					if (error === null) resolve({ bytesWritten });
					else reject(error);
				});
			}),
	};
	const writeDurably = (bytes: Buffer, position: number): Promise<void> => writeAll(through, bytes, position);
	return Object.assign<LedgerFile, Pick<DurableFile, "writeDurably">>(file, { writeDurably });
}

async function openSyncing(path: string): Promise<DurableFile> {
	return syncingFile(await nodeFiles.open(path, "r+"));
}

/** A file whose durable write is a write and a sync. */
export function syncingFile(file: LedgerFile): DurableFile {
	return Object.assign(file, {
		writeDurably: async (bytes: Buffer, position: number) => {
			await writeAll(file, bytes, position);
			await file.datasync();
		},
	});
}

/** Writes all of `bytes` at `position`: a write may take less than it was given without failing. */
export async function writeAll(file: Pick<LedgerFile, "write">, bytes: Buffer, position: number): Promise<void> {
	let written = 0;
	while (written < bytes.length) {
		const { bytesWritten } = await file.write(bytes, written, bytes.length - written, position + written);
		// A disk that takes nothing and reports no error would otherwise be asked for ever.
		if (bytesWritten === 0) throw new Error(`the disk took ${written} of ${bytes.length} bytes and no more`);
		written += bytesWritten;
	}
}

/** Makes the names in a folder durable: syncing a file does not make its name so. */
export async function syncFolder(folder: string, files: FileSystem): Promise<void> {
	// Windows opens no folder as a file and keeps names durable by itself.
	if (process.platform === "win32") return;
	const handle = await files.open(folder, "r");
	try {
		await handle.sync();
	} finally {
		await handle.close();
	}
}
