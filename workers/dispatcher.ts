// Dispatcher
//
// Which call goes to which thread, and how many threads there are. Calls wait here and nowhere else; a thread is given
// one call, and beside it only short reads that may follow without a question.
//
// Owns:      the waiting line, the threads, their number, the close.
// Does not:  talk to a thread (host-thread.ts), make one (pool.ts), or reckon how many may run calls (room-for-calls.ts).
//
// Invariants:
//   J4. While a call waits there is a thread that will take it, or one is starting.
//   J5. No thread beyond the fewest is started before the first call.
//   J6. Early starts are at work on no more threads than `earlyMax`, and never on one that was started beside them.
//   J7. The fewest threads are there again after any of them ended, unless several in a row ended before they served.

import type { Clock } from "../engine/core/clock.js";
import type { EventDraft } from "../engine/core/events.js";
import { invariant } from "../engine/core/invariant.js";
import type { Execution } from "../engine/core/invocable.js";
import {
	CLOSE_MS_MAX,
	EARLY_HAND_OVER_MS_MAX,
	THREAD_CALLS_MAX,
	THREAD_SILENT_MS_MAX,
	THREAD_SPARE_MS,
	THREAD_STARTS_FRUITLESS_MAX,
	WAITING_LOOK_MS,
} from "../engine/core/limits.js";
import { beforeDispatch, causeOf } from "../engine/core/outcome.js";
import type { ThreadRef } from "../engine/core/thread-ref.js";
import type { CloseReport, Executor, Job } from "../engine/execution/executor.js";
import { Bound } from "./bound.js";
import { HostCall } from "./host-call.js";
import { HostThread } from "./host-thread.js";
import type { WireCode } from "./protocol.js";
import { RoomForCalls } from "./room-for-calls.js";
import { described, notLoadedOn, type ThreadEnd } from "./thread-end.js";
import type { StartThread } from "./thread-start.js";
import type { ThreadWatch } from "./thread-watch.js";
import { WaitingLine } from "./waiting-line.js";

export interface DispatcherParts {
	/** How many threads are started at once and kept when there is nothing to do. */
	readonly threadsMin: number;
	readonly threadsMax: number;
	/** Most threads that are at work on early starts. */
	readonly earlyMax: number;
	readonly idleMs: number;
	readonly heapMb: number;
	readonly start: StartThread;
	/** What the threads that are started at once load before any call asks for it. */
	readonly preload: readonly WireCode[];
	readonly clock: Clock;
	readonly emit: (event: EventDraft) => void;
}

const NOTHING: readonly WireCode[] = [];

export class Dispatcher implements Executor<ThreadRef> {
	readonly #parts: DispatcherParts;
	readonly #line = new WaitingLine<HostCall>();
	readonly #watch: ThreadWatch<HostThread>;
	#threads: HostThread[] = [];
	/** Threads that were ended and do not exit. They are waited for, but count no more. */
	#stuck: HostThread[] = [];
	#threadsMade = 0;
	#callsMade = 0;
	/** Threads in a row that ended before they claimed a call. */
	#fruitless = 0;
	#isDue = false;
	readonly #bounds: Readonly<Record<"overdue" | "waiting" | "silent" | "spare" | "idle", Bound>>;
	#closed: Promise<CloseReport> | undefined;
	#onEmpty: () => void = () => undefined;

	constructor(parts: DispatcherParts) {
		this.#parts = parts;
		const bound = (): Bound => new Bound(parts.clock, { holdsProcess: false });
		this.#bounds = { overdue: bound(), waiting: bound(), silent: bound(), spare: bound(), idle: bound() };
		this.#watch = {
			ready: () => this.#soon(),
			returned: (calls) => this.#returned(calls),
			stray: ({ name, message }) => parts.emit({ kind: "stray_error", message: `${name}: ${message}` }),
			stuck: (thread) => this.#leave(thread),
			ended: (thread, end) => this.#ended(thread, end),
		};
		for (let thread = 0; thread < parts.threadsMin; thread += 1) this.#addThread(parts.preload);
	}

	start(job: Job<ThreadRef>): Execution {
		const call = new HostCall(job, this.#callsMade++, this.#admitted);
		if (this.#closed === undefined) {
			this.#line.add(call);
			this.#soon();
		} else {
			call.over(beforeDispatch());
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
			for (const bound of Object.values(this.#bounds)) bound.clear();
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
		const room = this.#room();
		const given = new Map<HostThread, HostCall[]>();
		for (const thread of this.#threads) {
			if (room.left <= 0) break;
			const call = thread.isIdle ? this.#line.take(room.fits) : undefined;
			if (call === undefined) continue;
			given.set(thread, [call]);
			room.took(call);
		}
		this.#grow(room);
		// A thread is topped up once half of what it may have is gone, so that calls travel several to a message.
		for (const thread of this.#threads) {
			const calls = given.get(thread) ?? [];
			const early = thread.earlyRoom(nowMs) - calls.length;
			if (early >= THREAD_CALLS_MAX / 2 && (calls.length > 0 || thread.hands.size > 0)) {
				given.set(thread, [...calls, ...this.#takeEarly(early)]);
			}
		}
		for (const [thread, calls] of given) if (calls.length > 0) this.#line.putBack(thread.hand(calls));
		this.#armBounds(room);
	}

	#room(): RoomForCalls {
		const hands = this.#threads.map((thread) => thread.hands);
		return new RoomForCalls(hands, this.#parts, (max) => this.#line.countAdmitted(max));
	}

	// One that may not follow stops the taking: reads of other tools would pass it for as long as there are any.
	#takeEarly(count: number): HostCall[] {
		const taken: HostCall[] = [];
		for (let call = this.#line.peek(); call !== undefined && taken.length < count; call = this.#line.peek()) {
			if (!mayFollow(call)) break;
			this.#line.take();
			taken.push(call);
		}
		return taken;
	}

	#grow({ most, fits }: RoomForCalls): void {
		const { threadsMin } = this.#parts;
		const starting = this.#threads.filter(({ phase }) => phase === "starting").length;
		const waiting = this.#line.count(most, fits) - starting;
		const wanted = Math.min(most, Math.max(this.#threads.length + waiting, waiting > 0 ? threadsMin : 0));
		for (let more = wanted - this.#threads.length; more > 0; more -= 1) {
			if (this.#fruitless < THREAD_STARTS_FRUITLESS_MAX) this.#addThread();
		}
		const isServed = this.#threads.length > 0 || this.#line.peek() === undefined;
		invariant(isServed, "J4", "a call waits and no thread will take it");
	}

	/** J5: called for the fewest, while calls wait, and in place of a thread that served or is one of the fewest. */
	#addThread(preload: readonly WireCode[] = NOTHING): void {
		const { start, heapMb, clock, emit } = this.#parts;
		this.#threadsMade += 1;
		const number = this.#threadsMade;
		try {
			this.#threads.push(new HostThread({ number, start, preload, heapMb, clock, watch: this.#watch }));
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
			for (const call of calls) call.over(beforeDispatch());
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
		// J7: one that was ended from outside before it served is missed by the next call as much as any other.
		else if (reason !== "idle" && (thread.wasUsed || this.#threads.length < this.#parts.threadsMin)) this.#addThread();
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

	/** What must be looked at again though nothing is said meanwhile. */
	#armBounds(room: RoomForCalls): void {
		const { idleMs, threadsMin } = this.#parts;
		const threads = this.#threads;
		const { overdue, waiting, silent, spare, idle } = this.#bounds;
		// With no room to spare, the next answer comes before anything taken back could run.
		if (!overdue.isSet && room.left > 0 && threads.some(({ hands }) => hands.size > 1)) {
			overdue.set(EARLY_HAND_OVER_MS_MAX * 2, () => this.#soon());
		}
		const isCrowded = room.left <= 0 && this.#line.peek() !== undefined;
		if (!waiting.isSet && (isCrowded || threads.some(({ hands }) => hands.isWaiting))) {
			waiting.set(WAITING_LOOK_MS, () => this.#each((thread, nowMs) => thread.look(nowMs)));
		}
		if (!silent.isSet && threads.some(({ hands }) => hands.size > 0)) {
			silent.set(THREAD_SILENT_MS_MAX, () => this.#each((thread, nowMs) => thread.endIfSilent(nowMs)));
		}
		if (threads.length > Math.max(room.most, threadsMin) && !spare.isSet) {
			spare.set(THREAD_SPARE_MS, () => this.#endIdle(THREAD_SPARE_MS));
		}
		if (threads.length > threadsMin && !idle.isSet) idle.set(idleMs, () => this.#endIdle(idleMs));
	}

	#each(look: (thread: HostThread, nowMs: number) => void): void {
		const nowMs = this.#parts.clock.monotonicMs();
		for (const thread of [...this.#threads]) look(thread, nowMs);
		this.#soon();
	}

	/** Ends threads that had nothing to do for so long: above the fewest, or, where that is sooner, above the most. */
	#endIdle(idleMs: number): void {
		const { clock, threadsMin } = this.#parts;
		const isSpare = idleMs === THREAD_SPARE_MS && idleMs < this.#parts.idleMs;
		const kept = isSpare ? Math.max(threadsMin, this.#room().most) : threadsMin;
		const longMs = clock.monotonicMs() - idleMs;
		const idle = this.#threads.filter((thread) => thread.isIdle && thread.quietSinceMs <= longMs);
		const staying = this.#threads.filter(({ phase }) => phase !== "ending").length;
		for (const thread of idle.slice(0, Math.max(0, staying - kept))) thread.end({ kind: "idle" });
		this.#soon();
	}
}

function mayFollow({ job, ahead }: HostCall): boolean {
	return job.read === true && !ahead;
}
