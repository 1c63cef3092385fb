// Call state
//
// Where one call of a wave stands. One tagged union, one function that makes the moves; every stage asks the phase
// rather than keeping flags of its own.
//
//   planned ──▶ cleared ──▶ running ──▶ settled ──▶ accounted
//      │           ├──▶ wrapped ────────▲
//      │           └────────────────────┤
//      └── answered without a ticket ───┘
//
// A wrapped call is in the hands of its middleware, which may have it run never, once or again.
//
// Invariants:
//   K1. A call moves only along the arrows above, so it settles once and is accounted once.

import type { ToolMeta } from "../admission/concurrent-invoke.js";
import type { ToolCall } from "../core/call.js";
import { isRead } from "../core/effect.js";
import { invariant } from "../core/invariant.js";
import type { Outcome } from "../core/outcome.js";
import type { CallIdentity } from "../execution/call-context.js";
import type { Overrun } from "../execution/overrun.js";
import type { RunningCall } from "../execution/running-call.js";
import type { RanAs } from "../ledger/call-entries.js";
import type { EntryDraft } from "../ledger/entry.js";
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
	| { readonly kind: "settled" }
	| { readonly kind: "accounted"; readonly replayOf: number | undefined };

export const SETTLED = { kind: "settled" } as const;
export const ACCOUNTED = { kind: "accounted", replayOf: undefined } as const;

const NEXT: Readonly<Record<Phase<unknown>["kind"], readonly Phase<unknown>["kind"][]>> = {
	planned: ["cleared", "settled"],
	cleared: ["running", "wrapped", "settled"],
	running: ["settled"],
	wrapped: ["settled"],
	settled: ["accounted"],
	accounted: [],
};

const NOTHING: readonly EntryDraft[] = [];
const PLANNED = { kind: "planned" } as const;

export class CallState<T> {
	readonly index: number;
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
	/** The stamp of its admission. */
	at = 0;
	/** When its turn came, by the clock's monotonic reading. */
	turnMs = 0;
	lockMs = 0;
	/** Waited for its step's gate after its turn had come. */
	gateMs = 0;
	/** From its turn to the first time it asked for its keys or its slot; middleware took it. */
	wrapMs = 0;
	beganMs: number | undefined;
	ranMs = 0;
	overran: Overrun | undefined;
	ahead = false;
	#phase: Phase<T> = PLANNED;

	constructor(parts: Pick<CallState<T>, "index" | "path" | "call" | "meta" | "known" | "replayOf">) {
		this.index = parts.index;
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
		return this.known !== undefined || this.replayOf !== undefined;
	}

	/** Whether the call may run beside other safe calls of its wave. */
	get safe(): boolean {
		return this.answeredWithout || (this.meta?.isConcurrencySafe ?? this.read);
	}

	move(phase: Phase<T>): void {
		const allowed = NEXT[this.#phase.kind].includes(phase.kind);
		invariant(allowed, "K1", `call ${this.index} went from ${this.#phase.kind} to ${phase.kind}`);
		this.#phase = phase;
	}
}
