// Run segments
//
// The segments of a wave, one after another, each through the three stages. A segment ends with the accounting of its
// last call or, where a person is asked and the host does not ask them meanwhile, the wave ends with its questions.
//
// A call that is not safe and waits for its approval leaves open where the segment before it ends: once declined it needs
// no tool, and the calls behind it are admitted with those before it. So the calls before it run, and are accounted only
// when it is known which calls were admitted beside them.
//
// Owns:      that order, and where a pause ends it.
// Does not:  do a stage's work, ask (questions.ts) or write the pause down (pause-wave.ts).
//
// Invariants:
//   WV1. A segment is admitted only after every call before it was accounted.

import { isPreparing } from "../admission/preparing-face.js";
import { invariant } from "../core/invariant.js";
import type { Segment } from "../execution/schedule.js";
import { isStopped, settleAsking } from "./abort-call.js";
import { admitSegment } from "./admit-segment.js";
import { letOn } from "./approvals.js";
import { decideAsBefore, type WaitsBeforehand } from "./ask-beforehand.js";
import type { CallState } from "./call-state.js";
import { executeSegment, settleUnstarted } from "./execute-segment.js";
import { isPending } from "./pending.js";
import { askPeople } from "./questions.js";
import { catchUpSegment } from "./take-up.js";
import { segmentsOfWave } from "./wave-plan.js";
import type { WaveState } from "./wave-state.js";

export async function runSegments<T>(wave: WaveState<T>, waits: WaitsBeforehand<T>): Promise<void> {
	const segments = segmentsOfWave(wave.plan);
	for (const [place, segment] of segments.entries()) {
		if (wave.failure !== undefined) return;
		if (wave.accountant.accounted >= segment.to) {
			await catchUpSegment(wave, segment);
			continue;
		}
		invariant(wave.accountant.accounted >= segment.from, "WV1", `segment ${segment.from} came too early`);
		const next = segments[place + 1];
		if (isOpen(wave, segment, waits)) return pause(wave);
		if (segment.pooled && next !== undefined && isOpen(wave, next, waits) && isCounted(wave)) wave.accountant.hold();
		await admitSegment(wave, segment);
		await runSegment(wave, segment);
		if (wave.paused) return;
		if (wave.accountant.held) return pause(wave);
		await wave.accountant.whenAccounted(segment.to);
	}
}

/** The same as far as the wave had come, for policies that were not there: what had been decided is, and nothing more is. */
export async function tellSegments<T>(wave: WaveState<T>): Promise<void> {
	decideAsBefore(wave);
	for (const segment of segmentsOfWave(wave.plan)) {
		await catchUpSegment(wave, segment);
		wave.paused = wave.accountant.accounted < segment.to;
		if (wave.paused) return;
	}
}

/** Whether the segment is a call that is not safe and waits for its approval. */
function isOpen<T>(wave: WaveState<T>, { from, pooled }: Segment, waits: WaitsBeforehand<T>): boolean {
	const state = wave.plan.states[from];
	return !pooled && state !== undefined && waits(state) && wave.halt === undefined && !isStopped(wave, state);
}

/** Whether anybody can tell the order of admissions and accountings. */
function isCounted<T>({ face }: WaveState<T>): boolean {
	return !isPreparing(face) || face.policyNames().length > 0;
}

async function runSegment<T>(wave: WaveState<T>, segment: Segment): Promise<void> {
	for (;;) {
		wave.nested.hasAsked = false;
		await executeSegment(wave, segment);
		// A pause would write down as not accounted what is being accounted, and that may stop the wave.
		if (wave.asking.size > 0) await wave.accountant.whenStill();
		if (wave.startsNothing) settleAllAsking(wave);
		// A call that had asked was cut short after all, and those that its question held back start.
		if (wave.asking.size === 0 && wave.nested.hasAsked && !wave.startsNothing) continue;
		if (wave.asking.size === 0) break;
		if (typeof wave.options.asking.how !== "function") return pause(wave);
		const asking = [...wave.asking];
		await askPeople(wave, asking);
		if (!wave.startsNothing) for (const state of asking) goOn(wave, state);
	}
	settleUnstarted(wave, segment);
}

function goOn<T>(wave: WaveState<T>, state: CallState<T>): void {
	const { phase } = state;
	if (phase.kind !== "asking") return;
	const outcome = letOn(wave, state, phase.admitted);
	if (outcome !== undefined) wave.settle(state, outcome);
}

/** The wave was aborted, or stopped by an error, while calls waited for a person. */
function settleAllAsking<T>(wave: WaveState<T>): void {
	const { halt } = wave;
	const reason = halt?.kind === "aborted" ? (halt.reason ?? "aborted") : undefined;
	for (const state of [...wave.asking]) settleAsking(wave, state, reason);
}

function pause<T>(wave: WaveState<T>): void {
	wave.paused = true;
	const { clock } = wave.options;
	for (const state of wave.plan.states) {
		if (state.memory !== undefined && isPending(state.memory)) state.waitsSince ??= clock.now();
	}
}
