// Wave result
//
// What a wave resolves to: one result a call, in call order, whatever finished first.
//
// Owns:      the shape and its promises.
// Does not:  put a result together (results.ts, pause-wave.ts).

import type { Outcome } from "../core/outcome.js";
import type { AskedQuestion } from "../core/question.js";
import type { Overrun } from "../execution/overrun.js";
import type { WaveCheckpoint } from "../ledger/checkpoint.js";
import type { WaveRecord } from "./wave-options.js";

/**
 * Where a call's time went, in milliseconds. Only `ranMs` counts toward the tool's time limit.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface CallTiming {
	/** Waited for its turn in the step. */
	readonly gateMs: number;
	/** Waited for its keys, working them out included. */
	readonly lockMs: number;
	/** Waited for a slot or a thread. */
	readonly slotMs: number;
	/** Waited for a person. */
	readonly personMs: number;
	/** Ran, until it was answered. */
	readonly ranMs: number;
	/** A limit that `ranMs` went past because nothing could enforce it in time; the outcome stands. */
	readonly overran?: Overrun;
}

/**
 * How one call of a wave ended.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface CallResult {
	/** The call's place in the reply, from 0. */
	readonly index: number;
	/** The provider's id, as given; may be empty or repeated. */
	readonly id: string;
	/** The tool it was accounted as. */
	readonly name: string;
	/** What the model is told. */
	readonly outcome: Outcome;
	/** Where its time went. */
	readonly timing: CallTiming;
	/** The index of the equal call of this wave whose outcome this one repeats. */
	readonly replayOf?: number;
	/** Whether it started while the model still generated. */
	readonly ahead: boolean;
	/** How much of `ranMs` lay before the reply was settled, in milliseconds. */
	readonly hiddenMs: number;
}

/**
 * What every wave tells, however it ended.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface WaveSoFar {
	/** One a call, in call order; of a wave that paused, the calls that have settled. */
	readonly results: readonly CallResult[];
	/** What waits for an answer, in call order; empty unless the wave paused. */
	readonly questions: readonly AskedQuestion[];
	/** What `stillGoing` handed in, in order; for the model, after the whole step. */
	readonly steers: readonly string[];
	/** What was wrong with the reply that was fed to a step, so that none of its calls ran. */
	readonly problem?: string;
	/** `totalMs`: from the start of the wave to its last barrier. `ranMs`: what all its calls ran, added up. */
	readonly timing: { readonly totalMs: number; readonly ranMs: number };
}

/**
 * What a wave resolves to.
 *
 * `'done'`: every call has its outcome. `'aborted'`: by the signal, or by a `stillGoing` that said cancel; every call has
 * an outcome all the same. `'paused'`: a person is asked; `engine.resume` goes on from the checkpoint once they have
 * answered.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type WaveResult = WaveSoFar &
	(
		| {
				readonly status: "paused";
				/** What the wave goes on from: plain JSON, to be kept as it is. Only where the wave paused. */
				readonly checkpoint: WaveCheckpoint;
		  }
		// Named here as well, so that it can be taken out of a result before its status is looked at.
		| { readonly status: "done" | "aborted"; readonly checkpoint?: undefined }
	);

/** A wave that paused, to those who have looked. */
export type PausedWaveResult = Extract<WaveResult, { readonly status: "paused" }>;

/** A wave whose stages have ended, or stopped at a question; one that paused has no checkpoint yet. */
export interface EndedStages extends WaveSoFar {
	readonly status: WaveResult["status"];
}

/** A wave at its end, and what another would need to go on from there. */
export interface WaveEnd {
	readonly result: EndedStages;
	readonly record: () => WaveRecord;
}
