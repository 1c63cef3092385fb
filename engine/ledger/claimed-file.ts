// Claimed file
//
// The file that a ledger's writer has open, as it stands at its path. An open file goes on taking bytes after its name was
// deleted or was given to another file: whatever is written then is durable nowhere that a recovery would look. Coding
// agents do this to themselves, with a cleaning command in the folder that their history is in.
//
// Asked synchronously: one look at a name that the system has in memory takes a few microseconds, its way through another
// thread several times that.
//
// Owns:      whether the file is still the one that was claimed.
// Does not:  look at what is in it (line-scanner.ts), or keep other writers out (writer-lock.ts).

import { statSync } from "node:fs";
import { EngineError } from "../core/errors.js";

export class ClaimedFile {
	readonly #path: string;
	readonly #device: bigint;
	readonly #inode: bigint;

	/** At the real path that was claimed, with the file there. */
	constructor(path: string) {
		const { dev, ino } = statSync(path, { bigint: true });
		this.#path = path;
		this.#device = dev;
		this.#inode = ino;
	}

	/** Throws `LEDGER_FAILED` where it is not there any more. */
	demandInPlace(): void {
		const here = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
		if (here === undefined) this.#lost("it was deleted or moved while it was open");
		if (here.dev !== this.#device || here.ino !== this.#inode) {
			this.#lost("another file was put in its place while it was open");
		}
	}

	#lost(problem: string): never {
		throw new EngineError("LEDGER_FAILED", {
			action: `make the ledger ${this.#path} durable`,
			problem,
			recovery: "Put the ledger back where it was, or begin a new one; what was recorded since is not in it.",
		});
	}
}
