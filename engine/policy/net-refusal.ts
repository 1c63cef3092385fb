// Net refusal
//
// Why what a call could discard cannot be kept: too much of it, too large, not to be read. The call is refused then; what
// stands here is the middle of the sentence that says so.
//
// Owns:      the error that carries the reason from wherever it was found.
// Does not:  refuse (checkpoint-net.ts).

export class CannotKeep extends Error {
	constructor(reason: string, cause?: unknown) {
		super(reason, { cause });
		this.name = "CannotKeep";
	}
}

/** A name whose bytes are no text is read as another name, under which nothing would be found. */
export function requireReadable(name: string, folder: string): void {
	if (name.includes("\ufffd")) throw new CannotKeep(`${JSON.stringify(folder)} holds a name that is not UTF-8`);
}
