// Options
//
// Everything a host can set, each with its unit, its default, its least value and the moment its clock starts. The
// README's table is generated from the rows here.
//
// Owns:      the options' shapes, their defaults, and the refusal of values that cannot work together.
// Does not:  act on any (create-engine.ts hands each part of the engine only the values it needs).

import { type Clock, systemClock } from "./core/clock.js";
import { EngineError } from "./core/errors.js";
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
import { showValue } from "./core/show-value.js";
import type { Tool } from "./core/tool.js";
import type { Ledger } from "./ledger/ledger.js";
import { noLedger } from "./ledger/no-ledger.js";
import type { KeyedLock } from "./locks/keyed-lock.js";
import { toolLocks } from "./locks/tool-locks.js";
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
	readonly timeouts?: Partial<Timeouts>;
	/** Whether the first failed call makes every later one of its wave `STOPPED_BY_ERROR`. Default `'continue'`. */
	readonly onError?: "continue" | "stop";
}

/**
 * Where tools made with `onThread` run.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface ThreadOptions {
	/**
	 * Threads that are started with the engine, load the tools' modules at once, and are kept. Default `0`: the first is
	 * started by the first call that needs one; minimum `0`.
	 */
	readonly min?: number;
	/**
	 * Most threads that run calls at once, and most for one tool. A thread whose call merely waits is not counted, so
	 * that calls of other tools need not wait for it. Default: one fewer than the machine's cores, and not below `min`;
	 * minimum `1`.
	 */
	readonly max?: number;
	/**
	 * Bounds of a thread's heap and stack, in megabytes. Buffers are not counted in them. Default: 512 for the old
	 * generation, 4 for the stack, Node's own for the rest.
	 */
	readonly resourceLimits?: {
		readonly maxOldGenerationSizeMb?: number;
		readonly maxYoungGenerationSizeMb?: number;
		readonly stackSizeMb?: number;
	};
	/** Node's own arguments for threads, such as a loader. Default: those of the process. */
	readonly execArgv?: readonly string[];
	/** How long a thread above `min` is kept, from when it has nothing to do. Default `30_000`; minimum `0`. */
	readonly idleMs?: number;
	/** The threads' environment. Default: a copy of the process's. */
	readonly env?: Readonly<Record<string, string>>;
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
	readonly threads?: ThreadOptions;
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
	readonly asker: "pause" | "none" | AskerFunction;
	readonly ahead: "local" | "any" | false;
	readonly locks: KeyedLock;
	readonly clock: Clock;
	readonly execution: Execution;
}

const ENGINE_FIELDS = [
	"tools",
	"policies",
	"middleware",
	"ledger",
	"threads",
	"asker",
	"ahead",
	"locks",
	"clock",
	"schedule",
	"parallelToolCalls",
	"maxParallelToolCalls",
	"timeouts",
	"onError",
];
const THREAD_FIELDS = ["min", "max", "resourceLimits", "execArgv", "idleMs", "env"];
const SCHEDULES: readonly unknown[] = ["serial", "leading-reads", "barriers"] satisfies Schedule[];

/** A member by which an option that is a port is known; a copy of the package makes objects of other classes. */
const PORTS = [
	["ledger", "append"],
	["locks", "request"],
	["clock", "monotonicMs"],
] as const;

export function settleOptions(options: EngineOptions): SettledOptions {
	if (typeof options !== "object" || options === null) refuse(`the options are ${showValue(options)}, not an object`);
	for (const field of Object.keys(options)) {
		if (!ENGINE_FIELDS.includes(field)) refuse(`${JSON.stringify(field)} is no option of an engine`);
	}
	if (!Array.isArray(options.tools)) refuse(`tools is ${showValue(options.tools)}, not a list of tools`);
	const { ahead = "local", policies = [], middleware = [], threads = {}, asker = "pause" } = options;
	if (ahead !== "local" && ahead !== "any" && ahead !== false) {
		refuse(`ahead is ${showValue(ahead)}, none of "local", "any", false`);
	}
	if (!Array.isArray(policies)) refuse(`policies is ${showValue(policies)}, not a list of policies`);
	if (asker !== "pause" && asker !== "none" && typeof asker !== "function") {
		refuse(`asker is ${showValue(asker)}, neither "pause", "none" nor a function`);
	}
	for (const [place, policy] of policies.entries()) {
		if (typeof policy?.name !== "string") refuse(`policies[${place}] has no name`);
	}
	checkMiddleware(middleware);
	for (const [field, member] of PORTS) {
		const port: unknown = options[field];
		const has = port === undefined || typeof (port as Partial<Record<string, unknown>> | null)?.[member] === "function";
		if (!has) refuse(`${field} is ${showValue(port)}, which has no ${member}()`);
	}
	checkThreads(threads);
	return {
		tools: options.tools,
		policies,
		middleware: [...middleware],
		ledger: options.ledger ?? noLedger,
		threads,
		asker,
		ahead,
		locks: options.locks ?? toolLocks,
		clock: options.clock ?? systemClock,
		execution: settleExecution(options, EXECUTION_DEFAULTS),
	};
}

/** The nearer options over the farther ones; contradictions among the nearer are refused. */
export function settleExecution(near: ExecutionOptions, far: Execution): Execution {
	const { maxParallelToolCalls = far.maxParallelToolCalls, onError = far.onError } = near;
	if (maxParallelToolCalls !== Number.POSITIVE_INFINITY && !isWholeFrom(1, maxParallelToolCalls)) {
		refuse(`maxParallelToolCalls is ${showValue(maxParallelToolCalls)}, not a whole number from 1`);
	}
	if (onError !== "continue" && onError !== "stop") {
		refuse(`onError is ${showValue(onError)}, none of "continue", "stop"`);
	}
	if (!isObject(near.timeouts ?? {})) refuse(`timeouts is ${showValue(near.timeouts)}, not an object`);
	const timeouts = { ...far.timeouts, ...near.timeouts };
	for (const [name, value] of Object.entries(timeouts)) {
		if (!Object.hasOwn(EXECUTION_DEFAULTS.timeouts, name)) refuse(`${JSON.stringify(name)} is no time limit`);
		const least = name === "graceMs" ? 0 : 1;
		if (typeof value !== "number" || !(value >= least)) {
			refuse(`timeouts.${name} is ${showValue(value)}, not ${least} ms or more`);
		}
	}
	return { schedule: settleSchedule(near, far.schedule), maxParallelToolCalls, timeouts, onError };
}

function settleSchedule({ schedule, parallelToolCalls }: ExecutionOptions, far: Schedule): Schedule {
	if (schedule !== undefined && !SCHEDULES.includes(schedule)) {
		refuse(`schedule is ${showValue(schedule)}, none of ${SCHEDULES.join(", ")}`);
	}
	if (parallelToolCalls === false) {
		if (schedule !== undefined && schedule !== "serial") {
			refuse(`parallelToolCalls is false and schedule is ${JSON.stringify(schedule)}`);
		}
		return "serial";
	}
	if (parallelToolCalls === true) {
		if (schedule === "serial") refuse('parallelToolCalls is true and schedule is "serial"');
		return schedule ?? (far === "serial" ? "barriers" : far);
	}
	return schedule ?? far;
}

function checkThreads(threads: ThreadOptions): void {
	if (!isObject(threads)) refuse(`threads is ${showValue(threads)}, not an object`);
	for (const field of Object.keys(threads)) {
		if (!THREAD_FIELDS.includes(field)) refuse(`threads.${field} is none of ${THREAD_FIELDS.join(", ")}`);
	}
	const { min = 0, max = Math.max(1, min), idleMs = 0 } = threads;
	if (!isWholeFrom(0, min)) refuse(`threads.min is ${showValue(min)}, not a whole number from 0`);
	// With no thread at all a call that needs one would wait for ever.
	if (!isWholeFrom(1, max)) refuse(`threads.max is ${showValue(max)}, not a whole number from 1`);
	if (max < min) refuse(`threads.max is ${max} and threads.min is ${min}`);
	if (typeof idleMs !== "number" || !(idleMs >= 0)) {
		refuse(`threads.idleMs is ${showValue(idleMs)}, not 0 ms or more`);
	}
}

function isWholeFrom(least: number, value: unknown): value is number {
	return Number.isSafeInteger(value) && (value as number) >= least;
}

function isObject(value: unknown): value is object {
	return typeof value === "object" && value !== null;
}

function checkMiddleware(middleware: readonly Middleware[]): void {
	if (!Array.isArray(middleware)) refuse(`middleware is ${showValue(middleware)}, not a list of middleware`);
	for (const [place, one] of middleware.entries()) {
		if (typeof one?.name !== "string" || one.name === "") refuse(`middleware[${place}] has no name`);
		if (typeof one.wrapToolCall !== "function") refuse(`middleware[${place}], ${one.name}, has no wrapToolCall`);
	}
}

function refuse(problem: string): never {
	throw new EngineError("INVALID_OPTIONS", { action: "take the options", problem });
}
