// Middleware
//
// The port for code around a call: it runs after admission has cleared the call and before its tool does, and gets the
// outcome back. The first listed is the outermost, as with nested functions.
//
// Owns:      the port, and the question whether calls may start before it has had its say.
// Does not:  run middleware (middleware-layer.ts, wrapping.ts).

import type { ToolCall } from "../core/call.js";
import type { JsonObject } from "../core/json-value.js";
import type { Outcome } from "../core/outcome.js";

/**
 * A call on its way to its tool.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface WrappedCall extends ToolCall {
	/**
	 * The raw arguments as an object, whether the model's came as a value or as text, or what the middleware around this
	 * one made of them; frozen.
	 */
	readonly args: JsonObject;
	/** The run that the wave belongs to. */
	readonly runId: string;
	/** The step of that run, from 0. */
	readonly step: number;
	/** The call's place in its wave, from 0. */
	readonly index: number;
}

/**
 * Hands a call on to the next middleware and, behind the last, to its tool. Resolves to the outcome and does not reject.
 *
 * Given a call with other arguments, those are parsed anew, judged by the policies beside the model's own, and decide
 * effect, safety and keys; arguments that cannot run are `INVALID_ARGUMENTS`. A call has one tool: another name is refused
 * in the same way.
 *
 * Called again, it runs the call again, each time under a new intent if the call is not a read. But a call that is
 * neither a read nor `idempotent` is not repeated once it has ended in any way that may have changed something: with a
 * value, or `OUTCOME_UNKNOWN`. Then the same outcome is given again, whatever the arguments. Attempts of one call never run
 * beside each other. A middleware that calls it more than 100 times for one call has failed (`POLICY_FAILED`).
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type NextCall = (call?: Pick<ToolCall, "name" | "args">) => Promise<Outcome>;

/**
 * Code around calls: measures, changes arguments, answers, retries, vetoes (by an outcome without calling `next`).
 *
 * A call's `tool_called` entry is what the model asked for. Where it ran with other arguments, its `tool_result` says so
 * as `ranAs: { args, effect }`: the form that ran last, one that is no read before one that is. That form is also what
 * policies are told of at accounting.
 *
 * A throw, and an answer that is no outcome, is `POLICY_FAILED` for that call alone, naming the middleware. So is one that
 * takes more than ten minutes of its own, which start when it is called and anew when what it waits for of `next` has come;
 * they do not count toward the tool's limit. Once the wave is aborted nobody waits for it any more.
 *
 * @example
 * ```ts
 * const onceMore: Middleware = {
 *   name: 'once-more',
 *   async wrapToolCall(call, next) {
 *     const outcome = await next();
 *     return outcome.ok ? outcome : next();
 *   },
 * };
 * ```
 * @remarks Since 0.1.0.
 * @public
 */
export interface Middleware {
	/** What a failure of it is told by; not empty. */
	readonly name: string;
	/** Called for each call that admission cleared, nested calls included. */
	wrapToolCall(call: WrappedCall, next: NextCall): Outcome | Promise<Outcome>;
	/**
	 * It calls `next` once, changes no arguments, and what it returns is not looked at. Only with such middleware do reads
	 * start while the model still generates. Left out: `false`.
	 */
	readonly observesOnly?: boolean;
}

/** Whether every one only observes, so that no call can turn into another and none can be kept from running. */
export function onlyObserve(middleware: readonly Middleware[]): boolean {
	return middleware.every(({ observesOnly }) => observesOnly === true);
}
