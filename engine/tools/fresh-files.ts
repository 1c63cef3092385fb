// Fresh files
//
// A file system's clock moves in steps, and two changes of a file within one step can leave the same times and the same
// size. So a file that was changed within the last step is told by its content as well, and is remembered for that: when
// it is looked at again, later, only its content can tell whether it is still what was seen. Waiting for the step to pass
// was the alternative; a reply that is read at once would be over by then.
//
// Owns:      what is added to the stamp of such a file.
// Does not:  stamp files (workspace-stamps.ts).

import { createHash } from "node:crypto";
import { type BigIntStats, closeSync, constants, openSync, readSync } from "node:fs";
import { systemClock } from "../core/clock.js";
import { CHANGE_TIME_STEP_MS, FRESH_FILE_BYTES_MAX, FRESH_FILES_MAX } from "../core/tool-limits.js";

class FreshFiles {
	/** Files as they were when they were fresh. The oldest is forgotten first; its read then runs again for nothing. */
	readonly #seen = new Set<string>();
	#unlike = 0;

	/** Empty for a file whose times tell enough. */
	mark(path: string, file: BigIntStats): string {
		const { dev, ino, size, ctimeNs } = file;
		const version = `${dev}:${ino}:${size}:${ctimeNs}`;
		const isFresh = systemClock.now() - Number(ctimeNs / 1_000_000n) <= CHANGE_TIME_STEP_MS;
		if (!isFresh && !this.#seen.has(version)) return "";
		if (isFresh) this.#remember(version);
		if (file.isFile() && size <= FRESH_FILE_BYTES_MAX) return ` ${contentOf(path, Number(size))}`;
		// What cannot be told apart is equal to nothing.
		this.#unlike += 1;
		return ` unlike ${this.#unlike}`;
	}

	#remember(version: string): void {
		this.#seen.add(version);
		const [oldest] = this.#seen;
		if (oldest !== undefined && this.#seen.size > FRESH_FILES_MAX) this.#seen.delete(oldest);
	}
}

/** One for the process: a file is the same whoever looks. */
export const freshFiles = new FreshFiles();

// The name was resolved already, so a link there is new; and a pipe in a file's place must not hold the host.
function contentOf(path: string, bytes: number): string {
	const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
	try {
		const buffer = Buffer.allocUnsafe(bytes + 1);
		const read = readSync(descriptor, buffer, 0, buffer.length, 0);
		return createHash("sha256").update(buffer.subarray(0, read)).digest("hex");
	} finally {
		closeSync(descriptor);
	}
}
