// Begin call
//
// The engine's own invocables tell their beginning from their end; a host's has one function, which may throw, reject, or
// answer something that is no outcome. Either becomes an execution whose end is always an outcome.
//
// Owns:      what a host's function may do and what becomes of it.
// Does not:  limit or stop the call (running-call.ts).

import type { ToolCall } from "../core/call.js";
import { BEGIN, type BeginHooks, type Execution, type Invocable, isBeginnable } from "../core/invocable.js";
import { failed, type Outcome, taken, threw } from "../core/outcome.js";
import { showValue } from "../core/show-value.js";
import { isThenable } from "../core/thenable.js";
import { runInLineage } from "../locks/lineage.js";
import type { CallContext } from "./call-context.js";

export interface ToBegin {
	readonly call: ToolCall;
	readonly invocable: Invocable;
	readonly context: CallContext;
}

const nothing = (): void => undefined;

export function beginCall({ call, invocable, context }: ToBegin, hooks: BeginHooks): Execution {
	if (isBeginnable(invocable)) return invocable[BEGIN](context, hooks);
	hooks.onBegan();
	return { ended: invoke(invocable, call, context), stop: nothing };
}

function invoke(invocable: Invocable, call: ToolCall, context: CallContext): Outcome | Promise<Outcome> {
	try {
		const outcome = runInLineage(context.lineage, () => invocable.invoke(call, context));
		return isThenable(outcome) ? Promise.resolve(outcome).then(checked, threw) : checked(outcome);
	} catch (error) {
		return threw(error);
	}
}

function checked(outcome: Outcome): Outcome {
	const own = taken(outcome);
	return own ?? failed("TOOL_FAILED", { message: `The tool answered ${showValue(outcome)}, which is no outcome.` });
}
