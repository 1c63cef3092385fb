// File head
//
// The first bytes of a file, asked for before anybody knows what the file is. On POSIX systems, closing any descriptor of a
// file lets go of every lock that the process has in it, whoever took the lock through whichever descriptor. SQLite's locks
// are such locks: to open an open database and close it again leaves its connections without any, and the next client of
// another process that leaves takes itself for the last one and deletes the log that this process is writing.
//
// So a file that this process has open is read through a descriptor that is there already. The process's own list of them is
// asked, and no list of ours, because it knows the connections that only wait for a garbage collection, those of other
// threads, of another copy of this package, and of another SQLite library; it knows files and not names, so links do not
// matter. The look costs some 3 µs a descriptor. It is synchronous, so that nothing of this thread opens the file in between;
// another thread can, within some microseconds, and what is lost by that is noticed by the writer (sqlite-writer.ts).
//
// Windows lets go of no lock but those of the handle that is closed.
//
// Owns:      that look.
// Does not:  know what the bytes say (sqlite-format.ts).
//
// Invariants:
//   FD1. A file of whole blocks that this process has open is not opened again for its head.

import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from "node:fs";

/** SQLite writes whole pages, the smallest of which has so many bytes: a file of another length is no database at rest. */
const BLOCK_BYTES = 512n;

/** Where Linux and macOS list a process's own descriptors. */
const OWN_DESCRIPTORS = "/dev/fd";

interface Identity {
	readonly dev: bigint;
	readonly ino: bigint;
}

/**
 * At most so many first bytes of a file; none of an empty one, which is not even opened. `undefined` for what is no file:
 * a folder, a pipe.
 */
export function readHead(path: string, bytes: number): Buffer | undefined {
	const stat = statSync(path, { bigint: true });
	if (!stat.isFile()) return undefined;
	if (stat.size === 0n) return Buffer.alloc(0);
	// FD1: one found open is read where it is open.
	const held = stat.size % BLOCK_BYTES === 0n ? headHeld(stat, bytes) : undefined;
	return held ?? headOpened(path, bytes);
}

function headHeld(file: Identity, bytes: number): Buffer | undefined {
	if (process.platform === "win32") return undefined;
	for (const name of ownDescriptors()) {
		const descriptor = Number(name);
		try {
			if (!isOf(descriptor, file)) continue;
			const head = headOf(descriptor, bytes);
			// Another thread may have closed it meanwhile, and its number may be another file's.
			if (isOf(descriptor, file)) return head;
		} catch {
			// It was closed meanwhile, or is open for writing alone, as no database is.
		}
	}
	return undefined;
}

/** None where the system has no such list. */
function ownDescriptors(): readonly string[] {
	try {
		return readdirSync(OWN_DESCRIPTORS);
	} catch {
		return [];
	}
}

function isOf(descriptor: number, { dev, ino }: Identity): boolean {
	const stat = fstatSync(descriptor, { bigint: true });
	return stat.dev === dev && stat.ino === ino;
}

function headOpened(path: string, bytes: number): Buffer {
	const descriptor = openSync(path, "r");
	try {
		return headOf(descriptor, bytes);
	} finally {
		closeSync(descriptor);
	}
}

/** Leaves the descriptor's own place in the file as it is. */
function headOf(descriptor: number, bytes: number): Buffer {
	const head = Buffer.alloc(bytes);
	return head.subarray(0, readSync(descriptor, head, 0, bytes, 0));
}
