// Command host
//
// Everything the command takes from the process it runs in, as one value, so that a test runs the whole command without
// one.
//
// Owns:      the shape.
// Does not:  read the process (main.ts).

import type { Clock } from "../index.js";
import type { Output } from "./output.js";

export interface CommandHost {
	readonly out: Output;
	readonly errors: Output;
	readonly clock: Clock;
	/** Aborts when the person, or the reader of the output, wants no more. */
	readonly signal: AbortSignal;
	/** The current folder. */
	readonly folder: string;
}
