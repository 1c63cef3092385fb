// Ticket
//
// Proof that admission cleared a call. Nothing runs and nothing is accounted without one, and only admission can mint
// one: the import law forbids `mintTicket` to every other folder.
//
// Owns:      the proof and what it names.
// Does not:  say what a ticket allows; the holder runs exactly the call it names.

import type { Tool } from "./tool.js";

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

// A private field is a brand that no other code can put on an object, and that costs nothing to check.
class MintedTicket implements Ticket {
	readonly #minted = true;
	readonly index: number;
	readonly tool: Tool;
	readonly args: unknown;
	readonly read: boolean;

	constructor({ index, tool, args, read }: Ticket) {
		this.index = index;
		this.tool = tool;
		this.args = args;
		this.read = read;
	}

	static is(ticket: Ticket): boolean {
		return #minted in ticket && ticket.#minted;
	}
}

/** For admission alone. */
export function mintTicket(ticket: Ticket): Ticket {
	return new MintedTicket(ticket);
}

export function isMinted(ticket: Ticket): boolean {
	return MintedTicket.is(ticket);
}
