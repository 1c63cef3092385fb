// Run lines
//
// What a policy remembers of runs, so that no call is judged by who came first. It stands in lines: one of the run, and one
// of each call that makes calls. Each line keeps what its calls brought from those that must not know it (run-line.ts), and
// enters that of its maker with its maker's own accounting. So whatever the calls of a segment make while they run at once,
// each is judged by the run as the segment found it and by what its own makers had brought.
//
// Owns:      the lines of each run, and finding a call's.
// Does not:  know what is remembered, how many runs are (run-states.ts), or check what a host gives (run-memory.ts).

import type { Outcome } from "../core/outcome.js";
import type { PolicyView } from "./policy.js";
import { RunLine } from "./run-line.js";
import type { RunChange, RunMemory, RunMemoryParts, Seen } from "./run-memory-parts.js";
import { lastOf, pastOf } from "./run-past.js";
import { RunStates } from "./run-states.js";

export class RunLines<State, Held = never> implements RunMemory<State, Held> {
	readonly #parts: RunMemoryParts<State, Held>;
	readonly #runs: RunStates<RunLine<State, Held>>;

	constructor(parts: RunMemoryParts<State, Held>) {
		this.#parts = parts;
		this.#runs = new RunStates(() => new RunLine(parts), parts.runsMax);
	}

	enter(view: PolicyView): readonly Seen<State, Held>[] {
		return this.#seen(view, this.#runs.of(view.runId), "makes");
	}

	enterKnown(view: PolicyView): readonly Seen<State, Held>[] {
		const line = this.#runs.known(view.runId);
		return line === undefined ? NOTHING : this.#seen(view, line, "finds");
	}

	/** The same for a call that has entered. */
	again(view: PolicyView): readonly Seen<State, Held>[] {
		const line = this.#runs.known(view.runId);
		return line === undefined ? NOTHING : this.#seen(view, line, "again");
	}

	hold(view: PolicyView, held: Held): void {
		if (view.rewritten) throw new TypeError("A form that middleware made has nothing held for it: its call has.");
		this.#lineOf(view).hold(lastOf(view), held, view);
	}

	accounted(view: PolicyView, outcome: Outcome, change?: RunChange<State, Held>): void {
		if (change === undefined && this.#runs.known(view.runId) === undefined) return;
		const line = this.#lineOf(view);
		const index = lastOf(view);
		line.end(index, view.step, isStopped(outcome) ? "discarded" : change);
		// The last that was admitted: all before it are over, and nothing is kept of a run that has ended here.
		if (view.lineage === undefined && line.isLast(index)) line.close();
	}

	/** The line that the call's own accounting goes into. */
	#lineOf({ runId, step, lineage }: PolicyView): RunLine<State, Held> {
		let line = this.#runs.of(runId);
		for (const index of lineage?.slice(0, -1) ?? []) {
			line = line.below(line.at(index, step));
		}
		return line;
	}

	#seen(view: PolicyView, run: RunLine<State, Held>, how: "makes" | "finds" | "again"): readonly Seen<State, Held>[] {
		const seen: Seen<State, Held>[] = [];
		let line = run;
		for (const index of view.lineage?.slice(0, -1) ?? []) {
			const member = how === "makes" ? line.at(index, view.step) : line.known(index);
			seen.push({ state: line.stateOf(member), maker: line.makerFor(member) });
			if (member === undefined || (member.line === undefined && how !== "makes")) return seen;
			line = line.below(member);
		}
		const index = lastOf(view);
		if (view.rewritten) return [...seen, { state: line.stateFor(pastOf(view, index)) }];
		if (how !== "again" && line.admit(index, view) && view.lineage === undefined) this.#parts.wave?.(line.state, view);
		const state = line.stateFor(view);
		// Nothing is made for the call of a run that sees all of it, as most do.
		if (seen.length === 0 && state === line.state) return line.asSeen;
		seen.push({ state });
		return seen;
	}
}

const NOTHING: readonly never[] = [];

function isStopped(outcome: Outcome): boolean {
	return !outcome.ok && outcome.error.code === "STOPPED_BY_ERROR";
}
