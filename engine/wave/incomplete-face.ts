// Incomplete face
//
// A face as the calls of a reply that was cut see it: each of them is answered before any stage.
//
// Owns:      that answer.
// Does not:  decide that a reply was cut (step.ts, or the reader of an agent's replies).

import type { PreparingFace } from "../admission/preparing-face.js";
import { type CutReason, incompleteReply } from "../core/cut-short.js";
import { InvariantError } from "../core/invariant.js";

// ST2: the calls go through the stages so that each has its outcome and its lines, and none can be cleared.
export function incomplete<T>(face: PreparingFace<T>, reason: CutReason): PreparingFace<T> {
	const outcome = incompleteReply(reason);
	const never = (): never => {
		throw new InvariantError("ST2", "a call of an incomplete reply came to admission");
	};
	return {
		prepare: (call, index) => face.prepare(call, index),
		segmentBegins: () => undefined,
		parsed: () => undefined,
		metaOf: (call) => face.metaOf(call),
		answeredWithout: () => outcome,
		begins: never,
		another: never,
		rewrite: never,
		reclear: never,
		reclearForm: never,
		catchUp: never,
		tookKeys: never,
		keysOf: () => undefined,
		policyNames: () => [],
		admit: never,
		tool: never,
		account: never,
	};
}
