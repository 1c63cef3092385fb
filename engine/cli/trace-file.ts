// Trace file
//
// The events of a replay, kept in a file as they come. Written at once and not in the background: a trace is wanted most
// when the process ends badly.
//
// Owns:      the file.
// Does not:  know the lines (report/trace.ts) or what may be written over (output-files.ts).

import { closeSync, openSync, writeSync } from "node:fs";
import { type Engine, TRACE_HEADER, traceLine } from "../index.js";
import { CommandError } from "./command-error.js";
import { oneLine } from "./plain-text.js";

/** Keeps what the engine tells from now on, until it is closed. `name`: the path as it was given. */
export function traceFile(name: string, path: string, engine: Engine): { close(): void } {
	const file = opened(name, path);
	const stop = engine.subscribe((event) => void writeSync(file, `${traceLine(event)}\n`));
	return {
		close: () => {
			stop();
			closeSync(file);
		},
	};
}

function opened(name: string, path: string): number {
	let file: number | undefined;
	try {
		file = openSync(path, "w");
		writeSync(file, `${TRACE_HEADER}\n`);
		return file;
	} catch (error) {
		if (file !== undefined) closeSync(file);
		const { code, message } = error as NodeJS.ErrnoException;
		const why = code === "EACCES" || code === "EPERM" ? "it may not be written" : oneLine(message);
		throw new CommandError(`Could not write the trace ${JSON.stringify(name)}: ${why}.`);
	}
}
