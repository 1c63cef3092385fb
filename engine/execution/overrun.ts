// Overrun
//
// A limit stops work only where something is left that can act: a tool that holds the host's thread holds the limit's
// timer with it. Its answer is real and is kept; that the limit was not must be said, with the time that was measured.
//
// Owns:      what counts as an overrun, and its words.
// Does not:  measure (running-call.ts) or change an outcome.

import { LIMIT_LATE_MS_MIN } from "../core/limits.js";

/**
 * A time limit that a call ran past, because nothing could enforce it in time.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface Overrun {
	/** Which of its limits it ran past. */
	readonly limit: "toolMs" | "idleMs";
	/** How long that limit was, in milliseconds. */
	readonly limitMs: number;
	/** How long the call ran, or was silent for `idleMs`, in milliseconds. */
	readonly ranMs: number;
	/** What happened, and what a host can do about it. */
	readonly note: string;
}

export interface Measured {
	readonly name: string;
	readonly limits: { readonly toolMs: number; readonly idleMs: number };
	readonly ranMs: number;
	/** Since its beginning or its last progress report. */
	readonly silentMs: number;
	/** Whether the limit itself answered; that it did so a little late is how timers are. */
	readonly cutShort: boolean;
	readonly onThread: boolean;
}

/** `undefined`: the call kept its limits, or they were enforced. */
export function overrunOf({ name, limits, ranMs, silentMs, cutShort, onThread }: Measured): Overrun | undefined {
	const lateMs = cutShort ? LIMIT_LATE_MS_MIN : 0;
	const overranTool = ranMs > limits.toolMs + lateMs;
	if (!overranTool && silentMs <= limits.idleMs + lateMs) return undefined;
	const limit = overranTool ? "toolMs" : "idleMs";
	const measuredMs = Math.round(overranTool ? ranMs : silentMs);
	const held = onThread
		? "the host's thread was held meanwhile."
		: "the host's thread was held, by this tool or one beside it. Long computing belongs on other threads: onThread().";
	const said = `${name} ${overranTool ? "ran for" : "was silent for"} ${measuredMs} ms`;
	const note = `${said}. Its ${limit} of ${limits[limit]} ms could not be enforced: ${held}`;
	return { limit, limitMs: limits[limit], ranMs: measuredMs, note };
}
