// Options
//
// Everything a host can set, each with its unit, its default, its least value and the moment its clock starts. The
// README's table is generated from the rows here.
//
// Owns:      the options' shapes, and the defaults of how calls run.
// Does not:  check what a host gave (settle-options.ts), or act on any (create-engine.ts hands each part of the engine
//            only the values it needs).

import type { Clock } from "./core/clock.js";
import type { JsonValue } from "./core/json-value.js";
import {
	ASK_MS_DEFAULT,
	DEFAULT_MAX_PARALLEL_TOOL_CALLS,
	GRACE_MS_DEFAULT,
	IDLE_MS_DEFAULT,
	LOCK_MS_DEFAULT,
	TOOL_MS_DEFAULT,
	TOTAL_MS_DEFAULT,
} from "./core/limits.js";
import type { AskedQuestion } from "./core/question.js";
import type { ThreadOptions } from "./core/thread-options.js";
import type { ThreadRef } from "./core/thread-ref.js";
import type { Tool } from "./core/tool.js";
import type { Executor } from "./execution/executor.js";
import type { Ledger } from "./ledger/ledger.js";
import type { KeyedLock } from "./locks/keyed-lock.js";
import type { Policy } from "./policy/policy.js";
import type { RunRequest, RunResumeRequest } from "./run/run-request.js";
import type { Middleware } from "./wave/middleware.js";
import type { Schedule, StillGoing, Timeouts } from "./wave/wave-options.js";

/**
 * How calls run. Options of an engine, of a run and of one wave; the nearest wins.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface ExecutionOptions {
	/** Which cleared calls run at once; each value with its cost: `Schedule`. Default `'barriers'`. */
	readonly schedule?: Schedule;
	/** `false` is `schedule: 'serial'`; a `schedule` that says otherwise beside it is refused. */
	readonly parallelToolCalls?: boolean;
	/** Most calls of a wave at once. Default `10`; minimum `1`. */
	readonly maxParallelToolCalls?: number;
	/** Time limits, in milliseconds. Default: as each of its fields says. */
	readonly timeouts?: Partial<Timeouts>;
	/** Whether the first failed call makes every later one of its wave `STOPPED_BY_ERROR`. Default `'continue'`. */
	readonly onError?: "continue" | "stop";
}

/**
 * What an engine is made of. Everything but `tools` has a default.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface EngineOptions extends ExecutionOptions {
	/** The tools that a call may name: made by `tool`, `loadThreadTools` or `workspaceTools`, no two of one name. */
	readonly tools: readonly Tool[];
	/** In the order of admission; accounting runs in reverse. Default: none. */
	readonly policies?: readonly Policy[];
	/** What every cleared call passes through on the way to its tool, outermost first. Default: none. */
	readonly middleware?: readonly Middleware[];
	/** Where history is kept; closed with the engine. Default: none is kept. */
	readonly ledger?: Ledger;
	/** The worker threads. Default: as each of its fields says. */
	readonly threads?: ThreadOptions;
	/**
	 * Runs what is placed with `onThread` in place of the worker threads, in processes or on machines of the host's own;
	 * closed with the engine. A host's own is run against `executorContract` of `wavetrain/testing`; a call's time limit
	 * starts when it reports the beginning. With `threads` beside it, it is refused. Default: the worker threads.
	 */
	readonly executor?: Executor<ThreadRef>;
	/**
	 * Who answers when a call needs a person. `'pause'`: the wave ends with its questions and a checkpoint. A function: it is
	 * asked one question at a time, in call order, while the wave waits. `'none'`: the call is `DENIED`. Default `'pause'`.
	 */
	readonly asker?: "pause" | "none" | AskerFunction;
	/** What starts before the reply has ended: reads that stay on this machine, any read, nothing. Default `'local'`. */
	readonly ahead?: "local" | "any" | false;
	/** What the calls' keys are held in. Default: `toolLocks`, which every engine on this thread shares. */
	readonly locks?: KeyedLock;
	/** Where the engine reads time and sets timers. Default: the system's clock. */
	readonly clock?: Clock;
}

/**
 * What one wave is run with; what is left out is the engine's.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface WaveCallOptions extends ExecutionOptions {
	/** The run the wave belongs to. Default: a fresh id. */
	readonly runId?: string;
	/** The step of the run. Default `0`. */
	readonly step?: number;
	/** Aborts the wave: calls that never started are `Aborted before dispatch`, running ones are stopped. */
	readonly signal?: AbortSignal;
	/** Asked before every call in call order, for a segment before any of its calls starts. */
	readonly stillGoing?: (index: number) => StillGoing | Promise<StillGoing>;
}

/**
 * Asks a person. Given one question at a time; calls and waves that wait for answers hold nothing meanwhile.
 *
 * A throw, a rejection, `undefined`, and no answer within `timeouts.askMs` are `NOT_ANSWERED` for the call, never a refusal.
 * An approval is answered as {@link ApprovalAnswer} says, any other question by data.
 *
 * @param signal - Aborts when the answer is wanted no more.
 * @remarks Since 0.1.0.
 * @public
 */
export type AskerFunction = (question: AskedQuestion, signal: AbortSignal) => unknown;

/**
 * What `engine.resume` is given beside the checkpoint. What is left out is as it was, else the engine's.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface ResumeOptions extends ExecutionOptions {
	/** By the ids of the questions, in any order. What is not answered is asked again by the next pause. */
	readonly answers?: Readonly<Record<string, JsonValue>>;
	/** Aborts the wave, as {@link WaveCallOptions.signal} does. */
	readonly signal?: AbortSignal;
	/** Asked before every call that had not been admitted before the pause. */
	readonly stillGoing?: (index: number) => StillGoing | Promise<StillGoing>;
}

/**
 * What a run is run with; what is left out is the engine's. `timeouts.totalMs` is the run's: it counts everything, and at
 * the limit the run ends.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface RunOptions extends ExecutionOptions, RunRequest {}

/**
 * What `engine.resume` is given beside a run's checkpoint. What is left out is as it was, else the engine's.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface RunResumeOptions extends ExecutionOptions, RunResumeRequest {}

/** Execution options with every value settled. */
export interface Execution {
	readonly schedule: Schedule;
	readonly maxParallelToolCalls: number;
	readonly timeouts: Timeouts;
	readonly onError: "continue" | "stop";
}

export const EXECUTION_DEFAULTS: Execution = {
	schedule: "barriers",
	maxParallelToolCalls: DEFAULT_MAX_PARALLEL_TOOL_CALLS,
	timeouts: {
		toolMs: TOOL_MS_DEFAULT,
		idleMs: IDLE_MS_DEFAULT,
		totalMs: TOTAL_MS_DEFAULT,
		graceMs: GRACE_MS_DEFAULT,
		lockMs: LOCK_MS_DEFAULT,
		askMs: ASK_MS_DEFAULT,
	},
	onError: "continue",
};

/** Engine options with every value settled. */
export interface SettledOptions {
	readonly tools: readonly Tool[];
	readonly policies: readonly Policy[];
	readonly middleware: readonly Middleware[];
	readonly ledger: Ledger;
	readonly threads: ThreadOptions;
	readonly executor: Executor<ThreadRef> | undefined;
	readonly asker: "pause" | "none" | AskerFunction;
	readonly ahead: "local" | "any" | false;
	readonly locks: KeyedLock;
	readonly clock: Clock;
	readonly execution: Execution;
}
