// Settle options
//
// What a host gave becomes values that can be relied on: nothing left out, nothing out of range, nothing that contradicts
// something else. A field that no option has is refused as well, because the host believes it has set something.
//
// Owns:      the refusals, and the defaults of an engine.
// Does not:  say what an option means (options.ts).

import { systemClock } from "./core/clock.js";
import { EngineError } from "./core/errors.js";
import { type KnownFields, strayField } from "./core/known-fields.js";
import { policyProblem } from "./core/policy-shape.js";
import { showValue } from "./core/show-value.js";
import type { ThreadOptions } from "./core/thread-options.js";
import { noLedger } from "./ledger/no-ledger.js";
import { toolLocks } from "./locks/tool-locks.js";
import {
	type EngineOptions,
	EXECUTION_DEFAULTS,
	type Execution,
	type ExecutionOptions,
	type ResumeOptions,
	type RunOptions,
	type RunResumeOptions,
	type SettledOptions,
	type WaveCallOptions,
} from "./options.js";
import type { Middleware } from "./wave/middleware.js";
import type { Schedule, Timeouts } from "./wave/wave-options.js";

const EXECUTION_FIELDS: KnownFields<ExecutionOptions> = {
	schedule: true,
	parallelToolCalls: true,
	maxParallelToolCalls: true,
	timeouts: true,
	onError: true,
};
const ENGINE_FIELDS: KnownFields<EngineOptions> = {
	tools: true,
	policies: true,
	middleware: true,
	ledger: true,
	threads: true,
	executor: true,
	asker: true,
	ahead: true,
	locks: true,
	clock: true,
	...EXECUTION_FIELDS,
};
export const WAVE_FIELDS: KnownFields<WaveCallOptions> = {
	runId: true,
	step: true,
	signal: true,
	stillGoing: true,
	...EXECUTION_FIELDS,
};

/** The options of what an engine is asked for, by what is asked for. */
interface OptionsOf {
	readonly wave: WaveCallOptions;
	readonly resume: ResumeOptions;
	readonly call: { readonly signal?: AbortSignal };
	readonly run: RunOptions;
	readonly "run resume": RunResumeOptions;
}

const FIELDS_OF: { readonly [Of in keyof OptionsOf]: KnownFields<OptionsOf[Of]> } = {
	wave: WAVE_FIELDS,
	resume: { answers: true, signal: true, stillGoing: true, ...EXECUTION_FIELDS },
	call: { signal: true },
	run: { model: true, input: true, runId: true, signal: true, maxSteps: true, stop: true, ...EXECUTION_FIELDS },
	"run resume": { model: true, answers: true, signal: true, maxSteps: true, stop: true, ...EXECUTION_FIELDS },
};

const TIMEOUT_FIELDS: KnownFields<Timeouts> = {
	toolMs: true,
	idleMs: true,
	totalMs: true,
	graceMs: true,
	lockMs: true,
	askMs: true,
};
const THREAD_FIELDS: KnownFields<ThreadOptions> = {
	min: true,
	max: true,
	resourceLimits: true,
	execArgv: true,
	idleMs: true,
	env: true,
};
const RESOURCE_FIELDS: KnownFields<NonNullable<ThreadOptions["resourceLimits"]>> = {
	maxOldGenerationSizeMb: true,
	maxYoungGenerationSizeMb: true,
	stackSizeMb: true,
};
const SCHEDULES: readonly unknown[] = ["serial", "leading-reads", "barriers"] satisfies Schedule[];

/** A member by which an option that is a port is known; a copy of the package makes objects of other classes. */
const PORTS = [
	["ledger", "append"],
	["locks", "request"],
	["clock", "monotonicMs"],
	["executor", "start"],
] as const;

export function settleOptions(options: EngineOptions): SettledOptions {
	demandFields(options, ENGINE_FIELDS);
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
		const problem = policyProblem(policy);
		if (problem !== undefined) refuse(`policies[${place}] is no policy: ${problem}`);
	}
	checkMiddleware(middleware);
	demandPorts(options);
	checkThreads(threads);
	if (options.executor !== undefined && options.threads !== undefined) {
		refuse("threads is given beside an executor that takes the place of the threads");
	}
	return {
		tools: options.tools,
		policies,
		middleware: [...middleware],
		ledger: options.ledger ?? noLedger,
		threads,
		executor: options.executor,
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
	const { timeouts: own = {} } = near;
	if (!isObject(own)) refuse(`timeouts is ${showValue(own)}, not an object`);
	demandKnown(own, TIMEOUT_FIELDS, "timeouts");
	const timeouts = { ...far.timeouts, ...own };
	for (const [name, value] of Object.entries(timeouts)) {
		const least = name === "graceMs" ? 0 : 1;
		if (typeof value !== "number" || !(value >= least)) {
			refuse(`timeouts.${name} is ${showValue(value)}, not ${least} ms or more`);
		}
	}
	return { schedule: settleSchedule(near, far.schedule), maxParallelToolCalls, timeouts, onError };
}

/**
 * The options, or a refusal of what cannot be any. How calls run is `settleExecution`'s to check, answers are judged
 * against the checkpoint, and the model by the run.
 */
export function demandOptions<Of extends keyof OptionsOf>(of: Of, options: OptionsOf[Of]): OptionsOf[Of] {
	demandFields(options, FIELDS_OF[of]);
	demandPlace(options);
	return options;
}

/** Refuses values that cannot say which wave is run and when it ends. */
export function demandPlace({ runId, step = 0, signal, stillGoing }: WaveCallOptions): void {
	if (runId !== undefined && (typeof runId !== "string" || runId === "")) {
		refuse(`runId is ${showValue(runId)}, not a text`);
	}
	if (!isWholeFrom(0, step)) refuse(`step is ${showValue(step)}, not a whole number from 0`);
	// A controller in place of its signal is the usual mistake, and would only be found at the abort that it is to bring.
	const isSignal = signal === undefined || (typeof signal?.aborted === "boolean" && "addEventListener" in signal);
	if (!isSignal) refuse(`signal is ${showValue(signal)}, not an AbortSignal`);
	if (stillGoing !== undefined && typeof stillGoing !== "function") {
		refuse(`stillGoing is ${showValue(stillGoing)}, not a function`);
	}
}

/** Refuses a ledger, a lock or a clock that is none. */
export function demandPorts(options: Pick<EngineOptions, (typeof PORTS)[number][0]>): void {
	for (const [field, member] of PORTS) {
		const port: unknown = options[field];
		const has = port === undefined || typeof (port as Partial<Record<string, unknown>> | null)?.[member] === "function";
		const hint =
			field === "ledger" && typeof port === "string" ? "; a ledger at a path is made by fileLedger(path)" : "";
		if (!has) refuse(`${field} is ${showValue(port)}, which has no ${member}()${hint}`);
	}
}

/** Refuses what is no object, or has a field that is not known. */
export function demandFields<Options extends object>(options: Options, known: KnownFields<Options>): void {
	if (!isObject(options)) refuse(`the options are ${showValue(options)}, not an object`);
	demandKnown(options, known);
}

function demandKnown<Options extends object>(options: Options, known: KnownFields<Options>, place?: string): void {
	const stray = strayField(options, known, place);
	if (stray !== undefined) refuse(stray);
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
	demandKnown(threads, THREAD_FIELDS, "threads");
	const { min = 0, max = Math.max(1, min), idleMs = 0, resourceLimits = {} } = threads;
	if (!isObject(resourceLimits)) refuse(`threads.resourceLimits is ${showValue(resourceLimits)}, not an object`);
	demandKnown(resourceLimits, RESOURCE_FIELDS, "threads.resourceLimits");
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

export function refuse(problem: string): never {
	throw new EngineError("INVALID_OPTIONS", { action: "take the options", problem });
}
