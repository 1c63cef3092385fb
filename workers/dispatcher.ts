// Dispatcher
//
// Which call goes to which thread, and how many threads there are. Calls wait here and nowhere else; a thread is given
// one call, and beside it only short reads that may follow without a question.
//
// Owns:      the waiting line, the threads, their number, the close.
// Does not:  talk to a thread (host-thread.ts) or make one (pool.ts).
//
// Invariants:
//   J4. While a call waits there is a thread that will take it, or one is starting.
//   J5. No thread is started before the first call.
//   J6. Early starts are at work on no more threads than `earlyMax`, and never on one that was started beside them.

import type { Clock } from "../engine/core/clock.js";
import type { EventDraft } from "../engine/core/events.js";
import { invariant } from "../engine/core/invariant.js";
import type { Execution } from "../engine/core/invocable.js";
import {
	CLOSE_MS_MAX,
	EARLY_HAND_OVER_MS_MAX,
	THREAD_CALLS_MAX,
	THREAD_STARTS_FRUITLESS_MAX,
	THREADS_LENT_MAX,
} from "../engine/core/limits.js";
import { causeOf } from "../engine/core/outcome.js";
import type { ThreadRef } from "../engine/core/thread-ref.js";
import type { CloseReport, Executor, Job } from "../engine/execution/executor.js";
import { HostCall } from "./host-call.js";
import { HostThread, type ThreadWatch } from "./host-thread.js";
import { described, neverBegan, notLoadedOn, type ThreadEnd } from "./thread-end.js";
import type { StartThread } from "./thread-start.js";
import { WaitingLine } from "./waiting-line.js";

export interface DispatcherParts {
	/** How many threads are kept when there is nothing to do, once there were that many. */
	readonly threadsMin: number;
	readonly threadsMax: number;
	/** Most threads that are at work on early starts. */
	readonly earlyMax: number;
	readonly idleMs: number;
	readonly heapMb: number;
	readonly start: StartThread;
	readonly clock: Clock;
	readonly emit: (event: EventDraft) => void;
}

export class Dispatcher implements Executor<ThreadRef> {
	readonly #parts: DispatcherParts;
	readonly #line = new WaitingLine<HostCall>();
	readonly #watch: ThreadWatch;
	#threads: HostThread[] = [];
	/** Threads that were ended and do not exit. They are waited for, but count no more. */
	#stuck: HostThread[] = [];
	#threadsMade = 0;
	#callsMade = 0;
	/** Threads in a row that ended before they claimed a call. */
	#fruitless = 0;
	#isDue = false;
	#cancelOverdue: (() => void) | undefined;
	#cancelIdle: (() => void) | undefined;
	#closed: Promise<CloseReport> | undefined;
	#onEmpty: () => void = () => undefined;

	constructor(parts: DispatcherParts) {
		this.#parts = parts;
		this.#watch = {
			ready: () => this.#soon(),
			returned: (calls) => this.#returned(calls),
			stray: ({ name, message }) => parts.emit({ kind: "stray_error", message: `${name}: ${message}` }),
			stuck: (thread) => this.#leave(thread),
			ended: (thread, end) => this.#ended(thread, end),
		};
	}

	start(job: Job<ThreadRef>): Execution {
		const call = new HostCall(job, this.#callsMade++, this.#admitted);
		if (this.#closed === undefined) {
			this.#line.add(call);
			this.#soon();
		} else {
			call.over(neverBegan());
		}
		return call;
	}

	readonly #admitted = (call: HostCall): void => {
		this.#line.admit(call);
		this.#soon();
	};

	close(graceMs: number): Promise<CloseReport> {
		this.#closed ??= new Promise((resolve) => {
			const report = (): void => {
				cancel();
				const left = [...this.#threads, ...this.#stuck];
				resolve({ abandoned: left.reduce((sum, thread) => sum + thread.hands.size, 0) });
			};
			// The timer also holds the process until the threads, which do not, are gone.
			const cancel = this.#parts.clock.setTimer(report, graceMs + CLOSE_MS_MAX);
			this.#onEmpty = report;
			this.#cancelOverdue?.();
			this.#cancelIdle?.();
			for (const thread of [...this.#threads]) thread.close(graceMs);
			for (let call = this.#line.take(); call !== undefined; call = this.#line.take()) call.stop(graceMs);
			if (this.#isEmpty) report();
		});
		return this.#closed;
	}

	// One look at all there is to do for however many calls are given or answered in this turn.
	#soon(): void {
		if (this.#isDue || this.#closed !== undefined) return;
		this.#isDue = true;
		queueMicrotask(() => {
			this.#isDue = false;
			if (this.#closed === undefined) this.#dispatch();
		});
	}

	#dispatch(): void {
		const nowMs = this.#parts.clock.monotonicMs();
		for (const thread of this.#threads) if (thread.isOverdue(nowMs)) thread.takeBackAll();
		const given = new Map<HostThread, HostCall[]>();
		let early = this.#earlyThreads;
		for (const thread of this.#threads) {
			if (!thread.isIdle) continue;
			// J6: behind the admitted calls stand the early ones, for which no thread may be left.
			const calls = this.#take(1, ({ ahead }) => !ahead || early < this.#parts.earlyMax);
			if (calls[0]?.ahead === true) early += 1;
			given.set(thread, calls);
		}
		this.#grow();
		// A thread is topped up once half of what it may have is gone, so that calls travel several to a message.
		for (const thread of this.#threads) {
			const calls = given.get(thread) ?? [];
			const room = thread.earlyRoom(nowMs) - calls.length;
			if (room >= THREAD_CALLS_MAX / 2) given.set(thread, [...calls, ...this.#take(room, mayFollow)]);
		}
		for (const [thread, calls] of given) if (calls.length > 0) this.#line.putBack(thread.hand(calls));
		this.#shrink();
		this.#armTimers();
	}

	/** Ends what was started in place of a lent thread and has nothing to do since that one came back. */
	#shrink(): void {
		const staying = this.#threads.filter(({ phase }) => phase !== "ending");
		const surplus = Math.max(0, staying.length - this.#threadsMax);
		for (const thread of staying.filter(({ isIdle }) => isIdle).slice(0, surplus)) thread.end({ kind: "idle" });
	}

	#take(count: number, isFit: (call: HostCall) => boolean = () => true): HostCall[] {
		const taken: HostCall[] = [];
		for (let call = this.#line.peek(); call !== undefined && taken.length < count; call = this.#line.peek()) {
			if (!isFit(call)) break;
			this.#line.take();
			taken.push(call);
		}
		return taken;
	}

	/**
	 * A call that waits for its host lends its thread: another may be started, so that one thread is enough to nest. So
	 * does an early start while admitted calls wait: it holds none of them up.
	 */
	get #threadsMax(): number {
		const lent = this.#threads.filter(({ hands }) => hands.isAsking).length;
		const lentToAdmitted = this.#line.countAdmitted(this.#earlyThreads);
		return this.#parts.threadsMax + Math.min(lent + lentToAdmitted, THREADS_LENT_MAX);
	}

	get #earlyThreads(): number {
		return this.#threads.filter(({ hands }) => hands.isAhead).length;
	}

	#grow(): void {
		const { threadsMin } = this.#parts;
		const threadsMax = this.#threadsMax;
		const starting = this.#threads.filter(({ phase }) => phase === "starting").length;
		const waiting = this.#line.count(threadsMax) - starting;
		const wanted = Math.min(threadsMax, Math.max(this.#threads.length + waiting, waiting > 0 ? threadsMin : 0));
		for (let more = wanted - this.#threads.length; more > 0; more -= 1) {
			if (this.#fruitless < THREAD_STARTS_FRUITLESS_MAX) this.#addThread();
		}
		const isServed = this.#threads.length > 0 || this.#line.peek() === undefined;
		invariant(isServed, "J4", "a call waits and no thread will take it");
	}

	/** J5: called only while calls wait, or in place of a thread that served. */
	#addThread(): void {
		const { start, heapMb, clock, emit } = this.#parts;
		this.#threadsMade += 1;
		try {
			this.#threads.push(new HostThread({ number: this.#threadsMade, start, heapMb, clock, watch: this.#watch }));
			emit({ kind: "thread_started", thread: this.#threadsMade, threads: this.#threads.length });
		} catch (error) {
			this.#fruitless += 1;
			this.#giveUp({ kind: "start", problem: causeOf(error).message });
		}
	}

	#returned(calls: readonly HostCall[]): void {
		if (this.#closed === undefined) {
			this.#line.putBack(calls);
			this.#soon();
		} else {
			for (const call of calls) call.over(neverBegan());
		}
	}

	get #isEmpty(): boolean {
		return this.#threads.length + this.#stuck.length === 0;
	}

	#leave(thread: HostThread): void {
		this.#threads = this.#threads.filter((one) => one !== thread);
		this.#stuck.push(thread);
		const message = `Thread ${thread.number} was ended and does not exit; another takes its place`;
		this.#parts.emit({ kind: "stray_error", message });
		this.#soon();
	}

	#ended(thread: HostThread, end: ThreadEnd): void {
		const wasStuck = this.#stuck.includes(thread);
		this.#threads = this.#threads.filter((one) => one !== thread);
		this.#stuck = this.#stuck.filter((one) => one !== thread);
		const reason = end.kind;
		this.#parts.emit({ kind: "thread_ended", thread: thread.number, threads: this.#threads.length, reason });
		if (this.#closed !== undefined) {
			if (this.#isEmpty) this.#onEmpty();
			return;
		}
		if (wasStuck) return;
		if (reason !== "idle") this.#fruitless = thread.wasUsed ? 0 : this.#fruitless + 1;
		if (this.#fruitless >= THREAD_STARTS_FRUITLESS_MAX) this.#giveUp(end);
		else if (thread.wasUsed && reason !== "idle") this.#addThread();
		this.#soon();
	}

	/** No thread can be had: unless others serve, whoever waits is told, and the next call given is a new try. */
	#giveUp(end: ThreadEnd): void {
		if (this.#threads.length > 0) return;
		const problem = end.kind === "start" ? end.problem : `it ${described(end)}`;
		for (let call = this.#line.take(); call !== undefined; call = this.#line.take()) {
			call.over(notLoadedOn({ kind: "start", problem }, call.job.work.moduleUrl));
		}
		this.#fruitless = 0;
	}

	#armTimers(): void {
		const { clock, idleMs, threadsMin } = this.#parts;
		const holdsProcess = false;
		// With no thread to spare, the next answer comes before anything taken back could run.
		const isSpare = this.#threads.length < this.#threadsMax || this.#threads.some(({ isIdle }) => isIdle);
		if (isSpare && this.#cancelOverdue === undefined && this.#threads.some(({ hands }) => hands.size > 1)) {
			const look = (): void => {
				this.#cancelOverdue = undefined;
				this.#soon();
			};
			this.#cancelOverdue = clock.setTimer(look, EARLY_HAND_OVER_MS_MAX * 2, { holdsProcess });
		}
		if (this.#cancelIdle === undefined && this.#threads.length > threadsMin) {
			this.#cancelIdle = clock.setTimer(() => this.#endIdle(), idleMs, { holdsProcess });
		}
	}

	#endIdle(): void {
		const { clock, idleMs, threadsMin } = this.#parts;
		this.#cancelIdle = undefined;
		const longMs = clock.monotonicMs() - idleMs;
		const idle = this.#threads.filter((thread) => thread.isIdle && thread.idleSinceMs <= longMs);
		const staying = this.#threads.filter(({ phase }) => phase !== "ending").length;
		for (const thread of idle.slice(0, Math.max(0, staying - threadsMin))) thread.end({ kind: "idle" });
		this.#armTimers();
	}
}

function mayFollow({ job, ahead }: HostCall): boolean {
	return job.read === true && !ahead;
}
