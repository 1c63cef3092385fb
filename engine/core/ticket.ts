// Ticket
//
// Proof that admission cleared a call. Nothing runs and nothing is accounted without one, and only admission can mint
// one: the import law forbids `mintTicket` to every other folder.
//
// Owns:      the proof and what it names.
// Does not:  say what a ticket allows; the holder runs exactly the call it names.

import { type Effect, isRead } from "./effect.js";
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

/** What a ticket names beside the call's place: the same object for as long as the call is known. */
export interface Clearable {
	readonly tool: Tool;
	readonly args: unknown;
	readonly meta: { readonly effect: Effect };
}

// A private field is a brand that no other code can put on an object, and that costs nothing to check.
class MintedTicket implements Ticket {
	readonly index: number;
	readonly #cleared: Clearable;

	constructor(index: number, cleared: Clearable) {
		this.index = index;
		this.#cleared = cleared;
	}

	get tool(): Tool {
		return this.#cleared.tool;
	}

	get args(): unknown {
		return this.#cleared.args;
	}

	get read(): boolean {
		return isRead(this.#cleared.meta.effect);
	}

	static is(ticket: Ticket): boolean {
		return #cleared in ticket;
	}
}

/** For admission alone. */
export function mintTicket(index: number, cleared: Clearable): Ticket {
	return new MintedTicket(index, cleared);
}

export function isMinted(ticket: Ticket): boolean {
	return MintedTicket.is(ticket);
}
