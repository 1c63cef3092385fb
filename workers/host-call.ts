// Host call
//
// One call as the host sees it, from the moment it is given to the pool until nothing of it runs any more.
//
//   waiting ──▶ in hand ──▶ begun ──▶ over
//      ▲──────────┘                    ▲
//      └──── stop, while not begun ────┘
//
// Owns:      that sequence, and the promise that a call keeps to whoever gave it.
// Does not:  know messages or cells (host-thread.ts), or the order of calls (waiting-line.ts).
//
// Invariants:
//   J2. A call is over exactly once, and began at most once before that.

import { invariant } from "../engine/core/invariant.js";
import type { Execution } from "../engine/core/invocable.js";
import { beforeDispatch, type Outcome } from "../engine/core/outcome.js";
import type { ThreadRef } from "../engine/core/thread-ref.js";
import type { Job } from "../engine/execution/executor.js";

/** The thread that has a call, as far as the call needs it. */
export interface Holder {
	readonly number: number;
	/** Takes a call back, unless it has begun or its answer, without having begun, is on its way. */
	takeBack(call: HostCall): "taken" | "begun" | "answered";
	/** Asks the begun call to stop, and ends the thread if it has not stopped after the grace. */
	stop(call: HostCall, graceMs: number): void;
}

type Phase =
	| { readonly kind: "waiting" }
	| { readonly kind: "in-hand"; readonly holder: Holder }
	| { readonly kind: "begun"; readonly holder: Holder }
	| { readonly kind: "over" };

export class HostCall implements Execution {
	readonly job: Job<ThreadRef>;
	readonly order: number;
	readonly ended: Promise<Outcome>;
	readonly endsWhenStopped = true;
	readonly #onAdmitted: (call: HostCall) => void;
	#ahead: boolean;
	#phase: Phase = { kind: "waiting" };
	#resolve: (outcome: Outcome) => void = () => undefined;

	/** `onAdmitted` is told when an early start that waits becomes an admitted call. */
	constructor(job: Job<ThreadRef>, order: number, onAdmitted: (call: HostCall) => void) {
		this.job = job;
		this.order = order;
		this.#ahead = job.ahead;
		this.#onAdmitted = onAdmitted;
		this.ended = new Promise((resolve) => {
			this.#resolve = resolve;
		});
	}

	get ahead(): boolean {
		return this.#ahead;
	}

	admitted(): void {
		if (!this.#ahead) return;
		this.#ahead = false;
		if (this.#phase.kind === "waiting") this.#onAdmitted(this);
	}

	/** One tool's calls are in one lane. */
	get lane(): object {
		return this.job.work;
	}

	get isOver(): boolean {
		return this.#phase.kind === "over";
	}

	stop(graceMs: number): void {
		const phase = this.#phase;
		switch (phase.kind) {
			case "waiting":
				this.over(beforeDispatch());
				return;
			case "in-hand":
				this.#stopInHand(phase.holder, graceMs);
				return;
			case "begun":
				phase.holder.stop(this, graceMs);
				return;
			case "over":
				return;
		}
	}

	// X4: a call that is taken back never begins. The thread may have begun it without the host having heard; the cell
	// knows.
	#stopInHand(holder: Holder, graceMs: number): void {
		const found = holder.takeBack(this);
		if (found === "taken") this.over(beforeDispatch());
		if (found !== "begun") return;
		this.began(holder);
		holder.stop(this, graceMs);
	}

	/** A thread has it. */
	handed(holder: Holder): void {
		this.#phase = { kind: "in-hand", holder };
	}

	/** No thread has it any more, and it has not begun. */
	returned(): void {
		invariant(this.#phase.kind === "in-hand", "J2", `a call came back that was ${this.#phase.kind}`);
		this.#phase = { kind: "waiting" };
	}

	// X2: only a call in hand begins, and beginning takes it out of that phase.
	began(holder: Holder): void {
		if (this.#phase.kind !== "in-hand") return;
		this.#phase = { kind: "begun", holder };
		this.job.hooks.onBegan(holder.number);
	}

	// X1: the one place where `ended` settles; nothing rejects it.
	over(outcome: Outcome): void {
		invariant(this.#phase.kind !== "over", "J2", `call ${this.job.context.callId} ended twice`);
		this.#phase = { kind: "over" };
		this.#resolve(outcome);
	}
}
