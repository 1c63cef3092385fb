// Host executor
//
// A host may run what is placed with onThread elsewhere than on worker threads: in processes of its own, on machines of
// its own. Nobody here has seen that code, so each promise of the port is kept here where the host does not keep it, and
// what it breaks costs the one call.
//
// Owns:      what becomes of a host's executor that throws, rejects, answers what is no outcome, or does not close.
// Does not:  begin a call in the host's place, or stop one: those promises are the host's (executor-contract.ts).
//
// Invariants:
//   HE1. `ended` never rejects, and is an outcome of our own.
//   HE2. A value comes only of work that has begun.

import type { Clock } from "../core/clock.js";
import type { EventDraft } from "../core/events.js";
import type { Execution } from "../core/invocable.js";
import { CLOSE_MS_MAX } from "../core/limits.js";
import { causeOf, failed, type Outcome, taken } from "../core/outcome.js";
import { showValue } from "../core/show-value.js";
import { bounded, isThenable } from "../core/thenable.js";
import type { ThreadRef } from "../core/thread-ref.js";
import type { CloseReport, Executor, Job } from "./executor.js";

export interface HostExecutorParts {
	readonly clock: Clock;
	readonly emit: (event: EventDraft) => void;
}

export class HostExecutor implements Executor<ThreadRef> {
	readonly #host: Executor<ThreadRef>;
	readonly #parts: HostExecutorParts;
	/** Handed over and not ended. */
	readonly #open = new Set<object>();
	#closed: Promise<CloseReport> | undefined;

	constructor(host: Executor<ThreadRef>, parts: HostExecutorParts) {
		this.#host = host;
		this.#parts = parts;
	}

	// HE1: an answer that comes late passes through `checked` or `lost`, and one that comes at once as well.
	start(job: Job<ThreadRef>): Execution {
		let hasBegun = false;
		const onBegan = (thread?: number): void => {
			if (hasBegun) return;
			hasBegun = true;
			job.hooks.onBegan(thread);
		};
		this.#open.add(job);
		const end = (outcome: Outcome): Outcome => {
			this.#open.delete(job);
			// HE2: nobody told, and only what runs can answer.
			if (outcome.ok) onBegan();
			return outcome;
		};
		try {
			const execution = this.#host.start({ ...job, hooks: { onBegan } });
			const { ended } = execution;
			return {
				ended: isThenable(ended) ? Promise.resolve(ended).then(checked, lost).then(end) : end(checked(ended)),
				...(execution.endsWhenStopped === true && { endsWhenStopped: true }),
				stop: (graceMs) => this.#told(() => execution.stop(graceMs)),
				admitted: () => this.#told(() => execution.admitted?.()),
			};
		} catch (error) {
			return { ended: end(lost(error)), stop: () => undefined };
		}
	}

	close(graceMs: number): Promise<CloseReport> {
		this.#closed ??= this.#close(graceMs);
		return this.#closed;
	}

	async #close(graceMs: number): Promise<CloseReport> {
		const { clock } = this.#parts;
		try {
			const closing = Promise.resolve(this.#host.close(graceMs));
			await bounded(closing, { what: "the executor's close", limitMs: graceMs + CLOSE_MS_MAX, clock });
		} catch (error) {
			this.#tell(error);
		}
		// Counted here: a host that counts otherwise would hide what still runs.
		return { abandoned: this.#open.size };
	}

	#told(tell: () => void): void {
		try {
			tell();
		} catch (error) {
			this.#tell(error);
		}
	}

	#tell(error: unknown): void {
		this.#parts.emit({ kind: "stray_error", message: `The host's executor failed: ${causeOf(error).message}` });
	}
}

// HE1. Nobody can say how far the work came; for a call that is not a read this becomes OUTCOME_UNKNOWN.
function lost(error: unknown): Outcome {
	const cause = causeOf(error);
	return failed("WORKER_LOST", { message: `The host's executor failed: ${cause.message}.`, cause });
}

function checked(outcome: Outcome): Outcome {
	return taken(outcome) ?? lost(new TypeError(`it answered ${showValue(outcome)}, which is no outcome`));
}
