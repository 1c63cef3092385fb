// Wave
//
// START HERE. The three stages in reading order, for one wave:
//
//   plan          what is known of each call before anything is decided                   wave-plan.ts
//   approvals     a person is asked about the calls whose tools want it                   ask-beforehand.ts
//   for each segment of the calls:                                                        run-segments.ts
//     admission   one call at a time, in call order                                       admit-segment.ts
//     execution   the cleared calls, as the schedule allows                               execute-segment.ts
//     accounting  one answer at a time, in call order, while others still run             ../accounting/account.ts
//   barrier       everything the wave wrote is durable
//
// A call that asks a person ends the wave there, unless the host asks while the wave waits: what has not started waits
// for the answer. Such a wave goes on later from its record, through the same stages (take-up.ts).
//
// Owns:      the order of the stages, and the wave's end.
// Does not:  do a stage's work.
//
// Invariants:
//   WV2. Every call of the wave is accounted before the wave resolves, whatever happened, unless it paused.

import type { ConcurrentInvoke } from "../admission/concurrent-invoke.js";
import { isPreparing } from "../admission/preparing-face.js";
import type { ToolCall } from "../core/call.js";
import { EngineError } from "../core/errors.js";
import { invariant } from "../core/invariant.js";
import { showValue } from "../core/show-value.js";
import { HostTurns } from "../execution/host-turns.js";
import { modelReturned } from "../ledger/call-entries.js";
import { abortCall } from "./abort-call.js";
import { askBeforehand } from "./ask-beforehand.js";
import { NestedCalls } from "./nested-calls.js";
import { openIn, pauseWave } from "./pause-wave.js";
import { Planning } from "./planning.js";
import { recordWave } from "./record-wave.js";
import { resultOf } from "./results.js";
import { runSegments, tellSegments } from "./run-segments.js";
import { takeUpWave } from "./take-up.js";
import type { WaveOptions } from "./wave-options.js";
import { planWave, settledOrAborted, type WavePlan } from "./wave-plan.js";
import type { WaveEnd, WaveResult } from "./wave-result.js";
import { WaveState } from "./wave-state.js";

const LIST_WANTED = "Pass the calls of one reply as a list, also where it is one call.";

/**
 * Takes calls through the three stages of a face.
 *
 * @throws EngineError `INVALID_OPTIONS` for calls that are no list; `LEDGER_FAILED` when the ledger could not be written: the
 * calls that ran are stopped, and what was durable before can be recovered. Any other error is a fault of this package or of
 * what the host gave it, as it was thrown.
 */
export async function runWave<T>(
	face: ConcurrentInvoke<T>,
	calls: readonly ToolCall[],
	options: WaveOptions,
): Promise<WaveResult> {
	if (!Array.isArray(calls)) {
		const problem = `the calls are ${showValue(calls)}, not a list`;
		throw new EngineError("INVALID_OPTIONS", { action: "run a wave", problem, recovery: LIST_WANTED });
	}
	const { resumed } = options;
	// Read before anything runs: the same memories take up what the calls ask next.
	const told = new Set(resumed === undefined ? [] : openIn(resumed, options).map(({ id }) => id));
	const { result, record } = await runStages(face, calls, options);
	const { status } = result;
	const hasPolicies = isPreparing(face) && face.policyNames().length > 0;
	if (status === "paused") {
		const left = record();
		const earlier = left.earlier ?? (hasPolicies ? await options.earlier?.() : undefined);
		return pauseWave({ result, record: { ...left, ...(earlier && { earlier }) }, calls, options, told });
	}
	if (hasPolicies) options.ended?.({ step: options.step, calls, records: record().calls });
	return { ...result, status };
}

/** The same for a nested wave too, whose pause is its parent's. */
async function runStages<T>(
	face: ConcurrentInvoke<T>,
	calls: readonly ToolCall[],
	options: WaveOptions,
): Promise<WaveEnd> {
	const turns = new HostTurns(options.clock);
	const planning = new Planning(options);
	let plan: WavePlan<T>;
	try {
		// A schema that is parsed once cannot be parsed again by the wave; an abort ends the wait, and nothing asks it then.
		if (options.prepared !== undefined) await settledOrAborted(options.prepared, planning.signal);
		plan = await planWave(face, calls, { turns, options, signal: planning.signal });
	} finally {
		planning.end();
	}
	const nested = new NestedCalls({
		newFace: (below, offered) => (isPreparing(face) ? face.another(below, offered) : face),
		hasPolicies: () => isPreparing(face) && face.policyNames().length > 0,
		options,
		run: runStages,
	});
	const wave = new WaveState({ face, plan, options, turns, nested });
	try {
		// PN1: nothing was awaited since the planning ended.
		wave.open(planning.signal);
		options.opened?.({ abortCall: (index, reason) => abortCall(wave, index, reason) });
		if (options.resumed === undefined) {
			const { runId, clock, step, said, cut } = options;
			const reply = { calls: plan.given, text: said?.() ?? "", cut };
			wave.record([modelReturned({ runId, at: clock.now() }, step, reply)]);
		} else {
			takeUpWave(wave, options.resumed);
		}
		if (options.isOnlyTold !== undefined) await tellSegments(wave);
		else await runSegments(wave, await askBeforehand(wave));
		if (wave.failure === undefined && !wave.paused) await options.ledger.barrier();
	} catch (error) {
		wave.fail(error);
	} finally {
		wave.close();
	}
	if (wave.failure !== undefined) throw wave.failure.error;
	const isWhole = wave.accountant.accounted === plan.states.length;
	invariant(isWhole || wave.paused, "WV2", "the wave ended with calls that were not accounted");
	return { result: resultOf(wave), record: () => recordWave(wave) };
}
