// Call state
//
// Where one call of a wave stands. One tagged union, one function that makes the moves; every stage asks the phase
// rather than keeping flags of its own.
//
//   planned ──▶ cleared ──▶ running ──▶ settled ──▶ accounted
//      │ │         │ ▲ │      │            ▲
//      │ │         │ │ └──▶ wrapped ──────▶│
//      │ └───────▶ asking ◀───┴────        │
//      │              └───────────────────▶│
//      └── answered without a ticket ──────┘
//
// A wrapped call is in the hands of its middleware, which may have it run never, once or again; where a call before it
// asks a person, it may have to go back and begin anew. A call that waits for a person is asking: it holds nothing, and
// goes on from what was decided about it before.
//
// Owns:      the phases and their moves, and what is noted of a call on its way: what it was told, what it settled with.
// Does not:  decide when a call moves (wave-state.ts), keep its times (call-times.ts) or work out its timing
//            (call-timing.ts).
//
// Invariants:
//   K1. A call moves only along the arrows above, so it settles once and is accounted once.

import type { Settled } from "../accounting/account.js";
import type { Admitted, ToolMeta } from "../admission/concurrent-invoke.js";
import type { ToolCall } from "../core/call.js";
import {
	type AskRecord,
	type CallMemory,
	type CallRecord,
	type MadeRecord,
	NO_TIMING,
	type TimingRecord,
} from "../core/call-record.js";
import { crashed } from "../core/cut-short.js";
import { isRead } from "../core/effect.js";
import { broken } from "../core/invariant.js";
import type { Outcome } from "../core/outcome.js";
import type { CallIdentity } from "../execution/call-identity.js";
import type { Overrun } from "../execution/overrun.js";
import type { RunningCall } from "../execution/running-call.js";
import type { RanAs } from "../ledger/call-entries.js";
import type { EntryDraft } from "../ledger/entry.js";
import { type CallTimes, TimedCall } from "./call-times.js";
import type { Abortable } from "./wave-options.js";

/** The form of a call that admission cleared and that accounting is told of. */
export interface Cleared<T> {
	readonly call: ToolCall;
	readonly ticket: T;
}

/** What the middleware around a call knows of it. */
export interface Wrapped<T> extends Abortable {
	/** What names every attempt at the call. */
	readonly identity: CallIdentity;
	/** The form that ran last, if any did; one that is no read before one that is. */
	readonly ran: Cleared<T> | undefined;
	/** The same for the call's entry, where it is not what the model asked for. */
	readonly ranAs: RanAs | undefined;
}

export type Phase<T> =
	| { readonly kind: "planned" }
	| { readonly kind: "cleared"; readonly ticket: T }
	| { readonly kind: "running"; readonly ticket: T; readonly running: RunningCall }
	| { readonly kind: "wrapped"; readonly ticket: T; readonly by: Wrapped<T> }
	| { readonly kind: "asking"; readonly admitted: Admitted<T> }
	| typeof SETTLED
	| { readonly kind: "accounted"; readonly replayOf: number | undefined };

export const SETTLED = { kind: "settled" } as const;
export const ACCOUNTED = { kind: "accounted", replayOf: undefined } as const;

const NEXT: Readonly<Record<Phase<unknown>["kind"], readonly Phase<unknown>["kind"][]>> = {
	planned: ["cleared", "asking", "settled"],
	cleared: ["running", "wrapped", "asking", "settled"],
	running: ["asking", "settled"],
	wrapped: ["cleared", "asking", "settled"],
	asking: ["cleared", "settled"],
	settled: ["accounted"],
	accounted: [],
};

const NOTHING: readonly EntryDraft[] = [];
const PLANNED = { kind: "planned" } as const;

/** What is decided about a call before anything is asked about it. */
export type PlannedCall = Pick<CallState<unknown>, "index" | "path" | "call" | "meta" | "known" | "replayOf">;

export class CallState<T> extends TimedCall {
	/** The indexes of the calls that the call is nested in, outermost first, and its own. */
	readonly path: readonly number[];
	/** The call behind the call, as the stages and the ledger see it. */
	readonly call: ToolCall;
	readonly meta: ToolMeta | undefined;
	/** Known before admission: the call needs no tool. */
	readonly known: Outcome | undefined;
	/** The equal call of a lower index that this one repeats. */
	readonly replayOf: number | undefined;
	/** What was received before the call, for the ledger. */
	before: readonly EntryDraft[] = NOTHING;
	ahead = false;
	/** What it settled with, until it is accounted. */
	settled: Settled | undefined;
	/** Whether accounting asked the face about it. */
	hadTicket = false;
	#phase: Phase<T> = PLANNED;

	// What is noted of few calls is declared alone, so that it takes no room in the states of all others.

	/** Whose calls those are that its tool makes to tell its keys, once it was started. */
	declare identity: CallIdentity | undefined;
	declare overran: Overrun | undefined;
	/** It was aborted by itself. */
	declare aborted: { readonly reason: unknown } | undefined;
	/** When it was ready to run, where that was not at the wave's start. */
	declare readyMs: number | undefined;
	/** What its runs before this one took. */
	declare earlier: TimingRecord | undefined;
	/** What it has asked and been told. */
	declare memory: CallMemory | undefined;
	/** Since when it waits for a person, in milliseconds since 1970. */
	declare waitsSince: number | undefined;
	/** What a policy wants a person asked about it. */
	declare ask: AskRecord | undefined;
	/** What a person decided about it before anything was scheduled: it does not run. */
	declare decided: Outcome | undefined;
	/** The form that it ran as, where that is not the one it was asked for in. */
	declare ranAs: RanAs | undefined;
	/** The calls that it made, where policies have seen them. */
	declare made: readonly MadeRecord[] | undefined;
	/** What it settled with, where accounting made something else of it. */
	declare settledAs: Outcome | undefined;
	/** When it had begun to act in a process that ended, until it runs again. */
	declare begun: number | undefined;
	/** How far it had come before a pause, until it is taken up. */
	declare record: CallRecord | undefined;

	constructor(parts: PlannedCall, times: CallTimes) {
		super(parts.index, times);
		this.path = parts.path;
		this.call = parts.call;
		this.meta = parts.meta;
		this.known = parts.known;
		this.replayOf = parts.replayOf;
	}

	get phase(): Phase<T> {
		return this.#phase;
	}

	/** Whether the call only reads; a call whose tool is not known is taken for one that does not. */
	get read(): boolean {
		return this.meta !== undefined && isRead(this.meta.effect);
	}

	/** Needs no tool, so it holds nobody back and waits for nobody. */
	get answeredWithout(): boolean {
		return this.known !== undefined || this.replayOf !== undefined || this.decided !== undefined;
	}

	/** Whether the call may run beside other safe calls of its wave. */
	get safe(): boolean {
		return this.answeredWithout || (this.meta?.isConcurrencySafe ?? this.read);
	}

	/** A person has said what it waited for: it may run again from now on. */
	answered(now: number, readyMs: number): void {
		const earlier = this.earlier ?? NO_TIMING;
		const personMs = earlier.personMs + Math.max(0, now - (this.waitsSince ?? now));
		this.earlier = { ...earlier, personMs };
		this.waitsSince = undefined;
		this.readyMs = readyMs;
	}

	/**
	 * How it ends, once something has answered it. One that had begun before a crash and does not run again has changed
	 * nobody knows what, whatever keeps it from running; only a value says that somebody does know.
	 */
	endOf(answered: Outcome): Outcome {
		if (this.begun === undefined || answered.ok || hasRunHere(this.#phase)) return answered;
		return crashed(this.call.name);
	}

	/** Its run has ended without an outcome: the next one counts its time anew, on top of what this one took. */
	unwound(earlier: TimingRecord): void {
		if (this.begun !== undefined && hasRunHere(this.#phase)) this.begun = undefined;
		this.earlier = earlier;
		this.turnMs = 0;
		this.lockMs = 0;
		this.gateMs = 0;
		this.wrapMs = 0;
		this.beganMs = undefined;
		this.ranMs = 0;
		this.awayMs = 0;
	}

	move(phase: Phase<T>): void {
		const { kind } = this.#phase;
		if (!NEXT[kind].includes(phase.kind)) broken("K1", `call ${this.index} went from ${kind} to ${phase.kind}`);
		this.#phase = phase;
	}
}

function hasRunHere(phase: Phase<unknown>): boolean {
	return phase.kind === "running" || (phase.kind === "wrapped" && phase.by.ran !== undefined);
}
