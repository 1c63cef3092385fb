// Running call
//
// One call from the moment it is handed to its executor until nothing of it runs any more. The run's answer and the
// work's end are two moments: a time limit or an abort answers at once, while the work is asked to stop, and what the
// call holds is let go only when the work has ended.
//
//   handed over ──began──▶ running ──answer──▶ answered ──end──▶ ended
//        └──────────── abort before it began ─────▲
//
// Between the answer and the end the work may still take room: a thread is busy with it until it stops or is ended. Work
// that nothing can end takes none, or one tool that never settles would take its slot for ever.
//
// A call that asks a person ends without an answer of its own: ended, and asked.
//
// Owns:      that sequence and what a limit or an abort does to it.
// Does not:  choose the executor, keep time (call-limits.ts), hold locks, or word what an interruption means (interrupted.ts).
//
// Invariants:
//   C1. A call answers exactly once.
//   C2. The time limits count from the moment the work began; waiting in a queue or for keys is not running.
//   C3. What a call holds is let go only once its work has ended, however early it was answered. The calls that it made are
//       part of its work.
//   C4. The room of a call that was cut short is free once its work has ended, where a stop ends it; else at its answer.
//   C5. A call that has asked a person has no outcome, whatever its tool returned or threw; one that was cut short has.

import type { ToolCall } from "../core/call.js";
import type { Clock } from "../core/clock.js";
import { broken, invariant } from "../core/invariant.js";
import type { BeginHooks, Execution, Invocable } from "../core/invocable.js";
import type { JsonValue } from "../core/json-value.js";
import { THREAD_EXIT_MS_MAX } from "../core/limits.js";
import type { Outcome } from "../core/outcome.js";
import { isThenable } from "../core/thenable.js";
import { beginCall } from "./begin-call.js";
import type { CallContext } from "./call-context.js";
import type { CallIdentity } from "./call-identity.js";
import { CallLimits, type Limited, type RunLimits, type TimedOut } from "./call-limits.js";
import { type AnsweredBy, asMeant, beforeDispatch, type Interruption, interrupted } from "./interrupted.js";
import { type Overrun, overrunOf } from "./overrun.js";

/** Told of each moment as it comes; must not throw. */
export interface CallWatch {
	began(identity: CallIdentity, thread: number | undefined): void;
	progressed(identity: CallIdentity, update: JsonValue): void;
	/** It ran past a limit that could not be enforced. */
	overran(identity: CallIdentity, overrun: Overrun): void;
	/** The work ended after the call had been answered. */
	endedLate(identity: CallIdentity, outcome: Outcome): void;
}

export interface RunningCallParts {
	readonly call: ToolCall;
	readonly invocable: Invocable;
	readonly context: CallContext;
	/** Whether the call only reads, so that a lost answer means that nothing happened. */
	readonly read: boolean;
	readonly limits: RunLimits;
	readonly clock: Clock;
	readonly watch: CallWatch;
}

const HANDED_OVER = { kind: "handed-over" } as const;
const RUNNING = { kind: "running" } as const;

type Phase =
	| typeof HANDED_OVER
	| typeof RUNNING
	| { readonly kind: "answered"; readonly outcome: Outcome; readonly takesRoom: boolean }
	| { readonly kind: "ended"; readonly outcome: Outcome | typeof ASKED };

/** In the place of an outcome: the call has asked a person and must run again. */
export const ASKED = "asked";

type OnAnswer = (answer: Outcome | typeof ASKED, by: AnsweredBy) => void;

const nothing = (): void => undefined;

export class RunningCall implements BeginHooks, Limited {
	readonly #parts: RunningCallParts;
	#phase: Phase = HANDED_OVER;
	#execution: Execution | undefined;
	readonly #limits: CallLimits;
	#cancelRoomTimer = nothing;
	#overran: Overrun | undefined;
	#onAnswer: OnAnswer | undefined;
	#onEnd: (() => void) | undefined;
	#onRoomFree: (() => void) | undefined;

	constructor(parts: RunningCallParts) {
		this.#parts = parts;
		this.#limits = new CallLimits(parts.limits, parts.clock, this);
		parts.context.running = this;
	}

	get context(): CallContext {
		return this.#parts.context;
	}

	/** When the work began, by the clock's monotonic reading; `undefined` before. */
	get beganMs(): number | undefined {
		return this.#limits.beganMs;
	}

	/** How long the work ran until it was answered, or has run so far. */
	get ranMs(): number {
		return this.#limits.ranMs;
	}

	/** How long it waited meanwhile, without a slot, because something of it waited for keys. */
	get awayMs(): number {
		return this.#limits.awayMs;
	}

	/** The limit that the call ran past before it was answered. */
	get overran(): Overrun | undefined {
		return this.#overran;
	}

	/** Whether the call was answered and its work still takes room beside others. */
	get takesRoom(): boolean {
		return this.#phase.kind === "answered" && this.#phase.takesRoom;
	}

	get answer(): Outcome | typeof ASKED | undefined {
		return "outcome" in this.#phase ? this.#phase.outcome : undefined;
	}

	/** Hands the work over. Inline work that answers at once has been answered when this returns. */
	start(): void {
		this.#execution = beginCall(this.#parts, this);
		const { ended } = this.#execution;
		if (isThenable(ended)) void ended.then((outcome) => this.#end(outcome));
		else this.#end(ended);
		// Work that answered at once may have made calls that still run.
		if (this.#phase.kind === "running") this.#limits.arm();
	}

	/** Calls back once the call, which is not answered yet, is. One listener: the last stands. */
	onAnswer(listener: OnAnswer): void {
		if (this.answer !== undefined) broken("C1", "an answer was waited for after it had come");
		this.#onAnswer = listener;
	}

	/** Calls back once nothing of the work runs any more; at once if nothing does. */
	onEnd(listener: () => void): void {
		if (this.#phase.kind === "ended") listener();
		else this.#onEnd = listener;
	}

	/** C4: calls back once an answered call takes room no more; at once if it takes none. One listener: the last stands. */
	onRoomFree(listener: () => void): void {
		if (this.answer !== undefined && !this.takesRoom) listener();
		else this.#onRoomFree = listener;
	}

	/** For the context, once the tool reports progress. */
	progressed(update: JsonValue): void {
		if (this.#phase.kind !== "running") return;
		this.#limits.progressed();
		this.#parts.watch.progressed(this.#parts.context.identity, update);
	}

	/** For the context. */
	waitsForOwn(isWaiting: boolean): void {
		this.#limits.waitsForOwn(isWaiting);
	}

	/** For the context. C2: meanwhile nothing counts. */
	away(isAway: boolean): void {
		this.#limits.away(isAway);
	}

	/** Answers now, because the run is aborted, and asks the work to stop. */
	abort(reason: unknown, graceMs: number = this.#parts.limits.graceMs): void {
		// First the stop, then the look: a thread may have begun the call and its message be still on the way, and an
		// executor that is asked to stop tells what has begun before it returns.
		this.#stop(reason, graceMs);
		const began = this.#phase.kind !== "handed-over";
		this.#cutShort(began ? this.#interrupted({ kind: "aborted", reason }) : beforeDispatch(), "abort");
	}

	/** What was handed over as an early start is an admitted call from here on, in every queue that it waits in. */
	admitted(): void {
		this.#execution?.admitted?.();
	}

	/** For the executor, once the work begins. */
	onBegan(thread?: number): void {
		// A call that was aborted in its queue may be begun in the very turn that takes it out.
		if (this.#phase.kind !== "handed-over") return;
		this.#phase = RUNNING;
		this.#limits.began();
		this.#parts.watch.began(this.#parts.context.identity, thread);
		// Inline work begins inside `start`, which arms the limits itself if the work did not answer at once.
		if (this.#execution !== undefined) this.#limits.arm();
	}

	/** For its limits. */
	expired(why: TimedOut): void {
		if (this.#phase.kind !== "running") return;
		invariant(this.beganMs !== undefined, "C2", "a limit ran out for a call that never began");
		this.#cutShort(this.#interrupted(why), "limit");
		this.#stop(new DOMException(`The call's ${why.limit} of ${why.limitMs} ms is over`, "TimeoutError"));
	}

	#stop(reason: unknown, graceMs: number = this.#parts.limits.graceMs): void {
		this.#parts.context.stop(reason);
		this.#execution?.stop(graceMs);
	}

	/** Calls that it made may still run: what they do belongs to its answer, and one of them may ask. */
	#end(outcome: Outcome): void {
		const { context } = this.#parts;
		context.close();
		const quiet = context.whenQuiet();
		if (quiet === undefined) this.#endQuiet(outcome);
		else void quiet.then(() => this.#endQuiet(outcome));
	}

	#endQuiet(outcome: Outcome): void {
		if (this.#parts.context.hasAsked && this.#phase.kind !== "answered") this.#endAsked(outcome);
		else this.#endWith(outcome);
	}

	#endAsked(outcome: Outcome): void {
		const { context, read } = this.#parts;
		// C5: what was cut short did not unwind by itself, so nobody can say what it did.
		const isUnknown = !outcome.ok && outcome.error.code === "WORKER_LOST" && !read;
		if (isUnknown) {
			this.#endWith(outcome);
			return;
		}
		this.#limits.over();
		this.#phase = { kind: "ended", outcome: ASKED };
		context.end();
		this.#onEnd?.();
		this.#onAnswer?.(ASKED, "work");
		this.#onEnd = undefined;
		this.#onAnswer = undefined;
	}

	#endWith(outcome: Outcome): void {
		if (this.#phase.kind === "answered") this.#parts.watch.endedLate(this.#parts.context.identity, outcome);
		else this.#answer(asMeant(outcome, this.#parts.read), "work");
		const { answer } = this;
		if (answer === undefined) broken("C3", `call ${this.#parts.context.index} ended without an answer`);
		this.#phase = { kind: "ended", outcome: answer };
		this.#parts.context.end();
		this.#onEnd?.();
		this.#onEnd = undefined;
		this.#freeRoom();
	}

	/** Answers before the work has ended. A thread that does not exit is given up when the pool puts another in its place. */
	#cutShort(outcome: Outcome, by: "limit" | "abort"): void {
		if (this.answer !== undefined) return;
		this.#answer(outcome, by);
		if (!this.takesRoom) {
			this.#freeRoom();
			return;
		}
		const { clock, limits } = this.#parts;
		this.#cancelRoomTimer = clock.setTimer(() => this.#freeRoom(), limits.graceMs + THREAD_EXIT_MS_MAX);
	}

	get #endsWhenStopped(): boolean {
		return this.#execution?.endsWhenStopped === true;
	}

	#freeRoom(): void {
		this.#cancelRoomTimer();
		if (this.#phase.kind === "answered") this.#phase = { ...this.#phase, takesRoom: false };
		this.#onRoomFree?.();
		this.#onRoomFree = undefined;
	}

	#answer(outcome: Outcome, by: AnsweredBy): void {
		if (this.answer !== undefined) return;
		if (this.#limits.isOver) broken("C1", `call ${this.#parts.context.index} was answered twice`);
		this.#limits.over();
		if (this.beganMs !== undefined) this.#measure(by === "limit");
		// C4: what nothing can end is not waited for.
		const takesRoom = by !== "work" && this.#endsWhenStopped;
		this.#phase = { kind: "answered", outcome, takesRoom };
		this.#onAnswer?.(outcome, by);
		this.#onAnswer = undefined;
	}

	#measure(cutShort: boolean): void {
		const { limits, call, context, watch } = this.#parts;
		const { ranMs, silentMs } = this.#limits;
		this.#overran = overrunOf({ name: call.name, limits, ranMs, silentMs, cutShort, onThread: this.#endsWhenStopped });
		if (this.#overran !== undefined) watch.overran(context.identity, this.#overran);
	}

	#interrupted(why: Interruption): Outcome {
		const { call, read } = this.#parts;
		return interrupted({ name: call.name, read, ranMs: this.ranMs }, why);
	}
}
