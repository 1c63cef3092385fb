// Wave
//
// START HERE. The three stages in reading order, for one wave:
//
//   plan          the calls cut into segments, from the calls alone                       wave-plan.ts
//   for each segment:
//     admission   one call at a time, in call order                                       admit-segment.ts
//     execution   the cleared calls, as the schedule allows                               execute-segment.ts
//     accounting  one answer at a time, in call order, while others still run             ../accounting/account.ts
//   barrier       everything the wave wrote is durable
//
// Owns:      the order of the stages, and the wave's end.
// Does not:  do a stage's work.
//
// Invariants:
//   WV1. A segment is admitted only after every call before it was accounted.
//   WV2. Every call of the wave is accounted before the wave resolves, whatever happened.

import type { ConcurrentInvoke } from "../admission/concurrent-invoke.js";
import { isPreparing } from "../admission/policy-face.js";
import type { ToolCall } from "../core/call.js";
import { EngineError, isEngineError } from "../core/errors.js";
import { invariant } from "../core/invariant.js";
import { causeOf } from "../core/outcome.js";
import { HostTurns } from "../execution/host-turns.js";
import { modelReturned } from "../ledger/call-entries.js";
import { admitSegment } from "./admit-segment.js";
import { executeSegment } from "./execute-segment.js";
import { NestedCalls } from "./nested-calls.js";
import type { WaveOptions } from "./wave-options.js";
import { planWave } from "./wave-plan.js";
import type { WaveResult } from "./wave-result.js";
import { WaveState } from "./wave-state.js";

/**
 * Takes calls through the three stages of a face.
 *
 * @throws EngineError `LEDGER_FAILED` when the ledger could not be written; the calls that ran are stopped, and what was
 * durable before can be recovered.
 */
export async function runWave<T>(
	face: ConcurrentInvoke<T>,
	calls: readonly ToolCall[],
	options: WaveOptions,
): Promise<WaveResult> {
	const turns = new HostTurns(options.clock);
	const plan = await planWave(face, calls, { turns, options });
	const nested = new NestedCalls({ newFace: () => (isPreparing(face) ? face.another() : face), options, run: runWave });
	const wave = new WaveState({ face, plan, options, turns, nested });
	try {
		wave.open();
		wave.record([modelReturned({ runId: options.runId, at: options.clock.now() }, options.step, plan.given)]);
		for (const segment of plan.segments) {
			if (wave.failure !== undefined) break;
			invariant(wave.accountant.accounted === segment.from, "WV1", `segment ${segment.from} came too early`);
			await admitSegment(wave, segment);
			await executeSegment(wave, segment);
			await wave.accountant.whenAccounted(segment.to);
		}
		if (wave.failure === undefined) await options.ledger.barrier();
	} catch (error) {
		wave.fail(error);
	} finally {
		wave.close();
	}
	if (wave.failure !== undefined) throw asEngineError(wave.failure.error);
	invariant(wave.accountant.accounted === calls.length, "WV2", "the wave ended with calls that were not accounted");
	return wave.result();
}

function asEngineError(error: unknown): unknown {
	if (isEngineError(error) || (error instanceof Error && error.name === "InvariantError")) return error;
	const problem = causeOf(error).message;
	return new EngineError("LEDGER_FAILED", { action: "write the wave to the ledger", problem, cause: error });
}
