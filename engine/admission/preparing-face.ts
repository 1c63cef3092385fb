// Preparing face
//
// The part of a face that only the engine's own has: calls are prepared before the stages, some need none of them, and a
// call that was admitted before a pause is cleared again without anybody being asked twice.
//
// Owns:      that part of the port.
// Does not:  implement it (policy-face.ts, read-only-face.ts).

import type { ToolCall } from "../core/call.js";
import type { LockKeys } from "../core/lock-keys.js";
import type { NumberRange } from "../core/number-ranges.js";
import type { Outcome } from "../core/outcome.js";
import type { Tool } from "../core/tool.js";
import type { ToolSet } from "../core/tool-set.js";
import type { BeginView } from "../policy/policy.js";
import type { Over } from "./ask-policies.js";
import type { ConcurrentInvoke } from "./concurrent-invoke.js";
import type { Rewritten } from "./rewritten.js";

/** What is remembered of a call's admission. */
export interface AdmittedBefore {
	readonly at: number;
	/** The keys that the call took. */
	readonly keys?: LockKeys;
}

/** What policies are told of that were not there. */
export interface ToldOf {
	/** The policies that were. */
	readonly names: readonly string[];
	/** What the call ended with; left out: it was admitted. */
	readonly settled?: Outcome;
	/** Whether that is what accounting made of it. */
	readonly isFinal?: boolean;
	readonly rewritten?: boolean;
	/** Whether the ledger holds its entries. */
	readonly isRecorded: boolean;
	/** The rule that had refused it, where its outcome says so. */
	readonly refusedBy?: string;
}

/** Where the calls of a wave stand that a call has made. */
export interface CallsBelow {
	/** The path of the call that made them. */
	readonly path: readonly number[];
	/** The index of the first of them among all calls that it made. */
	readonly firstIndex: number;
	/** Those of the calls that it had made before and had not been answered when it made these. Left out: none. */
	readonly unanswered?: readonly NumberRange[];
}

/** How a call comes to admission. */
export interface AdmitsAs {
	/** How far it had come before a pause or a crash, where it is admitted anew. */
	readonly resumed?: "planned" | "begun" | undefined;
	/** Left out: somebody always waits for what the policies say. */
	readonly over?: Over | undefined;
}

/** How a call begins. */
export interface BeginsAs {
	readonly as: Pick<BeginView, "held" | "alone" | "again">;
	readonly over: Over;
}

export interface PreparingFace<T> extends ConcurrentInvoke<T> {
	admit(call: ToolCall, at: number, how?: AdmitsAs): ReturnType<ConcurrentInvoke<T>["admit"]>;
	prepare(call: ToolCall, index: number): void | Promise<void>;
	/** The calls that come to admission, or are told, from here on are of the segment that begins with this index. */
	segmentBegins(from: number): void;
	/**
	 * The policies' last word on a cleared call that may change something, once it holds its keys: its outcome where it does
	 * not begin. Nothing at once where no policy has one. No further one is asked once it is over. Never rejects.
	 */
	begins(call: ToolCall, ticket: T, how: BeginsAs): undefined | Promise<Outcome | undefined>;
	/** The outcome of a call that needs no tool, so that it never holds others back. */
	answeredWithout(call: ToolCall): Outcome | undefined;
	/** The arguments of a prepared call as its tool's schema read them; nothing for a call that is answered without one. */
	parsed(call: ToolCall): { readonly tool: Tool; readonly args: unknown } | undefined;
	/** The same face for a nested wave; `offered` are the tools that its calls may name, if not all. */
	another(below: CallsBelow, offered?: ToolSet): PreparingFace<T>;
	/** A call that was cleared, in another form: worked out anew from its raw arguments. */
	rewrite(call: ToolCall): Rewritten<T> | Promise<Rewritten<T>>;
	/** The ticket of a call that admission cleared before a pause. Throws `INVALID_CHECKPOINT` where it cannot run here. */
	reclear(call: ToolCall, before: AdmittedBefore): T;
	/** The same for a form of it that middleware made; the keys that the call took are told with the call itself. */
	reclearForm(call: ToolCall, before: AdmittedBefore): Promise<T>;
	/**
	 * Tells the policies that are not among `names` what the others have known since before a pause: that the call was
	 * admitted or, with `settled`, what it ended with; `rewritten` says that middleware made this form of it. What they
	 * say to it was heard then. Whether they clear the call, which after a crash is all that is known of it.
	 */
	catchUp(call: ToolCall, before: AdmittedBefore, then: ToldOf): Promise<boolean>;
	/**
	 * The call, in one of its forms, took these keys: those that its tool names, and what it locks while it runs. Called only
	 * for a tool that names keys.
	 */
	tookKeys(call: ToolCall, keys: LockKeys): void;
	/** All the keys that the call took, in whichever forms. */
	keysOf(call: ToolCall): LockKeys | undefined;
	/** The names of the policies that admit or account, by which {@link PreparingFace.catchUp} knows them again. */
	policyNames(): readonly string[];
}

export function isPreparing<T>(face: ConcurrentInvoke<T>): face is PreparingFace<T> {
	return "prepare" in face && "answeredWithout" in face;
}
