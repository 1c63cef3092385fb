// Read-only face
//
// A face as the calls of a call that only reads see it: whatever is not a read is refused. What a read declares of itself
// must hold for everything it sets in motion; early starts and recovery rely on it.
//
// Owns:      the refusal of what is no read.
// Does not:  judge reads, run or account any call: the face behind it does.

import type { ToolCall } from "../core/call.js";
import { denied } from "../core/denied.js";
import { isRead } from "../core/effect.js";
import type { Outcome } from "../core/outcome.js";
import type { ConcurrentInvoke } from "./concurrent-invoke.js";
import { isPreparing, type PreparingFace } from "./preparing-face.js";

export function readOnlyFace<T>(face: ConcurrentInvoke<T>): ConcurrentInvoke<T> {
	const readOnly: ConcurrentInvoke<T> = {
		metaOf: (call) => face.metaOf(call),
		admit: (call, at) => {
			return isReadOf(face, call) ? face.admit(call, at) : { answered: refusal(call.name) };
		},
		tool: (ticket) => face.tool(ticket),
		account: (call, ticket, answered) => face.account(call, ticket, answered),
		resolveCall: (call) => face.resolveCall?.(call) ?? call,
	};
	return isPreparing(face) ? { ...readOnly, ...preparing(face) } : readOnly;
}

type Preparing<T> = Omit<PreparingFace<T>, Exclude<keyof ConcurrentInvoke<T>, "admit">>;

function preparing<T>(face: PreparingFace<T>): Preparing<T> {
	return {
		admit: (call, at, how) => {
			return isReadOf(face, call) ? face.admit(call, at, how) : { answered: refusal(call.name) };
		},
		prepare: (call, index) => face.prepare(call, index),
		segmentBegins: (from) => face.segmentBegins(from),
		parsed: (call) => face.parsed(call),
		begins: (call, ticket, how) => face.begins(call, ticket, how),
		answeredWithout: (call) => face.answeredWithout(call),
		another: (below, offered) => face.another(below, offered),
		rewrite: async (call) => {
			const rewritten = await face.rewrite(call);
			if (rewritten.kind === "answered" || isRead(rewritten.meta.effect)) return rewritten;
			return { kind: "answered", outcome: refusal(call.name) };
		},
		reclear: (call, before) => face.reclear(call, before),
		reclearForm: (call, before) => face.reclearForm(call, before),
		// Nobody asked a policy about what is refused here.
		catchUp: async (call, before, then) => isReadOf(face, call) && face.catchUp(call, before, then),
		tookKeys: (call, keys) => face.tookKeys(call, keys),
		keysOf: (call) => face.keysOf(call),
		policyNames: () => face.policyNames(),
	};
}

function isReadOf<T>(face: ConcurrentInvoke<T>, call: ToolCall): boolean {
	const meta = face.metaOf(call);
	return meta !== undefined && isRead(meta.effect);
}

function refusal(name: string): Outcome {
	const rule = "read-parent";
	const violation = `${name} is no read, and the call that makes it declares that it only reads.`;
	const alternative = "Make the call on its own, or declare the outer tool's effect as what it does.";
	return denied({ rule, violation, alternative });
}
