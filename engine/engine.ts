// Engine
//
// What a host has of an engine. The shape stands by itself, so that whoever only uses an engine reads it without the
// wiring.
//
// Owns:      the shape and its promises.
// Does not:  wire anything (create-engine.ts).

import type { ToolCall } from "./core/call.js";
import type { Listener } from "./core/events.js";
import type { ToolValue } from "./core/tool-context.js";
import type { CloseReport } from "./execution/executor.js";
import type { RunCheckpoint, WaveCheckpoint } from "./ledger/checkpoint.js";
import type { ResumeOptions, RunOptions, RunResumeOptions, WaveCallOptions } from "./options.js";
import type { Run } from "./run/run-handle.js";
import type { Step } from "./wave/step.js";
import type { WaveResult } from "./wave/wave-result.js";

/**
 * What a close had to leave: work that neither settled nor could be ended in time, and a ledger that failed at its end.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface EngineCloseReport extends CloseReport {
	/** What the ledger threw when it was closed, if it did. */
	readonly ledgerFailure?: unknown;
}

/**
 * Runs waves of tool calls. Made by {@link createEngine}.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface Engine {
	/**
	 * Runs the calls of one reply. Resolves once every call is accounted and the ledger is durable.
	 *
	 * @throws EngineError `ENGINE_CLOSED`; `INVALID_OPTIONS`; `LEDGER_FAILED` when the ledger could not be written.
	 */
	executeWave(calls: readonly ToolCall[], options?: WaveCallOptions): Promise<WaveResult>;
	/**
	 * Runs a model with the engine's tools: it is asked, the calls of its reply are run as a wave, it is told how they ended,
	 * and so on until it asks for none, or something else ends the run; {@link RunResult} says what.
	 */
	run(options: RunOptions): Run;
	/**
	 * Goes on with a wave that paused, in this engine or another with the same tools, in this process or another. Calls
	 * that had settled do not run again, and the canonical ledger and the results are those of a wave that was never
	 * interrupted. Where questions stay open it pauses again, with those and whatever is asked on the way.
	 *
	 * A checkpoint is gone on from once. To continue after a crash in between, recover the run from its ledger.
	 *
	 * Policies that were not there are told of the run's calls up to the pause: those of the wave, of the waves before it, and
	 * of the calls that those made. Of the waves before it a wave with a `step` above 0 knows what the engine's ledger held
	 * when it paused; where that holds nothing of the run, a policy in another process knows the wave alone.
	 *
	 * @throws EngineError `INVALID_CHECKPOINT`; `INVALID_ANSWER` for an answer to a question that does not wait, and then no
	 * answer is taken; `INVALID_OPTIONS`; `ENGINE_CLOSED`; `LEDGER_FAILED`.
	 */
	resume(checkpoint: WaveCheckpoint, options?: ResumeOptions): Promise<WaveResult>;
	/**
	 * Goes on with a run that paused: first with its wave, in the same way, then with the model. One that was recovered goes on
	 * where it had come to; one that had ended has its result, and nothing runs.
	 */
	resume(checkpoint: RunCheckpoint, options: RunResumeOptions): Run;
	/**
	 * Opens a step for a reply that is about to stream.
	 *
	 * @throws EngineError `ENGINE_CLOSED`; `INVALID_OPTIONS`.
	 */
	openStep(options?: WaveCallOptions): Step;
	/**
	 * Runs one tool by itself: a wave of one call, admission included, in the engine's ledger. Inside a tool of this engine
	 * it is that tool's `context.invokeTool`, unless it is given a signal: then it is a wave of its own.
	 *
	 * @returns What the tool answered.
	 * @throws ToolCallError with the outcome's code; LockCycleError where waiting would never end; EngineError
	 * `ENGINE_CLOSED`, `LEDGER_FAILED`.
	 */
	invokeTool(name: string, args: unknown, options?: { readonly signal?: AbortSignal }): Promise<ToolValue>;
	/** Adds a listener for everything that happens, as it happens; the result takes it away. */
	subscribe(listener: Listener): () => void;
	/**
	 * Aborts what runs, ends the threads and closes the ledger. Always resolves, within the grace and a fixed bound, and
	 * says what it had to leave running. May be called twice.
	 */
	close(): Promise<EngineCloseReport>;
	/** Closes it, for `await using`. */
	[Symbol.asyncDispose](): Promise<void>;
}
