// Run states
//
// One policy serves every run of an engine, and no run tells it when it ends; so what it remembers is kept by run, and
// the run that was not touched for longest is forgotten when there are too many.
//
// Owns:      that memory and its bound.
// Does not:  know what is remembered.
//
// Invariants:
//   RS1. No more runs than the given number are remembered; the one forgotten is the one touched least recently.

import { invariant } from "../core/invariant.js";
import { POLICY_RUNS_MAX } from "../core/limits.js";

export class RunStates<State> {
	readonly #make: () => State;
	readonly #runsMax: number;
	readonly #byRun = new Map<string, State>();
	/** The run touched last, so that its calls cost no move in the map. */
	#last: { readonly runId: string; readonly state: State } | undefined;

	constructor(make: () => State, runsMax: number = POLICY_RUNS_MAX) {
		this.#make = make;
		this.#runsMax = runsMax;
	}

	/** What is remembered of the run; nothing for a run that has no state. */
	known(runId: string): State | undefined {
		if (this.#last?.runId === runId) return this.#last.state;
		const state = this.#byRun.get(runId);
		if (state !== undefined) this.#touch(runId, state);
		return state;
	}

	/** What is remembered of the run, made where there was nothing. */
	of(runId: string): State {
		const known = this.known(runId);
		if (known !== undefined) return known;
		const state = this.#make();
		this.#touch(runId, state);
		return state;
	}

	#touch(runId: string, state: State): void {
		this.#byRun.delete(runId);
		this.#byRun.set(runId, state);
		this.#last = { runId, state };
		if (this.#byRun.size <= this.#runsMax) return;
		const [oldest] = this.#byRun.keys();
		if (oldest !== undefined) this.#byRun.delete(oldest);
		invariant(this.#byRun.size <= this.#runsMax, "RS1", `${this.#byRun.size} runs are remembered`);
	}
}
