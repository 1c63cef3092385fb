// Output
//
// One stream that the command prints to. A reader that goes away (`| head`) is no fault: from then on nothing is
// written, and whoever asked to be told is told.
//
// Owns:      writing at the reader's pace, and the closed reader.
// Does not:  lay anything out.

import { once } from "node:events";

const COLUMNS_UNKNOWN = 100;
const ROWS_UNKNOWN = 24;

/** As much of a writable stream as is used; the process's own streams are such. */
export type OutputStream = NodeJS.WritableStream & {
	readonly isTTY?: boolean | undefined;
	readonly columns?: number | undefined;
	readonly rows?: number | undefined;
};

export class Output {
	readonly stream: OutputStream;
	#closed = false;

	constructor(stream: OutputStream, onClosed: () => void = () => undefined) {
		this.stream = stream;
		stream.on("error", (error: NodeJS.ErrnoException) => {
			if (this.#closed) return;
			this.#closed = true;
			// Another fault of the stream (a full disk) is not the reader's wish; there is no one left to tell.
			if (error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED") onClosed();
		});
	}

	/** Whether the reader has gone. */
	get closed(): boolean {
		return this.#closed;
	}

	/** Whether this is a terminal, which can be drawn on. */
	get live(): boolean {
		return this.stream.isTTY === true;
	}

	// A terminal that does not tell its size says 0.
	get columns(): number {
		return this.stream.columns || COLUMNS_UNKNOWN;
	}

	get rows(): number {
		return this.stream.rows || ROWS_UNKNOWN;
	}

	/** Writes a line; false when the reader is behind. */
	line(text: string): boolean {
		return this.#closed || this.stream.write(`${text}\n`);
	}

	/** Writes a line and waits for a reader that is behind, so that a long output is never held in memory. */
	async lineAtPace(text: string): Promise<void> {
		if (this.line(text)) return;
		// An error also ends the wait; the listener above has noted it.
		await once(this.stream, "drain").catch(() => undefined);
	}

	/** Resolves once everything written so far has left this process, or never will. */
	drained(): Promise<void> {
		return new Promise((resolve) => {
			if (this.#closed) resolve();
			else this.stream.write("", () => resolve());
		});
	}
}
