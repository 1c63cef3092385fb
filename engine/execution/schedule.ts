// Schedule
//
// The barrier rule: consecutive safe calls run as a pool, a call that is not safe waits for every call before it, runs
// alone, and the calls after it wait for it.
//
//   read a, read b, write c, read d   →   [a b] [c] [d]
//
// Owns:      segments, and the scheduler for code that runs calls of its own. The engine runs on the same two pieces
//            (segments here, the pool in run-in-order.ts) with admission and accounting between them.
// Does not:  say what is safe (core/tool.ts).

import { systemClock } from "../core/clock.js";
import { EngineError } from "../core/errors.js";
import { type KnownFields, strayField } from "../core/known-fields.js";
import { DEFAULT_MAX_PARALLEL_TOOL_CALLS } from "../core/limits.js";
import { showValue } from "../core/show-value.js";
import { isThenable } from "../core/thenable.js";
import { HostTurns } from "./host-turns.js";
import { runInOrder } from "./run-in-order.js";
import { Slots } from "./slots.js";

/** A run of calls from `from` up to, not including, `to`. */
export interface Segment {
	readonly from: number;
	readonly to: number;
	/** Whether its calls may run at once; a segment that may not holds one call. */
	readonly pooled: boolean;
}

/** Cuts a wave into segments. Each index is asked once, in order. */
export function segmentsOf(count: number, safe: (index: number) => boolean): Segment[] {
	const segments: Segment[] = [];
	let from = 0;
	for (let index = 0; index < count; index += 1) {
		if (safe(index)) continue;
		if (from < index) segments.push({ from, to: index, pooled: true });
		segments.push({ from: index, to: index + 1, pooled: false });
		from = index + 1;
	}
	if (from < count) segments.push({ from, to: count, pooled: true });
	return segments;
}

/**
 * What {@link scheduleToolCalls} runs.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface ToolCallSchedule<Result> {
	/** How many calls there are. */
	readonly count: number;
	/** Whether a call may run beside other safe ones. A throw counts as no. */
	readonly safe: (index: number) => boolean;
	/** Most calls at once. Default `10`; minimum `1`. */
	readonly maxParallel?: number;
	/** Runs the call of an index; called once for each that starts, in index order. */
	readonly run: (index: number) => Result | Promise<Result>;
	/** Asked of each outcome as it comes; once true, calls that run go on and no other starts. */
	readonly stops?: (outcome: Result) => boolean;
}

const SCHEDULE_FIELDS: KnownFields<ToolCallSchedule<unknown>> = {
	count: true,
	safe: true,
	maxParallel: true,
	run: true,
	stops: true,
};

/**
 * Runs calls of your own by the barrier rule.
 *
 * Resolves to the outcomes in call order, without those of calls that never started: starts come in index order, so the
 * outcomes are a prefix of the calls. The first call that throws rejects the whole schedule at once; calls that run go
 * on and no other starts. A later rejection of one of those is not reported anywhere.
 *
 * @throws EngineError `INVALID_OPTIONS` when `count` or `maxParallel` is out of range, `safe` or `run` is no function,
 * or a field is not known.
 * @remarks Since 0.1.0.
 * @public
 */
export async function scheduleToolCalls<Result>(schedule: ToolCallSchedule<Result>): Promise<Result[]> {
	const slots = new Slots(checkedMax(schedule));
	const turns = new HostTurns(systemClock);
	const outcomes: Result[] = [];
	const state = { halted: false };
	let fail: (error: unknown) => void = () => undefined;
	const failed = new Promise<never>((_resolve, reject) => {
		fail = reject;
	});
	// Observed here so that a failure after the schedule's own end is never unhandled.
	failed.catch(() => undefined);

	const settle = (index: number, outcome: Result): void => {
		outcomes[index] = outcome;
		if (schedule.stops?.(outcome) === true) state.halted = true;
	};
	const refuse = (error: unknown): void => {
		state.halted = true;
		fail(error);
	};
	const run = (index: number): void | Promise<void> => {
		try {
			const outcome = schedule.run(index);
			if (!isThenable(outcome)) return settle(index, outcome);
			return Promise.resolve(outcome)
				.then((value) => settle(index, value))
				.catch(refuse);
		} catch (error) {
			refuse(error);
		}
	};
	for (const { from, to } of segmentsOf(schedule.count, (index) => isSafe(schedule, index))) {
		await Promise.race([failed, runInOrder({ from, to, slots, turns, run, halted: () => state.halted })]);
		if (state.halted) break;
	}
	return outcomes;
}

function isSafe<Result>(schedule: ToolCallSchedule<Result>, index: number): boolean {
	try {
		return schedule.safe(index) === true;
	} catch {
		return false;
	}
}

function checkedMax<Result>(schedule: ToolCallSchedule<Result>): number {
	const { count, maxParallel = DEFAULT_MAX_PARALLEL_TOOL_CALLS } = schedule;
	const action = "schedule the calls";
	const stray = strayField(schedule, SCHEDULE_FIELDS);
	if (stray !== undefined) throw new EngineError("INVALID_OPTIONS", { action, problem: stray });
	for (const field of ["safe", "run"] as const) {
		if (typeof schedule[field] === "function") continue;
		const problem = `${field} is ${showValue(schedule[field])}, not a function`;
		throw new EngineError("INVALID_OPTIONS", { action, problem });
	}
	if (!Number.isInteger(count) || count < 0) {
		throw new EngineError("INVALID_OPTIONS", { action, problem: `count is ${count}, not a whole number from 0` });
	}
	if (!(maxParallel >= 1) || (Number.isFinite(maxParallel) && !Number.isInteger(maxParallel))) {
		const problem = `maxParallel is ${maxParallel}, not a whole number from 1`;
		throw new EngineError("INVALID_OPTIONS", { action, problem });
	}
	return maxParallel;
}
