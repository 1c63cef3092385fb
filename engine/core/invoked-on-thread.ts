// Invoked on a thread
//
// A tool on a thread makes calls by messages, and the answer to one may be on its way while it makes the next. What it knew
// when it made a call it says itself, by the numbers that it gives the calls it makes.
//
// Owns:      that word, and the way it takes into a context on the host.
// Does not:  make calls (execution/call-context.ts) or send messages (workers/host-link.ts).

import type { NumberRange } from "./number-ranges.js";
import type { ToolValue } from "./tool-context.js";

export interface InvokedOnThread {
	/** Of the call, among all that the tool makes in this run of it. */
	readonly number: number;
	/** Those of the calls before it that the tool had no answer of. */
	readonly open: readonly NumberRange[];
}

/** A call that a tool makes, with that word where the tool is on a thread. */
export interface InvokedCall {
	readonly name: string;
	readonly args: unknown;
	readonly onThread?: InvokedOnThread | undefined;
}

/** The same as `invokeTool`, with that word. A symbol, because tools are given the context that has it. */
export const INVOKED_ON_THREAD = Symbol("wavetrain: invoked on a thread");

export interface ServesThreads {
	readonly [INVOKED_ON_THREAD]: (call: InvokedCall) => Promise<ToolValue>;
}
