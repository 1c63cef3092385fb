// Ticket
//
// Proof that admission cleared a call. Nothing runs and nothing is accounted without one, and only admission can mint
// one: the import law forbids `mintTicket` to every other folder.
//
// Owns:      the proof and what it names.
// Does not:  say what a ticket allows; the holder runs exactly the call it names.

import type { Tool } from "./tool.js";

const minted = new WeakSet<object>();

/**
 * What the engine's own admission clears a call with.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface Ticket {
	readonly index: number;
	readonly tool: Tool;
	/** The arguments as the tool's schema read them. */
	readonly args: unknown;
	/** Whether this call only reads. */
	readonly read: boolean;
}

/** For admission alone. */
export function mintTicket(ticket: Ticket): Ticket {
	const proof = Object.freeze({ ...ticket });
	minted.add(proof);
	return proof;
}

export function isMinted(ticket: Ticket): boolean {
	return minted.has(ticket);
}
