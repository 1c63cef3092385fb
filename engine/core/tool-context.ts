// Tool context
//
// What a tool is given beside its arguments. One shape inline and on threads; a tool that does not use it pays nothing
// for it, so everything that costs (the signal, the link to the host) is made on first use.
//
// Owns:      the context's shape, and what each member promises.
// Does not:  make one (execution/call-context.ts on the host, workers/thread-context.ts on a thread).

import type { Binary, JsonValue } from "./json-value.js";
import type { LockKeys } from "./lock-keys.js";

/**
 * What a tool answered: data, binary, or nothing.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type ToolValue = JsonValue | Binary | undefined;

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
	/**
	 * Waits until the call holds all the keys, beside those its `lockKeys` named. What is not let go is let go when the
	 * call's work ends. Keys that the call or a call around it holds are had at once.
	 *
	 * @throws What the tool's run was aborted with; EngineError `LOCK_WAIT_EXPIRED`, `TOOL_LOCK_CYCLE`, `INVALID_OPTIONS`.
	 */
	lock(keys: LockKeys): Promise<() => void>;
	/**
	 * Runs another tool of the same engine as a part of this call: admitted and accounted like any call, its lines between
	 * this call's two. It holds its locks as a descendant of this call, and needs no slot of its own. A call that only
	 * reads may invoke only what reads.
	 *
	 * @returns What the tool answered.
	 * @throws ToolCallError with the outcome's code; LockCycleError where waiting would never end.
	 */
	invokeTool(name: string, args: unknown): Promise<ToolValue>;
	/**
	 * Asks a person, and gives their answer. The first time it does not return: the call is unwound (its keys, its slot and
	 * its thread go back), and once the answer is there it runs again from its beginning; then the answers it had come back
	 * in the order in which it asks, and the nested calls that had finished are answered from memory. So do nothing before
	 * a question that must not happen twice, but by `invokeTool`. A call that has asked may not do anything else.
	 *
	 * @param question - Any data.
	 * @throws Where nobody can be asked, ToolCallError `DENIED` (rule `no-asker`); TypeError for a question that is no data.
	 */
	interrupt(question: JsonValue): Promise<JsonValue>;
	/** The provider's id of the call, as given. */
	readonly callId: string;
	/** The run the call belongs to. */
	readonly runId: string;
	/** The call's place in its wave, from 0. */
	readonly index: number;
	/** The same for every attempt at this call, recovery included; pass it to systems that refuse repeats. */
	readonly idempotencyKey: string;
}
