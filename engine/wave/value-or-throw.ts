// Value or throw
//
// A call's outcome as code that made the call by itself wants it: the value, or something to catch.
//
// Owns:      which error an outcome becomes.
// Does not:  run the call, or word its outcome.

import type { Outcome } from "../core/outcome.js";
import { ToolCallError } from "../core/tool-call-error.js";
import type { ToolValue } from "../core/tool-context.js";
import { LockCycleError } from "../locks/lock-cycle.js";

export function valueOrThrow(name: string, outcome: Outcome): ToolValue {
	if (outcome.ok) return outcome.value;
	const { error } = outcome;
	const circle = error.details?.circle;
	if (error.code === "TOOL_LOCK_CYCLE" && typeof circle === "string") throw new LockCycleError(circle);
	throw new ToolCallError(name, error);
}
