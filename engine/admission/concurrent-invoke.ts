// ConcurrentInvoke
//
// The face: a wave's tools in three stages, so that the calls that only read run at once while everything they decide
// stays in call order. The port of the trait of the same name; the engine's own face (policy-face.ts) is built from
// policies, and a host may bring its own.
//
// Owns:      the port and what its stages hand to each other.
// Does not:  drive the stages (wave/wave.ts).

import type { ToolCall } from "../core/call.js";
import type { Effect } from "../core/effect.js";
import type { Invocable } from "../core/invocable.js";
import type { LockKeys } from "../core/lock-keys.js";
import type { Outcome } from "../core/outcome.js";
import type { ApprovalNeed } from "../core/question.js";
import type { ToolContext } from "../core/tool-context.js";

/**
 * The registration of a call's tool, as far as the stages need it.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface ToolMeta {
	/** The tool's name. */
	readonly name: string;
	/** What this call may do. */
	readonly effect: Effect;
	/** Left out: `effect` is `'read'`. */
	readonly isConcurrencySafe?: boolean;
	/** Copied into the call's entry. Left out: `'generic'`. */
	readonly render?: string;
	/** A lost call may run again. Left out: it may not. */
	readonly idempotent?: boolean;
	/** Longest the call may run, in milliseconds, from the moment its work begins. Left out: `timeouts.toolMs`. */
	readonly timeoutMs?: number;
	/** How a person is shown the call. Asked only while somebody watches; it does not throw. */
	readonly title?: () => string | undefined;
	/** Why a person must approve the call before it runs, and how they are shown it. Left out: nobody must. */
	readonly approval?: ApprovalNeed;
	/** What the call changes. */
	readonly lockKeys?: (context: ToolContext) => LockKeys | Promise<LockKeys>;
	/** A stamp of what the call reads, as data or a promise of it; asked for early starts alone. */
	readonly observed?: () => unknown;
}

/**
 * What admission says: an answer that needs no tool, or a ticket of the face's own. With `ask` either holds only if a
 * person approves.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type Admitted<T> = ({ readonly answered: Outcome } | { readonly cleared: T }) & {
	/** What an `always` of the person covers, and what they are told beside the call. */
	readonly ask?: { readonly rule: string; readonly detail: string };
};

/**
 * A wave's tools in three stages. A throw in any member is `POLICY_FAILED` for that call alone.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface ConcurrentInvoke<T = unknown> {
	/** The registration of the call's tool; `undefined` for a tool the face does not know, which is not read-only. */
	metaOf(call: ToolCall): ToolMeta | undefined;
	/** Stage one, one call at a time in call order. `at` is the stamp that the call's entry records. */
	admit(call: ToolCall, at: number): Admitted<T> | Promise<Admitted<T>>;
	/** Stage two: what a cleared call runs on. */
	tool(ticket: T): Invocable;
	/** Stage three, one call at a time in call order: what the model reads back. Called once for every ticket. */
	account(call: ToolCall, ticket: T, answered: Outcome): Outcome | Promise<Outcome>;
	/** The call behind a call through another tool, resolved before anything reads a registration. */
	resolveCall?(call: ToolCall): ToolCall;
	/** What a read would run on before it is admitted; `undefined`, as when left out, starts nothing early. */
	ahead?(call: ToolCall): Invocable | undefined;
}
