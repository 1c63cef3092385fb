// Run handle
//
// What a host holds of a run that goes on: a promise of its result, with what reaches into it and what it shows. It is a
// promise and not an object with one, because most hosts only await it.
//
// Owns:      that shape.
// Does not:  do anything of it (run-control.ts, live-events.ts, run-loop.ts).

import type { LiveEvents, RunEvent } from "./live-events.js";
import type { RunControl } from "./run-control.js";
import type { RunResult } from "./run-result.js";

/**
 * A run that goes on. Await it for its result.
 *
 * @throws EngineError `INVALID_OPTIONS`; `INVALID_TOOL`; `ENGINE_CLOSED`; `LEDGER_FAILED`; of a run that goes on from a
 * checkpoint also `INVALID_CHECKPOINT` and `INVALID_ANSWER`. What a model, a tool or a predicate does is in the result.
 * @remarks Since 0.1.0.
 * @public
 */
export interface Run extends Promise<RunResult> {
	/**
	 * Tells the model something after the step that it is in, never between its calls. It is written to the ledger where it
	 * came: before the next call that is admitted, or after the step.
	 *
	 * @returns Whether it was taken. A run that has ended, paused or been aborted takes none.
	 */
	steer(text: string): boolean;
	/**
	 * Ends the run: the model is not waited for, calls that never started are `Aborted before dispatch`, running ones are
	 * stopped. The first reason stands.
	 *
	 * @param reason - Default: an `AbortError`.
	 */
	abort(reason?: unknown): void;
	/**
	 * Aborts one call of the step that the run is in; the others go on, and the model reads how it ended. A call that the
	 * model is still asking for may be aborted before it is there.
	 *
	 * @param index - The call's place in its reply.
	 * @param reason - Default: an `AbortError`.
	 * @returns Whether it had no outcome yet.
	 */
	abortCall(index: number, reason?: unknown): boolean;
	/** What happens from the beginning of the iteration on, as it happens. Ends with the run, or at its pause. */
	readonly events: AsyncIterable<RunEvent>;
}

export interface RunHandleParts {
	readonly control: RunControl;
	readonly live: LiveEvents;
	readonly work: () => Promise<RunResult>;
}

export function runHandle({ control, live, work }: RunHandleParts): Run {
	const steer = (text: string): boolean => {
		const isTaken = control.steer(text);
		if (isTaken) live.emit({ kind: "steer_received", text });
		return isTaken;
	};
	// Not before the host has the handle: who begins to iterate at once has seen everything.
	const result = Promise.resolve()
		.then(work)
		.finally(() => {
			control.over();
			live.end();
		});
	return Object.assign(result, {
		steer: (text: string) => steer(String(text)),
		abort: (reason: unknown = aborted("run")) => control.abort(reason),
		abortCall: (index: number, reason: unknown = aborted("call")) => control.abortCall(index, reason),
		events: live,
	});
}

function aborted(what: "run" | "call"): DOMException {
	return new DOMException(`The ${what} was aborted`, "AbortError");
}
