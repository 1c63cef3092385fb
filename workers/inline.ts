// Inline
//
// The executor for functions of the host's own thread: the adapter beside the pool, and the one that a cheap tool should
// use. It begins work at once, so nothing ever waits in it; a tool that answers without a promise costs none.
//
// Owns:      calling the function, and what its answer or its throw becomes.
// Does not:  stop anything: a function of this thread cannot be ended, only asked, by its context's signal.

import { type Clock, systemClock } from "../engine/core/clock.js";
import type { Execution } from "../engine/core/invocable.js";
import { CLOSE_MS_MAX } from "../engine/core/limits.js";
import { answered, beforeDispatch, type Outcome, threw } from "../engine/core/outcome.js";
import { withinLimit } from "../engine/core/output-limit.js";
import { isThenable } from "../engine/core/thenable.js";
import type { CloseReport, Executor, InlineWork, Job } from "../engine/execution/executor.js";

const nothing = (): void => undefined;

export function inlineExecutor(clock: Clock = systemClock): Executor<InlineWork> {
	return new Inline(clock);
}

class Inline implements Executor<InlineWork> {
	readonly #clock: Clock;
	#running = 0;
	#closed: Promise<CloseReport> | undefined;
	#onQuiet = nothing;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	start(job: Job<InlineWork>): Execution {
		if (this.#closed !== undefined) return { ended: beforeDispatch(), stop: nothing };
		job.hooks.onBegan();
		try {
			const value = job.work(job.args as never, job.context);
			if (isThenable(value)) return { ended: this.#settled(value), stop: nothing };
			return { ended: withinLimit(answered(value)), stop: nothing };
		} catch (error) {
			return { ended: threw(error), stop: nothing };
		}
	}

	close(graceMs: number): Promise<CloseReport> {
		this.#closed ??= new Promise((resolve) => {
			const report = (): void => {
				cancel();
				resolve({ abandoned: this.#running });
			};
			const cancel = this.#clock.setTimer(report, graceMs + CLOSE_MS_MAX);
			this.#onQuiet = report;
			if (this.#running === 0) report();
		});
		return this.#closed;
	}

	#settled(promise: PromiseLike<unknown>): Promise<Outcome> {
		const settling = Promise.resolve(promise);
		this.#running += 1;
		return settling.then(this.#answered, this.#threw);
	}

	// One of each for all work, and no async function: a promise more a call is what a cheap tool's host would notice.
	readonly #answered = (value: unknown): Outcome => {
		this.#left();
		try {
			return withinLimit(answered(value));
		} catch (error) {
			return threw(error);
		}
	};

	readonly #threw = (error: unknown): Outcome => {
		this.#left();
		return threw(error);
	};

	#left(): void {
		this.#running -= 1;
		if (this.#running === 0) this.#onQuiet();
	}
}
