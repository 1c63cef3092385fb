// Host thread
//
// One worker thread as the host sees it, with the numbered steps of README.md as its methods. What a thread had in hand is
// accounted for when its exit is seen, never before: until then its code may still act.
//
//   starting ──▶ serving ◀──▶ winding down ──▶ ending ──▶ ended
//
// Owns:      the port, the cells, the calls in hand, the bounds on starting, loading and stopping.
// Does not:  choose calls (dispatcher.ts) or start a thread (pool.ts).
//
// Invariants:
//   Y1. A thread that is not serving is handed nothing.
//   Y2. A call that had begun is over only by its answer or by the thread's exit.

import { invariant } from "../engine/core/invariant.js";
import {
	EARLY_HAND_OVER_MS_MAX,
	MODULE_LOAD_MS_MAX,
	THREAD_CALLS_MAX,
	THREAD_EXIT_MS_MAX,
	THREAD_SILENT_MS_MAX,
	THREAD_START_MS_MAX,
} from "../engine/core/limits.js";
import { causeOf } from "../engine/core/outcome.js";
import { unpack } from "./answer-wire.js";
import { Bound } from "./bound.js";
import { CallsInHand } from "./calls-in-hand.js";
import type { Holder, HostCall } from "./host-call.js";
import { LinkEnd, serveLink } from "./host-link.js";
import { HostPort } from "./host-port.js";
import type { Answered, Claimed, Leaving, ToHost } from "./protocol.js";
import type { Hands } from "./room-for-calls.js";
import { endOf, type ThreadEnd } from "./thread-end.js";
import type { StartedThread } from "./thread-start.js";
import type { HostThreadParts } from "./thread-watch.js";

type State =
	| { readonly kind: "starting" }
	| { readonly kind: "serving" }
	/** Takes no call until those that run are over, and then serves again or ends. */
	| { readonly kind: "winding-down"; readonly then: "serve" | ThreadEnd }
	| { readonly kind: "ending"; readonly end: ThreadEnd }
	| { readonly kind: "ended" };

export class HostThread implements Holder {
	readonly number: number;
	/** Whether it has claimed a call yet. */
	wasUsed = false;
	/** How long the last call ran. */
	lastRunMs = Number.POSITIVE_INFINITY;
	/** Since when it has had nothing to do, and then since when it has had a call that it might have begun. */
	quietSinceMs: number;
	readonly #parts: HostThreadParts<HostThread>;
	// A thread that is about to exit closes its end of the port, which then holds the process no longer.
	readonly #port = new HostPort(
		(message) => this.#receive(message),
		() => this.#inHand.size > 0 && this.#started.hold(),
	);
	readonly #inHand = new CallsInHand(() => this.#parts.watch.ready());
	readonly #started: StartedThread;
	#state: State = { kind: "starting" };
	readonly #link = new LinkEnd((data) => this.#port.send({ kind: "link", data }));
	#lastWords: Leaving | undefined;
	/** On the start, then on the module that loads. */
	readonly #bound: Bound;

	/** Throws when no thread can be made of the pool's options. */
	constructor(parts: HostThreadParts<HostThread>) {
		this.#parts = parts;
		this.number = parts.number;
		this.#bound = new Bound(parts.clock);
		this.quietSinceMs = parts.clock.monotonicMs();
		serveLink(this.#link, this.#inHand);
		const open = { port: this.#port.forThread, memory: this.#inHand.cells.memory, preload: parts.preload };
		try {
			this.#started = parts.start(open, (exitCode, error) => this.#exited(exitCode, error));
		} catch (error) {
			// Nobody has this thread, so nobody else would close the port, and an open one holds the process for ever.
			this.#port.close();
			throw error;
		}
		this.#started.opened.then(
			() => this.#opened(),
			(error: unknown) => this.end({ kind: "start", problem: causeOf(error).message }),
		);
		const problem = `it gave no sign within ${THREAD_START_MS_MAX} ms`;
		this.#bound.set(THREAD_START_MS_MAX, () => this.end({ kind: "start", problem }));
	}

	get phase(): State["kind"] {
		return this.#state.kind;
	}

	get isIdle(): boolean {
		return this.#state.kind === "serving" && this.#inHand.size === 0 && !this.#bound.isSet;
	}

	/** What it has, for whoever has the other threads. */
	get hands(): Hands {
		return this.#inHand;
	}

	/** Looks whether its call merely waits. */
	look(nowMs: number): void {
		this.#inHand.look(nowMs, this.#started.busyMs());
	}

	/** Ends it if it left the call it should be on untouched: what an ended call left behind blocks it. */
	endIfSilent(nowMs: number): void {
		const limitMs = THREAD_SILENT_MS_MAX;
		if (this.#inHand.isUntouched && nowMs - this.quietSinceMs >= limitMs) this.end({ kind: "silent", limitMs });
	}

	/** How many calls it may be handed while one runs: none once that one, or the last, has run for long. */
	earlyRoom(nowMs: number): number {
		if (this.#state.kind !== "serving" || this.#bound.isSet) return 0;
		if (this.lastRunMs > EARLY_HAND_OVER_MS_MAX || this.isOverdue(nowMs)) return 0;
		return THREAD_CALLS_MAX - this.#inHand.size;
	}

	/** Whether the call it is on has run for so long that what waits behind it had better run elsewhere. */
	isOverdue(nowMs: number): boolean {
		const beganMs = this.#inHand.first?.beganMs;
		return beganMs !== undefined && nowMs - beganMs > EARLY_HAND_OVER_MS_MAX;
	}

	/** Step 1: gives it calls in one message. The result did not fit. */
	hand(calls: readonly HostCall[]): readonly HostCall[] {
		invariant(this.#state.kind === "serving", "Y1", `thread ${this.number} was handed calls while ${this.#state.kind}`);
		if (this.#inHand.size === 0) {
			this.#port.holdProcess(true);
			this.quietSinceMs = this.#parts.clock.monotonicMs();
		}
		const wires = this.#inHand.addAll(calls, this);
		for (const refused of this.#port.sendCalls(wires)) {
			this.#inHand.refuse(refused);
			this.#rest();
		}
		return calls.slice(wires.length);
	}

	takeBack(call: HostCall): "taken" | "begun" | "answered" {
		const inHand = this.#inHand.of(call);
		const found = inHand === undefined ? "answered" : this.#inHand.takeBack(inHand);
		if (found === "taken") this.#rest();
		return found;
	}

	/** Step 4: takes back whatever the thread has not looked at. */
	takeBackAll(): void {
		const taken = this.#inHand.takeBackAll();
		for (const call of taken) call.returned();
		if (taken.length > 0) this.#parts.watch.returned(taken);
	}

	/** Step 5: asks the call that runs to stop, and ends the thread if it still runs when its grace is over. */
	stop(call: HostCall, graceMs: number): void {
		const inHand = this.#inHand.of(call);
		if (inHand === undefined || inHand.cancelStop !== undefined) return;
		this.#inHand.cells.cancel(inHand.cell);
		this.#port.send({ kind: "cancel", cell: inHand.cell });
		inHand.cancelStop = this.#parts.clock.setTimer(() => {
			// The answer may be here, unread; then another call has begun, which must not be ended.
			this.#port.drain();
			if (this.#inHand.of(call) !== undefined) this.end({ kind: "terminated", exitCode: 1 });
		}, graceMs);
		this.windDown("serve");
	}

	/** Takes no more calls; once those that run are over it serves again, or ends. */
	windDown(then: "serve" | ThreadEnd): void {
		const state = this.#state;
		if (state.kind === "starting" && then !== "serve") this.end(then);
		if (state.kind !== "serving" && state.kind !== "winding-down") return;
		const isDecided = state.kind === "winding-down" && state.then !== "serve";
		if (!isDecided) this.#state = { kind: "winding-down", then };
		this.takeBackAll();
		this.#rest();
	}

	/** Stops what runs and ends. */
	close(graceMs: number): void {
		this.windDown({ kind: "closed" });
		for (const call of this.#inHand.calls()) call.stop(graceMs);
	}

	/** Step 6: ends the thread now. What it has in hand is dealt with when its exit is seen. */
	end(end: ThreadEnd): void {
		if (this.#state.kind === "ending" || this.#state.kind === "ended") return;
		this.#state = { kind: "ending", end };
		this.takeBackAll();
		this.#started.end();
		this.#bound.set(THREAD_EXIT_MS_MAX, () => this.#parts.watch.stuck(this));
	}

	#opened(): void {
		if (this.#state.kind !== "starting") return;
		this.#bound.clear();
		this.#state = { kind: "serving" };
		this.#port.holdProcess(false);
		this.#parts.watch.ready();
	}

	#receive(message: ToHost): void {
		if (typeof message === "number" || "loading" in message) {
			this.#claimed(message);
			return;
		}
		switch (message.kind) {
			case "answered":
				this.#answered(message);
				return;
			case "passed":
				this.#bound.clear();
				if (message.next !== undefined) this.#claimed(message.next);
				this.#rest();
				return;
			case "link":
				this.#link.receive(message.data);
				return;
			case "stray":
				this.#parts.watch.stray(message.cause);
				this.windDown({ kind: "stray" });
				return;
			case "leaving":
				this.#lastWords = message.why;
				return;
		}
	}

	/** Step 2: the thread loads a call's module, which must not last for ever, or has begun the call. */
	#claimed(claimed: Claimed): void {
		this.wasUsed = true;
		this.#bound.clear();
		if (typeof claimed !== "number") {
			const end: ThreadEnd = { kind: "load", limitMs: MODULE_LOAD_MS_MAX };
			this.#bound.set(end.limitMs, () => this.end(end));
			this.takeBackAll();
			return;
		}
		const inHand = this.#inHand.inCell(claimed);
		if (inHand === undefined) return;
		inHand.beganMs = this.#parts.clock.monotonicMs();
		inHand.call.began(this);
	}

	/** Step 3. */
	#answered({ cell, answer, held, next }: Answered): void {
		this.#bound.clear();
		const inHand = this.#inHand.inCell(cell);
		invariant(inHand !== undefined, "Y2", `thread ${this.number} answered in cell ${cell}, where no call is`);
		if (held !== undefined) inHand.call.job.context.progress(held.update);
		const nowMs = this.#parts.clock.monotonicMs();
		this.quietSinceMs = nowMs;
		this.lastRunMs = nowMs - (inHand.beganMs ?? nowMs);
		this.#inHand.release(inHand);
		if (next !== undefined) this.#claimed(next);
		inHand.call.over(unpack(answer));
		this.#rest();
	}

	/** What follows once a call is over: another one, rest, or the end. */
	#rest(): void {
		const state = this.#state;
		if (this.#inHand.size === 0 && state.kind !== "ending") {
			this.quietSinceMs = this.#parts.clock.monotonicMs();
			this.#port.holdProcess(false);
		}
		if (state.kind === "winding-down") {
			if (state.then === "serve" && !this.#inHand.hasStopped) this.#state = { kind: "serving" };
			else if (state.then !== "serve" && this.#inHand.size === 0) this.end(state.then);
		}
		if (this.#state.kind === "serving") this.#parts.watch.ready();
	}

	/** X3, Y2: no code of the thread runs any more, and everything it said is in the port. */
	#exited(exitCode: number, error: unknown): void {
		this.#port.drain();
		this.#bound.clear();
		const planned = this.#state.kind === "ending" ? this.#state.end : undefined;
		const seen = { planned, lastWords: this.#lastWords, exitCode, error, heapMb: this.#parts.heapMb };
		const end = endOf({ ...seen, wasStarting: this.phase === "starting" });
		this.#state = { kind: "ended" };
		this.#port.close();
		const had = this.#inHand.size;
		const returned = this.#inHand.giveUp(end, this);
		// It fell on no call, so it would be told to nobody.
		if (end.kind === "uncaught" && returned.length === had) this.#parts.watch.stray(end.cause);
		if (returned.length > 0) this.#parts.watch.returned(returned);
		this.#parts.watch.ended(this, end);
	}
}
