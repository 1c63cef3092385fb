// Serial face
//
// A face of one closure: it answers every call as it admits it and declares no effect, so its waves are serial. For
// scripts and tests, and for a host that wants the order and the ledger but runs its tools by itself.
//
// Owns:      making the face of the closure.
// Does not:  run the wave (execute-concurrent.ts does, as with any face).

import type { ToolCall } from "../core/call.js";
import { InvariantError } from "../core/invariant.js";
import type { Outcome } from "../core/outcome.js";
import type { ConcurrentInvoke } from "./concurrent-invoke.js";

/**
 * A {@link ConcurrentInvoke} whose every call is answered by `answer` as it is admitted, one after another in call order.
 *
 * A throw of `answer` is `POLICY_FAILED` for that call alone. No intent is written before it: the closure acts inside
 * admission.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export function serialFace(
	answer: (call: ToolCall, at: number) => Outcome | Promise<Outcome>,
): ConcurrentInvoke<never> {
	return {
		metaOf: () => undefined,
		admit: async (call, at) => ({ answered: await answer(call, at) }),
		tool: neverCleared,
		account: neverCleared,
	};
}

function neverCleared(): never {
	throw new InvariantError("serial face", "a call of a serial face was cleared");
}
