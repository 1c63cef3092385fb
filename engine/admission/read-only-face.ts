// Read-only face
//
// A face as the calls of a call that only reads see it: whatever is not a read is refused. What a read declares of itself
// must hold for everything it sets in motion; early starts and recovery rely on it.
//
// Owns:      the refusal of what is no read.
// Does not:  judge reads, run or account any call: the face behind it does.

import { isRead } from "../core/effect.js";
import { failed, type Outcome } from "../core/outcome.js";
import type { ConcurrentInvoke } from "./concurrent-invoke.js";
import { isPreparing, type PreparingFace } from "./preparing-face.js";

export function readOnlyFace<T>(face: ConcurrentInvoke<T>): ConcurrentInvoke<T> {
	const readOnly: ConcurrentInvoke<T> = {
		metaOf: (call) => face.metaOf(call),
		admit: (call, at) => {
			const meta = face.metaOf(call);
			return meta !== undefined && isRead(meta.effect) ? face.admit(call, at) : { answered: refusal(call.name) };
		},
		tool: (ticket) => face.tool(ticket),
		account: (call, ticket, answered) => face.account(call, ticket, answered),
		resolveCall: (call) => face.resolveCall?.(call) ?? call,
	};
	return isPreparing(face) ? { ...readOnly, ...preparing(face) } : readOnly;
}

type Preparing<T> = Omit<PreparingFace<T>, keyof ConcurrentInvoke<T>>;

function preparing<T>(face: PreparingFace<T>): Preparing<T> {
	return {
		prepare: (call, index) => face.prepare(call, index),
		parsed: (call) => face.parsed(call),
		answeredWithout: (call) => face.answeredWithout(call),
		another: (offered) => face.another(offered),
		rewrite: async (call) => {
			const rewritten = await face.rewrite(call);
			if (rewritten.kind === "answered" || isRead(rewritten.meta.effect)) return rewritten;
			return { kind: "answered", outcome: refusal(call.name) };
		},
		reclear: (call, before) => face.reclear(call, before),
		reclearForm: (call, before) => face.reclearForm(call, before),
		catchUp: (call, before, then) => face.catchUp(call, before, then),
		keysOf: (call) => face.keysOf(call),
		policyNames: () => face.policyNames(),
	};
}

function refusal(name: string): Outcome {
	const rule = "read-parent";
	const violation = `${name} is no read, and the call that makes it declares that it only reads.`;
	const alternative = "Make the call on its own, or declare the outer tool's effect as what it does.";
	return failed("DENIED", { message: violation, recovery: alternative, details: { rule, violation, alternative } });
}
