// Trace file
//
// The events of a replay, kept in a file as they come. Written at once and not in the background: a trace is wanted most
// when the process ends badly.
//
// Owns:      the file.
// Does not:  know the lines (report/trace.ts).

import { closeSync, openSync, writeSync } from "node:fs";
import { type Engine, TRACE_HEADER, traceLine } from "../index.js";
import { CommandError } from "./command-error.js";
import { fileProblem } from "./recording.js";

/** Keeps what the engine tells from now on, until it is closed. */
export function traceFile(path: string, engine: Engine): { close(): void } {
	const file = opened(path);
	writeSync(file, `${TRACE_HEADER}\n`);
	const stop = engine.subscribe((event) => void writeSync(file, `${traceLine(event)}\n`));
	return {
		close: () => {
			stop();
			closeSync(file);
		},
	};
}

function opened(path: string): number {
	try {
		return openSync(path, "w");
	} catch (error) {
		throw new CommandError(fileProblem(path, error));
	}
}
