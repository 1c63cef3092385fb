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
// A database's log is such a file as well: what a barrier makes durable is there first. SQLite trusts its locks and never
// looks whether the log is in its place still.
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

/** What of a ledger is watched, as messages name it. */
interface Part {
	readonly suffix: string;
	readonly it: string;
	readonly itsPlace: string;
	readonly recovery: string;
}

const ITS_FILE: Part = {
	suffix: "",
	it: "it",
	itsPlace: "its place",
	recovery: "Put the ledger back where it was, or begin a new one; what was recorded since is not in it.",
};

/** Where a database's transactions go before its file. Only the last client of all takes it away. */
export const ITS_WAL: Part = {
	suffix: "-wal",
	it: "its log (-wal)",
	itsPlace: "the place of its log (-wal)",
	recovery:
		"Open the ledger again; what this barrier was to make durable may not be in it. Let nothing in this process open " +
		"and close the database's file, which lets go of the locks that kept other clients from its log.",
};

export class ClaimedFile {
	readonly #ledger: string;
	readonly #part: Part;
	readonly #path: string;
	readonly #device: bigint;
	readonly #inode: bigint;
	#watched: Watched | undefined;

	/** At the real path that was claimed, with the file there. */
	constructor(ledger: string, part = ITS_FILE) {
		this.#ledger = ledger;
		this.#part = part;
		this.#path = `${ledger}${part.suffix}`;
		const { dev, ino } = statSync(this.#path, { bigint: true });
		this.#device = dev;
		this.#inode = ino;
	}

	/** The same for a file that is written often: it is held open until `close`, so that its own link can be asked. */
	static held(ledger: string, part = ITS_FILE): ClaimedFile {
		const file = new ClaimedFile(ledger, part);
		const descriptor = openSync(file.#path, "r");
		const link = `/proc/self/fd/${descriptor}`;
		file.#watched = { descriptor, link, stood: standsAt(link) };
		return file;
	}

	/** Throws `LEDGER_FAILED` where it is not there any more. */
	demandInPlace(): void {
		if (this.#watched?.stood !== undefined && standsAt(this.#watched.link) === this.#watched.stood) return;
		const here = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
		if (here === undefined) this.#lost(`${this.#part.it} was deleted or moved while it was open`);
		if (here.dev !== this.#device || here.ino !== this.#inode) {
			this.#lost(`another file was put in ${this.#part.itsPlace} while it was open`);
		}
	}

	close(): void {
		if (this.#watched !== undefined) closeSync(this.#watched.descriptor);
		this.#watched = undefined;
	}

	#lost(problem: string): never {
		const action = `make the ledger ${this.#ledger} durable`;
		throw new EngineError("LEDGER_FAILED", { action, problem, recovery: this.#part.recovery });
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
