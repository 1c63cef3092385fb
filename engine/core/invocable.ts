// Invocable
//
// What a cleared call runs on. A face of the host gives `invoke`; the engine's own tools also give `begin`, which tells
// apart the answer, the moment the work began, and the moment nothing of it runs any more.
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
	invoke(call: ToolCall, context: ToolContext): Outcome | Promise<Outcome>;
}

/** A piece of work that was handed over. */
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

export interface BeginHooks {
	/** Called once when the work begins to run, with its thread's number if it has one. Its clock starts here. */
	onBegan(thread?: number): void;
}

/** An invocable of the engine's own. */
export interface Beginnable extends Invocable {
	begin(context: ToolContext, hooks: BeginHooks): Execution;
}

export function isBeginnable(invocable: Invocable): invocable is Beginnable {
	return "begin" in invocable;
}
