// Wave options
//
// What a wave is run with, each value settled: defaults were filled in and contradictions refused by whoever built it
// (options.ts for an engine, execute-concurrent.ts for a face of the host's own).
//
// Owns:      the shapes, and what each value means to a wave.
// Does not:  hold defaults or check anything.

import type { ReplyAhead } from "../ahead/early-starts.js";
import type { ToolCall } from "../core/call.js";
import type { CallRecord } from "../core/call-record.js";
import type { Clock } from "../core/clock.js";
import type { CutReason } from "../core/cut-short.js";
import type { EventHub } from "../core/events.js";
import type { JsonValue } from "../core/json-value.js";
import type { AskedQuestion } from "../core/question.js";
import type { Tool } from "../core/tool.js";
import type { SlotSource } from "../execution/slots.js";
import type { CutCall } from "../ledger/checkpoint.js";
import type { Ledger } from "../ledger/ledger.js";
import type { KeyedLock } from "../locks/keyed-lock.js";
import type { Lineage } from "../locks/lineage.js";
import type { AdmissionTurn } from "./admission-turns.js";
import type { Middleware } from "./middleware.js";

/**
 * How a wave's cleared calls run.
 *
 * `'serial'`: one after another; costs all the waiting. `'leading-reads'`: the reads that a wave begins with at once,
 * then one after another. `'barriers'`: every run of consecutive safe calls at once, each other call alone.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type Schedule = "serial" | "leading-reads" | "barriers";

/**
 * What the host says before each call: go on, go on and tell the model something after the step, or start no more.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type StillGoing = "go" | "cancel" | { readonly steer: string };

/**
 * Time limits, in milliseconds. Infinity is no limit.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface Timeouts {
	/**
	 * Longest a call may run; its clock starts when its work begins. At the limit a read is `TIMED_OUT`, any other call
	 * `OUTCOME_UNKNOWN`. A tool's own `timeout` wins. Default `30_000`; minimum `1`.
	 */
	readonly toolMs: number;
	/**
	 * Longest between two progress reports of a call, from when its work begins, while it waits for no call that it made; at
	 * the limit it ends as at `toolMs`. Default: no limit; minimum `1`.
	 */
	readonly idleMs: number;
	/**
	 * Longest a wave, or a whole run, may take, from its start; at the limit it is aborted. Default: no limit; minimum `1`.
	 */
	readonly totalMs: number;
	/** How long a thread may go on after it was asked to stop, before it is ended. Default `1_000`; minimum `0`. */
	readonly graceMs: number;
	/**
	 * Longest a call waits for its keys, working them out included, from its turn; at the limit it is `LOCK_WAIT_EXPIRED`,
	 * or `LOCK_KEYS_FAILED` if they were not worked out by then. Default `600_000`; minimum `1`.
	 */
	readonly lockMs: number;
	/**
	 * Longest an `asker` function may take for one question, from when it is called; at the limit the question is taken back
	 * and its call is `NOT_ANSWERED`. Default `600_000`; minimum `1`.
	 */
	readonly askMs: number;
}

/** What a person said, or why nobody did. */
export type PersonSaid = { readonly answer: JsonValue } | { readonly unanswered: string };

/** How the calls of a wave get their answers. */
export interface Asking {
	/**
	 * `'none'`: nobody can be asked. `'pause'`: the wave ends with its questions. A function is given one question at a
	 * time, while nothing of the wave runs; it does not reject.
	 */
	readonly how: "none" | "pause" | ((asked: AskedQuestion, signal: AbortSignal) => Promise<PersonSaid>);
	/** The rules that a person has approved for the rest of the run. */
	readonly rules: {
		has(rule: string): boolean;
		add(rule: string): void;
		list(): readonly string[];
	};
}

/** What is left of a wave that paused, as JSON. */
export interface WaveRecord {
	readonly calls: readonly CallRecord[];
	readonly steers: readonly string[];
	/** Whether the host's `stillGoing` had said cancel. */
	readonly cancelled: boolean;
	/** How long it ran, in milliseconds. */
	readonly spentMs: number;
	/** The policies that saw its calls. */
	readonly policyNames: readonly string[];
	readonly tail?: CutCall;
	readonly earlier?: readonly string[];
}

/** A wave of which every call was accounted. */
export interface EndedWave {
	readonly step: number;
	readonly calls: readonly ToolCall[];
	readonly records: readonly CallRecord[];
}

export interface WaveOptions {
	readonly runId: string;
	readonly step: number;
	readonly ledger: Ledger;
	readonly clock: Clock;
	readonly hub: EventHub;
	readonly schedule: Schedule;
	readonly maxParallelToolCalls: number;
	/** What a nested wave's calls run in; left out, the wave has `maxParallelToolCalls` slots of its own. */
	readonly slots?: SlotSource | undefined;
	readonly timeouts: Timeouts;
	readonly onError: "continue" | "stop";
	readonly signal: AbortSignal | undefined;
	/** What the reply says beside its calls, once it has ended; only where a run reads it. */
	readonly said?: (() => string) | undefined;
	/** Told of the wave once its calls are known; only where a run may abort single ones. */
	readonly opened?: ((wave: CallAborter) => void) | undefined;
	readonly stillGoing: ((index: number) => StillGoing | Promise<StillGoing>) | undefined;
	/** Told that the wave pauses; gives the steers that no line says yet. Only where a run takes such. */
	readonly pausing?: (() => readonly string[]) | undefined;
	/** Gives the run's waves before this one, as far as they are known, for policies that see only what comes after a pause. */
	readonly earlier?: (() => Promise<readonly string[]>) | undefined;
	/** Told of a wave that ended, for policies that see a later one and not this; only where a run may pause later. */
	readonly ended?: ((wave: EndedWave) => void) | undefined;
	/** What was started before the wave. */
	readonly early: ReplyAhead | undefined;
	/** What every cleared call passes through on the way to its tool, outermost first. */
	readonly middleware: readonly Middleware[];
	/** The lock that the calls' keys are held in. */
	readonly locks: KeyedLock;
	/** The lineage that the wave's calls descend from. */
	readonly lineage: Lineage | undefined;
	/** The path of the call that the wave is nested in; empty for a wave of its own. */
	readonly path: readonly number[];
	/** The index of the wave's first call among its parent's calls; 0 for a wave of its own. */
	readonly firstIndex: number;
	/** When its calls may come to admission; only of a wave whose maker may make others meanwhile. */
	readonly admissionTurn?: AdmissionTurn | undefined;
	/** Where a wave registers while it runs, so that a closing engine can abort it. */
	readonly open: Set<Abortable> | undefined;
	readonly asking: Asking;
	/** What must be done before the wave is planned, where something is under way for it. */
	readonly prepared?: Promise<unknown> | undefined;
	/** The engine's tools, for an agent among them to offer its model. */
	readonly tools: readonly Tool[];
	/** The wave goes on from where a pause left it. */
	readonly resumed: WaveRecord | undefined;
	/** It does not go on: policies that were not there are told how far it had come, and that is all. Says whether the ledger holds its lines. */
	readonly isOnlyTold?: "recorded" | "unrecorded";
	/** Why the reply ended before its calls could run. */
	readonly cut?: CutReason;
}

/** What a closing engine aborts. */
export interface Abortable {
	abort(reason: unknown): void;
}

/** Why no further call starts. */
export type Halt =
	/** The host's `stillGoing` said so; calls before the one it was asked about run to their end. */
	| { readonly kind: "cancelled" }
	/** The signal, or the wave's total limit; calls that run are stopped. */
	| { readonly kind: "aborted"; readonly reason: unknown };

/** What can abort single calls of a wave. */
export interface CallAborter {
	/** Whether the call had not settled yet. */
	abortCall(index: number, reason: unknown): boolean;
}
