// Run result
//
// How a run can end. Each end says by its own fields what a host needs to go on from it; all of them have the
// conversation, in which every call has its outcome, so that it can be the input of another run.
//
// Owns:      the shapes of a run's end and of a step taken.
// Does not:  end a run (run-loop.ts).

import type { ErrorCause } from "../core/outcome.js";
import type { AskedQuestion } from "../core/question.js";
import type { RunCheckpoint } from "../ledger/checkpoint.js";
import type { CallResult } from "../wave/wave-result.js";
import type { Message } from "./messages.js";

/**
 * What every end of a run has.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface RunSoFar {
	/** The run. */
	readonly runId: string;
	/** The conversation. A reply whose calls wait for a person is not in it yet: it comes with their outcomes. */
	readonly messages: readonly Message[];
	/** The text of the last reply, whether it stands in `messages` or not; empty before the first. */
	readonly text: string;
	/** How many replies the model was asked for, before a pause included. */
	readonly steps: number;
}

/**
 * How a run ended.
 *
 * `'done'`: the model asked for no call. `'paused'`: a person is asked; `engine.resume` goes on from the checkpoint.
 * `'stopped'`: a `stop` predicate said so. `'limit'`: the model was asked `maxSteps` times, or `timeouts.totalMs` is over.
 * `'aborted'`: by `abort`, by the signal, or because the engine was closed. `'incomplete'`: the reply was cut by its length
 * or by a filter before any call of it was whole. `'failed'`: the model failed, or a `stop` predicate did.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type RunResult = RunSoFar &
	(
		| {
				readonly status: "paused";
				/** What waits for an answer, in call order; of a run that paused, and of no other. */
				readonly questions: readonly AskedQuestion[];
				/** What the run goes on from: plain JSON, to be kept as it is; of a run that paused, and of no other. */
				readonly checkpoint: RunCheckpoint;
		  }
		// Named here as well, so that they can be taken out of a result before its status is looked at.
		| ({ readonly questions?: undefined; readonly checkpoint?: undefined } & (
				| { readonly status: "done" }
				| { readonly status: "stopped" }
				| { readonly status: "limit"; readonly limit: "maxSteps" | "totalMs" }
				| { readonly status: "aborted"; readonly reason: unknown }
				| { readonly status: "incomplete"; readonly cut: "length" | "filtered" }
				| { readonly status: "failed"; readonly error: ErrorCause }
		  ))
	);

/** How a run ended, without what every end has. */
export type RunEnd = RunResult extends infer Result
	? Result extends RunSoFar
		? Omit<Result, keyof RunSoFar>
		: never
	: never;

/**
 * What a `stop` predicate is asked with: the run after a whole step that asked for calls.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface StepTaken extends RunSoFar {
	/** How the calls of the step ended, in call order. */
	readonly results: readonly CallResult[];
}

/**
 * Whether a run ends after the step that was just taken.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type StopPredicate = (taken: StepTaken) => boolean | Promise<boolean>;
