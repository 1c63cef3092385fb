// Executor
//
// The port between the stages and wherever a tool's code runs. Two adapters: `workers/inline.ts` runs a function on the
// host's thread, `workers/pool.ts` an export of a module on a worker thread. A host may bring another (host-executor.ts). All pass
// `engine/testing/executor-contract.ts`.
//
// Owns:      the port.
// Does not:  decide when a call may run, nor how long (running-call.ts).
//
// Promises that both adapters keep:
//   X1. `ended` settles exactly once and never rejects, whatever the tool, its thread or the pool does.
//   X2. `onBegan` is called at most once, before `ended` settles; never for work that did not begin.
//   X3. `ended` settles only when nothing of the work runs any more.
//   X4. After `stop` of work that has not begun, it never begins, and `ended` is ABORTED_BEFORE_DISPATCH. Of work that
//       has begun unreported, `stop` reports the beginning before it returns: ask whether it began after the stop.
//   X5. Admitted jobs of one tool begin in the order they were given, before any of its jobs that is ahead. Between
//       tools a lane may let a later one pass, and a thread keeps the few short reads it already has in hand.

import type { BeginHooks, Execution } from "../core/invocable.js";
import type { ThreadRef } from "../core/thread-ref.js";
import type { ToolContext } from "../core/tool-context.js";

/**
 * A function of this thread.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type InlineWork = (args: never, context: ToolContext) => unknown;

/**
 * The code of a tool: a function of this thread, or where one is found on another.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type Work = InlineWork | ThreadRef;

/**
 * One call's work, handed to an {@link Executor}.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface Job<W extends Work = Work> {
	/** The code. */
	readonly work: W;
	/** The arguments as the tool's schema read them. */
	readonly args: unknown;
	/** The host's side of the context; a thread reaches it over a link. */
	readonly context: ToolContext;
	/** An early start gives way to admitted calls in every queue. */
	readonly ahead: boolean;
	/** A read may be handed to a thread before the one before it has ended. Left out: not a read. */
	readonly read?: boolean;
	/** Who is told that the work begins. */
	readonly hooks: BeginHooks;
}

/**
 * What a close had to leave: work that neither settled nor could be ended in time.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface CloseReport {
	/** How many calls still ran when the close gave up waiting for them. */
	readonly abandoned: number;
}

/**
 * Where a tool's code runs. Work ends in an outcome: what the tool answered, `TOOL_FAILED` for what it threw,
 * `NOT_CLONEABLE` for what is no data, `WORKER_LOST` where it was lost after it had begun, `ABORTED_BEFORE_DISPATCH` where it
 * never began. `executorContract` of `wavetrain/testing` holds what an executor promises.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface Executor<W extends Work = Work> {
	/** Takes work over; it begins now or once there is room. Does not throw. */
	start(job: Job<W>): Execution;
	/** Refuses new work, stops what runs, and resolves within `graceMs` and the close limit. Idempotent. */
	close(graceMs: number): Promise<CloseReport>;
}
