// Invocable
//
// What a cleared call runs on. A face of the host gives `invoke`; the engine's own tools can also be begun, which
// tells apart the answer, the moment the work began, and the moment nothing of it runs any more.
//
// Owns:      the two shapes and the promise each makes.
// Does not:  place work (execution/executor.ts) or limit its time (execution/running-call.ts).

import type { ToolCall } from "./call.js";
import type { Outcome } from "./outcome.js";
import type { ToolContext } from "./tool-context.js";

/**
 * Runs one call. A throw or a rejection is that call's `TOOL_FAILED`.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface Invocable {
	/** Runs the call; what it answers is read once and copied. */
	invoke(call: ToolCall, context: ToolContext): Outcome | Promise<Outcome>;
}

/**
 * A piece of work that was handed over.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface Execution {
	/**
	 * Settles when nothing of the work runs any more: the tool's own promise settled, or its thread is seen dead. Never
	 * rejects.
	 */
	readonly ended: Outcome | Promise<Outcome>;
	/**
	 * A stop ends the work, whatever it does, so that what the work takes up can be waited for. Left out: nothing can end
	 * it, and whoever waits for its end may wait for ever.
	 */
	readonly endsWhenStopped?: true;
	/** Asks the work to stop, and ends its thread `graceMs` later if it has not. Idempotent. */
	stop(graceMs: number): void;
	/** Work that was handed over as an early start now belongs to an admitted call. Left out: nothing waits by rank here. */
	admitted?(): void;
}

/**
 * What an executor tells of work that was handed over.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface BeginHooks {
	/** Called once when the work begins to run, with its thread's number if it has one. Its clock starts here. */
	onBegan(thread?: number): void;
}

/** Names the member by which the engine's own are told; a `begin` of a host's object, a transaction's say, is its own. */
export const BEGIN: unique symbol = Symbol("begin");

/** An invocable of the engine's own. */
export interface Beginnable extends Invocable {
	[BEGIN](context: ToolContext, hooks: BeginHooks): Execution;
}

/** Whether it is one of the engine's own. Never throws, whatever a face gave for an invocable. */
export function isBeginnable(invocable: unknown): invocable is Beginnable {
	try {
		return typeof invocable === "object" && invocable !== null && BEGIN in invocable;
	} catch {
		return false;
	}
}
