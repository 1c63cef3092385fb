// Pool
//
// The executor for code on worker threads, and the one file that knows Piscina. Piscina makes a thread, hands it its
// first and only task (entry.ts: serve this port) and ends it; calls then travel over the thread's own port. Giving each
// call to Piscina's `run` was the alternative: measured with one call a thread it costs four times as much, what a
// thread answered right before its exit is lost with the pool's own port, and an error says not which thread it ended.
// So each thread is a Piscina of its own, which never queues, never balances and never replaces.
//
// Owns:      every option of Piscina, and which of the host's options become which.
// Does not:  choose what runs where (dispatcher.ts).

import { availableParallelism } from "node:os";
import { FixedQueue, Piscina } from "piscina";
import type { Clock } from "../engine/core/clock.js";
import type { EventDraft } from "../engine/core/events.js";
import {
	CLOSE_MS_MAX,
	THREAD_HEAP_MB_DEFAULT,
	THREAD_IDLE_MS_DEFAULT,
	THREAD_STACK_MB_DEFAULT,
} from "../engine/core/limits.js";
import type { ThreadOptions } from "../engine/core/thread-options.js";
import type { ThreadRef } from "../engine/core/thread-ref.js";
import type { Executor } from "../engine/execution/executor.js";
import { Dispatcher } from "./dispatcher.js";
import { entryUrl } from "./entry-url.js";
import type { OpenThread } from "./protocol.js";
import type { OnExit, StartedThread } from "./thread-start.js";

export interface ThreadExecutorOptions {
	readonly threads: ThreadOptions;
	readonly clock: Clock;
	readonly emit: (event: EventDraft) => void;
	/** Whose modules the threads that are started now load at once. */
	readonly preload?: readonly ThreadRef[];
}

/** Starts `threads.min` threads; the others are started by calls. */
export function threadExecutor({ threads, clock, emit, preload = [] }: ThreadExecutorOptions): Executor<ThreadRef> {
	const threadsMin = threads.min ?? 0;
	// One core is left to the host where there is one to leave.
	const threadsMax = threads.max ?? Math.max(1, threadsMin, availableParallelism() - 1);
	const resourceLimits = {
		maxOldGenerationSizeMb: THREAD_HEAP_MB_DEFAULT,
		stackSizeMb: THREAD_STACK_MB_DEFAULT,
		...threads.resourceLimits,
	};
	return new Dispatcher({
		threadsMin,
		threadsMax,
		// Work that may turn out to be for nothing takes no more than the machine has.
		earlyMax: Math.min(threadsMax, availableParallelism()),
		idleMs: threads.idleMs ?? THREAD_IDLE_MS_DEFAULT,
		heapMb: resourceLimits.maxOldGenerationSizeMb,
		start: (open, onExit) => startThread({ ...threads, resourceLimits }, open, onExit),
		clock,
		emit,
		preload,
	});
}

function startThread(threads: ThreadOptions, open: OpenThread, onExit: OnExit): StartedThread {
	const piscina = new Piscina({
		filename: entryUrl,
		name: "open",
		// No thread until the task comes, and none in place of one that ended: the dispatcher decides that.
		minThreads: 0,
		maxThreads: 1,
		// Piscina knows nothing of the calls on the port, so its own idea of an idle thread must never end one.
		idleTimeout: Number.POSITIVE_INFINITY,
		maxQueue: 1,
		concurrentTasksPerWorker: 1,
		// A parked thread would answer no message on its port, and fail at its next call for what the last one left.
		atomics: "disabled",
		resourceLimits: { ...threads.resourceLimits },
		argv: [],
		...(threads.execArgv && { execArgv: [...threads.execArgv] }),
		...(threads.env && { env: { ...threads.env } }),
		workerData: undefined,
		taskQueue: new FixedQueue(),
		niceIncrement: 0,
		trackUnmanagedFds: true,
		closeTimeout: CLOSE_MS_MAX,
		recordTiming: false,
		stricterFIFO: true,
		loadBalancer: (_task, [only]) => only ?? null,
		workerHistogram: false,
	});
	let error: unknown;
	// Without a listener an error of a thread that has no task ends the process.
	piscina.on("error", (thrown: unknown) => {
		error ??= thrown;
	});
	const opened = piscina.run(open, { transferList: [open.port], filename: entryUrl, name: "open", signal: null });
	const [worker] = piscina.threads;
	if (worker === undefined) {
		void opened.catch(() => undefined);
		throw new Error("the pool made no thread");
	}
	worker.once("exit", (exitCode) => onExit(exitCode, error));
	const busyMs = (): number => worker.performance.eventLoopUtilization().active;
	return { opened, busyMs, hold: () => worker.ref(), end: () => void piscina.destroy() };
}
