// Thread kit
//
// A pool on real threads, and calls of the built test modules, in the fewest words a test can use.
//
// Owns:      starting a call and what is seen of it; the events of a pool.
// Does not:  assert.

import { systemClock } from "../../engine/core/clock.js";
import type { EventDraft } from "../../engine/core/events.js";
import type { ServesThreads } from "../../engine/core/invoked-on-thread.js";
import type { Outcome } from "../../engine/core/outcome.js";
import type { ThreadOptions } from "../../engine/core/thread-options.js";
import { onThread, type ThreadRef } from "../../engine/core/thread-ref.js";
import type { ToolContext } from "../../engine/core/tool-context.js";
import type { Executor, Work } from "../../engine/execution/executor.js";
import { threadExecutor } from "../../workers/pool.js";
import { threadTools } from "../support/build-workers.js";
import { quietContext } from "../support/quiet-context.js";

export interface StartedCall {
	/** Resolves once the work has begun. */
	readonly began: Promise<void>;
	/** How often it was said to have begun, so far. */
	begins(): number;
	readonly ended: Promise<Outcome>;
	stop(graceMs: number): void;
}

export interface CallOptions {
	readonly args?: unknown;
	readonly ahead?: boolean;
	readonly read?: boolean;
	readonly context?: Partial<ToolContext & ServesThreads>;
}

export function startCall<W extends Work>(executor: Executor<W>, work: W, options: CallOptions = {}): StartedCall {
	const { args = {}, ahead = false, read = false, context } = options;
	let begins = 0;
	let onBegan: () => void = () => undefined;
	const began = new Promise<void>((resolve) => {
		onBegan = () => {
			begins += 1;
			resolve();
		};
	});
	const execution = executor.start({ work, args, ahead, read, context: quietContext(context), hooks: { onBegan } });
	const ended = Promise.resolve(execution.ended);
	return { began, begins: () => begins, ended, stop: (graceMs) => execution.stop(graceMs) };
}

/** A pool on real threads, with what it told about them. */
export class RealPool {
	readonly events: EventDraft[] = [];
	readonly executor: Executor<ThreadRef>;
	#onEvent: () => void = () => undefined;

	constructor(threads: ThreadOptions = { max: 1 }, preload: readonly ThreadRef[] = []) {
		const emit = (event: EventDraft): void => {
			this.events.push(event);
			this.#onEvent();
		};
		this.executor = threadExecutor({ threads, clock: systemClock, emit, preload });
	}

	/** Resolves once there were so many events of the kind. */
	async saw(kind: EventDraft["kind"], count: number): Promise<void> {
		while (this.count(kind) < count) {
			await new Promise<void>((resolve) => {
				this.#onEvent = resolve;
			});
		}
	}

	/** Starts an export of a test module, written `plain/echo`. */
	start(what: string, options: CallOptions = {}): StartedCall {
		return startCall(this.executor, threadWork(what), options);
	}

	run(what: string, args: unknown = {}): Promise<Outcome> {
		return this.start(what, { args }).ended;
	}

	count(kind: EventDraft["kind"]): number {
		return this.events.filter((event) => event.kind === kind).length;
	}

	/** How many threads there are, as the last event about them says. */
	get threads(): number {
		return this.events.reduce((threads, event) => ("threads" in event ? event.threads : threads), 0);
	}
}

export function threadWork(what: string): ThreadRef {
	const [module = "", name = ""] = what.split("/");
	return onThread(threadTools(module), name);
}

/** What an outcome is at its core: the value, or the code with the reason. */
export function gist(outcome: Outcome): unknown {
	if (outcome.ok) return outcome.value;
	const reason = outcome.error.details?.reason;
	return reason === undefined ? outcome.error.code : `${outcome.error.code} ${String(reason)}`;
}
