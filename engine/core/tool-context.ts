// Tool context
//
// What a tool is given beside its arguments. One shape inline and on threads; a tool that does not use it pays nothing
// for it, so everything that costs (the signal, the link to the host) is made on first use.

import type { JsonValue } from "./json-value.js";

/**
 * The second argument of `execute`.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface ToolContext {
	/** Aborts when the call is to stop: an abort of the run, a time limit, a discarded early start. */
	readonly signal: AbortSignal;
	/** Whether the call is to stop; synchronous, so that a loop that never yields can ask, on a thread too. */
	cancelled(): boolean;
	/** Tells whoever watches how far the call is, and restarts the idle limit. Data only; never reaches the ledger. */
	progress(update: JsonValue): void;
	/** The provider's id of the call, as given. */
	readonly callId: string;
	readonly runId: string;
	/** The call's place in its wave, from 0. */
	readonly index: number;
	/** The same for every attempt at this call, recovery included; pass it to systems that refuse repeats. */
	readonly idempotencyKey: string;
}
