// Policy
//
// The port for rules about calls: an admission half that may answer, refuse or ask, an accounting half that may change
// what a call ended with, and a last look at every line before it is history. Policies run in their listed order at
// admission and in reverse at accounting and recording, so the first listed is the outermost, as with nested functions.
//
// Owns:      the port.
// Does not:  run policies (admission/policy-face.ts, accounting/recorded-ledger.ts) or ship any.

import type { ToolCall } from "../core/call.js";
import type { Effect, ToolAnnotations } from "../core/effect.js";
import type { JsonObject, JsonValue } from "../core/json-value.js";
import type { LockKeys } from "../core/lock-keys.js";
import type { Outcome } from "../core/outcome.js";

/**
 * What a policy may know of a call beside the call itself. `args` is what the tool's schema read.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface PolicyView {
	/** The run of the wave. */
	readonly runId: string;
	/** The run's step, from 0. */
	readonly step: number;
	/** The call's place in its wave, from 0. */
	readonly index: number;
	/**
	 * Of a call that another call made: the indexes of the calls it is nested in, outermost first, and its own among those
	 * that were made with it or before it, as its entry says. Left out for a call that the run's own model, or host, asked for.
	 */
	readonly lineage?: readonly number[];
	/**
	 * The first call of its segment, counted as the last of `lineage` is, or as `index` where there is none. What was
	 * accounted before that one is what the call may be judged by; what others of its segment bring in is not.
	 *
	 * @remarks Since 0.1.0.
	 */
	readonly segment: number;
	/**
	 * Of a call that another call made: those of the calls before `segment` that it had made and had not been answered when
	 * it made this one, counted as the last of `lineage` is; ascending, each range by its first and its last. Left out where
	 * it had been answered all of them.
	 *
	 * @remarks Since 0.1.0.
	 */
	readonly unanswered?: readonly (readonly [first: number, last: number])[];
	/** The stamp of the call's admission, in milliseconds since 1970; the same that its entry records. */
	readonly at: number;
	/** The arguments as the schema read them. */
	readonly args: unknown;
	/** What this call may do. */
	readonly effect: Effect;
	/** What the tool says of itself beside its effect. */
	readonly annotations?: ToolAnnotations;
	/**
	 * Middleware changed the arguments, and this is the call in its new form: beside `admit` of the form that the model
	 * asked for, which cleared it. What was reserved for the call is reserved. `account` is told of the form that ran last, of one that is no read before one that is.
	 */
	readonly rewritten?: true;
	/**
	 * The run goes on after a pause or a crash, and how far the call had come before it. At admission, and at the accounting
	 * of a call that is only told; left out for a call that comes here for the first time.
	 *
	 * - `'planned'`: nothing of it had begun. It is admitted now.
	 * - `'begun'`: it may have acted, and is admitted now to run again, because its tool allows that.
	 * - `'admitted'`: it had been admitted, and its entries are still to be written. Only told: what is said is not heard.
	 * - `'accounted'`: the ledger holds its entries. Only told, too.
	 *
	 * @remarks Since 0.1.0.
	 */
	readonly resumed?: "planned" | "begun" | "admitted" | "accounted";
	/**
	 * All the keys that the call took: those that its tool named, in every form that ran, and those that it locked while it
	 * ran. At accounting only, and only for a tool that has `lockKeys` and came so far. What the calls took that it made is
	 * told with those.
	 */
	readonly keys?: LockKeys;
}

/**
 * What a policy may know of a call that is about to begin, beside what it knew at admission.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface BeginView extends PolicyView {
	/** The keys that the call holds from now until its work has ended. Left out for a tool without `lockKeys`. */
	readonly held?: LockKeys;
	/** Whether no other call of its wave runs beside it: it is none that is safe. */
	readonly alone: boolean;
	/** The call may have begun before and asked a person, or have made a call that did, and runs from its beginning again. */
	readonly again?: true;
}

/**
 * A line of history before it is written.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface RecordedEntry {
	/** The entry's kind, such as `tool_called`. */
	readonly kind: string;
	/** The run it belongs to. */
	readonly runId: string;
	/** What the entry says, before it is written. */
	readonly data: JsonObject;
}

/**
 * What a policy says at admission: let the call on to the next policy, answer it without its tool, refuse it, or have a
 * person asked.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type Verdict =
	| "clear"
	| { readonly answer: Outcome }
	| { readonly deny: { readonly rule: string; readonly violation: string; readonly alternative: string } }
	| { readonly ask: JsonValue };

/**
 * What a policy says right before a call begins.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type BeginVerdict = Exclude<Verdict, { readonly ask: JsonValue }>;

/**
 * A rule about calls. A throw in any part is `POLICY_FAILED` for that call alone.
 *
 * One policy serves every run of its engine. What it remembers it keeps by `runId`, and changes only in `account`, or in
 * `admit` for what it reserves there: then the ledger is the same under every schedule. Where calls that run at once make
 * calls themselves, that is not enough, because nothing orders what these bring in: {@link runMemory} keeps that apart.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface Policy {
	/** What its refusals and failures are known by. */
	readonly name: string;
	/**
	 * Called once a call, in call order, before anything of it runs; and once more for each other form that middleware
	 * gives the call, once every call before it is accounted. Each form needs to be cleared to run.
	 */
	admit?(call: ToolCall, view: PolicyView): Verdict | Promise<Verdict>;
	/**
	 * Called for a cleared call that may change something, each time it begins, when it holds its keys and right before its
	 * intent is written: after any question, and after the calls before it that took the same keys. Calls that are safe
	 * beside each other begin in any order, so what this says and remembers may depend on the call, on files that its keys
	 * cover and on nothing else. It may end the call; nobody can be asked any more.
	 *
	 * @remarks Since 0.1.0.
	 */
	begin?(call: ToolCall, view: BeginView): BeginVerdict | Promise<BeginVerdict>;
	/**
	 * What `admit` says of a rewritten form depends on that form alone, on nothing that was admitted or accounted before;
	 * then it is asked without waiting for the calls before. Left out: `false`.
	 */
	readonly judgesFormAlone?: boolean;
	/** Called once a cleared call, in call order; an outcome returned takes the place of the one given. */
	account?(
		call: ToolCall,
		outcome: Outcome,
		view: PolicyView,
		// biome-ignore lint/suspicious/noConfusingVoidType: a policy that only watches returns nothing
	): Outcome | void | Promise<Outcome | void>;
	/**
	 * Called for each entry of a run right before it is written, in ledger order; the data returned is written instead.
	 * What the model reads is not touched. May add fields and change what was said, asked and answered. What a reader knows
	 * the line by must stay: which call and step it is of, the calls of a reply, whether a call succeeded and its error's code.
	 * A throw, and data in which any of that is another, leaves the content of that entry out of the ledger.
	 */
	record?(entry: RecordedEntry): JsonObject;
}
