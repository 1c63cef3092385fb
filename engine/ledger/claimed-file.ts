// Claimed file
//
// The file that a ledger's writer has open, as it stands at its path. An open file goes on taking bytes after its name was
// deleted or was given to another file: whatever is written then is durable nowhere that a recovery would look. Coding
// agents do this to themselves, with a cleaning command in the folder that their history is in.
//
// Asked synchronously: one look at what the system has in memory takes a few microseconds, its way through another thread
// several times that. On Linux an open file's own link says where it stands. Looking at the file itself would say so too,
// and would have newer kernels write down the time of the next write exactly, which makes every barrier a third slower.
//
// Owns:      whether the file is still the one that was claimed.
// Does not:  look at what is in it (line-scanner.ts), or keep other writers out (writer-lock.ts).

import { closeSync, openSync, readlinkSync, statSync } from "node:fs";
import { EngineError } from "../core/errors.js";

/** An open file, and where the system said that it stands. */
interface Watched {
	readonly descriptor: number;
	readonly link: string;
	readonly stood: string | undefined;
}

export class ClaimedFile {
	readonly #path: string;
	readonly #device: bigint;
	readonly #inode: bigint;
	#watched: Watched | undefined;

	/** At the real path that was claimed, with the file there. */
	constructor(path: string) {
		const { dev, ino } = statSync(path, { bigint: true });
		this.#path = path;
		this.#device = dev;
		this.#inode = ino;
	}

	/** The same for a file that is written often: it is held open until `close`, so that its own link can be asked. */
	static held(path: string): ClaimedFile {
		const file = new ClaimedFile(path);
		const descriptor = openSync(path, "r");
		const link = `/proc/self/fd/${descriptor}`;
		file.#watched = { descriptor, link, stood: standsAt(link) };
		return file;
	}

	/** Throws `LEDGER_FAILED` where it is not there any more. */
	demandInPlace(): void {
		if (this.#watched?.stood !== undefined && standsAt(this.#watched.link) === this.#watched.stood) return;
		const here = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
		if (here === undefined) this.#lost("it was deleted or moved while it was open");
		if (here.dev !== this.#device || here.ino !== this.#inode) {
			this.#lost("another file was put in its place while it was open");
		}
	}

	close(): void {
		if (this.#watched !== undefined) closeSync(this.#watched.descriptor);
		this.#watched = undefined;
	}

	#lost(problem: string): never {
		throw new EngineError("LEDGER_FAILED", {
			action: `make the ledger ${this.#path} durable`,
			problem,
			recovery: "Put the ledger back where it was, or begin a new one; what was recorded since is not in it.",
		});
	}
}

/** Nothing where the system has no such link: then the path is asked. */
function standsAt(link: string): string | undefined {
	try {
		return readlinkSync(link);
	} catch {
		return undefined;
	}
}
