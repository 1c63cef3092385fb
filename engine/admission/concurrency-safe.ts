// Concurrency safe
//
// The question of the barrier rule, for code that schedules calls of its own: may this call run beside other safe ones?
//
// Owns:      that question, with `false` for whatever cannot be told.
// Does not:  schedule anything (execution/schedule.ts), or judge calls of the engine's own waves (prepare-call.ts).

import type { ToolCall } from "../core/call.js";
import { systemClock } from "../core/clock.js";
import { isThenable } from "../core/thenable.js";
import type { Tool } from "../core/tool.js";
import { ToolSet } from "../core/tool-set.js";
import { prepareCall } from "./prepare-call.js";

/**
 * Whether a call of the tool with these raw arguments may run beside other safe calls: what the tool's
 * `isConcurrencySafe` says of the arguments as its schema reads them or, left out, whether its effect is `'read'`.
 *
 * In doubt the answer is no: no tool, arguments that the schema refuses or reads only by a promise, a check that throws
 * or answers anything but `true`.
 *
 * @param args - A JSON value or JSON text.
 * @remarks Since 0.1.0.
 * @public
 */
export function isConcurrencySafe(tool: Tool | undefined, args: unknown): boolean {
	if (tool === undefined) return false;
	const call: ToolCall = { id: "", name: tool.name, args };
	const prepared = prepareCall(new ToolSet([tool]), call, systemClock);
	if (isThenable(prepared)) return false;
	return prepared.kind === "ready" && prepared.meta.isConcurrencySafe === true;
}
