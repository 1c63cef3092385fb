// Quiet context
//
// The context of a call that nobody watches and nobody stops, for tests that run a tool's code by itself.

import type { ToolContext } from "../../engine/core/tool-context.js";

/** `cancelled` and `progress` may be given; the rest is of no interest. */
export function quietContext(given: Partial<ToolContext> = {}): ToolContext {
	return {
		signal: new AbortController().signal,
		cancelled: () => false,
		progress: () => undefined,
		lock: async () => () => undefined,
		invokeTool: () => Promise.reject(new Error("a quiet context has no tools")),
		interrupt: () => Promise.reject(new Error("a quiet context has nobody to ask")),
		callId: "call",
		runId: "run",
		index: 0,
		idempotencyKey: "key",
		...given,
	};
}
