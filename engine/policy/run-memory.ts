// Run memory
//
// What a policy remembers of runs, so that no call is judged by who came first. It stands in lines: one of the run, and one
// of each call that makes calls. Each line keeps what its calls brought from those that must not know it (run-line.ts), and
// enters that of its maker with its maker's own accounting. So whatever the calls of a segment make while they run at once,
// each is judged by the run as the segment found it and by what its own makers had brought.
//
// Owns:      the lines of each run, and finding a call's.
// Does not:  know what is remembered, or how many runs are (run-states.ts).

import type { KnownFields } from "../core/known-fields.js";
import type { Outcome } from "../core/outcome.js";
import { showValue } from "../core/show-value.js";
import type { PolicyView } from "./policy.js";
import { demandKnown, refuse } from "./refusal.js";
import { lastOf, pastOf, RunLine } from "./run-line.js";
import type { RunChange, RunMemoryParts, Seen } from "./run-memory-parts.js";
import { RunStates } from "./run-states.js";

/**
 * What a policy remembers of each run; made by {@link runMemory}.
 *
 * In `admit` every call enters and is judged by what is seen then; what is reserved for it is held. In `account` it is
 * accounted. A state is changed nowhere else. Forms that middleware made (`view.rewritten`) enter to see, and hold nothing.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export class RunMemory<State, Held = never> {
	readonly #parts: RunMemoryParts<State, Held>;
	readonly #runs: RunStates<RunLine<State, Held>>;

	constructor(parts: RunMemoryParts<State, Held>) {
		this.#parts = parts;
		this.#runs = new RunStates(() => new RunLine(parts), parts.runsMax);
	}

	/** A call comes to admission: what it is judged by, of the run first, then of each call that it is nested in. */
	enter(view: PolicyView): readonly Seen<State, Held>[] {
		return this.#seen(view, this.#runs.of(view.runId), true);
	}

	/** The same where most runs have nothing to remember: nothing is made, and only what remembers something is seen. */
	enterKnown(view: PolicyView): readonly Seen<State, Held>[] {
		const line = this.#runs.known(view.runId);
		return line === undefined ? NOTHING : this.#seen(view, line, false);
	}

	/**
	 * Holds something for a call that has entered, until it was accounted or is over without.
	 *
	 * @throws TypeError for a call that something is held for, which a form that middleware made is too.
	 */
	hold(view: PolicyView, held: Held): void {
		if (view.rewritten) throw new TypeError("A form that middleware made has nothing held for it: its call has.");
		this.#lineOf(view).hold(lastOf(view), held, view);
	}

	/**
	 * A call was accounted. Without a `change` what was held is let go, and what its calls brought enters. Of a call that is
	 * `STOPPED_BY_ERROR` nothing does, as if it had never begun, which it may have.
	 */
	accounted(view: PolicyView, outcome: Outcome, change?: RunChange<State, Held>): void {
		if (change === undefined && this.#runs.known(view.runId) === undefined) return;
		const line = this.#lineOf(view);
		const index = lastOf(view);
		const before = line.known(index);
		if (change === undefined && before === undefined) return;
		// A policy need not enter calls that it does not judge: of an earlier wave's at this place nothing is lost.
		if (before?.isOver) line.close();
		const member = line.at(index, view.step);
		line.end(index, member);
		if (isStopped(outcome)) member.isDiscarded = true;
		else member.change = change;
		// The last that was admitted: all before it are over, and nothing is kept of a run that has ended here.
		if (view.lineage === undefined && line.isLast(index)) line.close();
	}

	/** The line that the call's own accounting goes into. */
	#lineOf({ runId, step, lineage }: PolicyView): RunLine<State, Held> {
		let line = this.#runs.of(runId);
		for (const index of lineage?.slice(0, -1) ?? []) {
			const maker = line.at(index, step);
			maker.line ??= new RunLine(this.#parts, true);
			line = maker.line;
		}
		return line;
	}

	#seen(view: PolicyView, run: RunLine<State, Held>, makes: boolean): readonly Seen<State, Held>[] {
		const seen: Seen<State, Held>[] = [];
		let line = run;
		for (const index of view.lineage?.slice(0, -1) ?? []) {
			const member = makes ? line.at(index, view.step) : line.known(index);
			seen.push({ state: line.stateOf(member), maker: line.makerFor(member) });
			if (member === undefined || (member.line === undefined && !makes)) return seen;
			member.line ??= new RunLine(this.#parts, true);
			line = member.line;
		}
		const index = lastOf(view);
		if (view.rewritten) return [...seen, { state: line.stateFor(pastOf(view, index)) }];
		const begins = line.admit(index, view);
		if (begins && view.lineage === undefined) this.#parts.wave?.(line.state, view);
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

const FIELDS: KnownFields<RunMemoryParts<unknown, unknown>> = {
	make: true,
	absorb: true,
	hold: true,
	letGo: true,
	shares: true,
	wave: true,
	runsMax: true,
};

/**
 * Makes what a policy remembers runs in, for a policy that judges calls by what others did: with it the same calls are
 * answered alike under every schedule, also where calls that run at once make calls.
 *
 * @example
 * ```ts
 * const seen = runMemory<Set<string>>({
 *   make: () => new Set(),
 *   absorb: (into, from) => from.forEach((name) => into.add(name)),
 * });
 * const firstLook = definePolicy({
 *   name: 'first-look',
 *   admit: ({ name }, view) => {
 *     const isKnown = seen.enter(view).some(({ state }) => state.has(name));
 *     return isKnown ? { deny: { rule: 'first-look', violation: `${name} has run.`, alternative: 'Go on.' } } : 'clear';
 *   },
 *   account: ({ name }, outcome, view) => seen.accounted(view, outcome, (state) => state.add(name)),
 * });
 * ```
 * @throws EngineError `INVALID_OPTIONS` for a part that does not exist, is missing or is no function, `hold` without `letGo` or
 * the other way round, and a `runsMax` that is not a whole number from 1.
 * @remarks Since 0.1.0.
 * @public
 */
export function runMemory<State, Held = never>(parts: RunMemoryParts<State, Held>): RunMemory<State, Held> {
	demandKnown(parts as RunMemoryParts<unknown, unknown>, FIELDS);
	const { make, absorb, hold, letGo, shares, wave, runsMax = 1 } = parts;
	for (const [name, part] of Object.entries({ make, absorb, hold, letGo, shares, wave })) {
		const isNeeded = name === "make" || name === "absorb";
		if (typeof part !== "function" && (isNeeded || part !== undefined))
			refuse(`${name} is ${showValue(part)}, not a function`);
	}
	if ((hold === undefined) !== (letGo === undefined)) refuse("hold and letGo need each other, and one is left out");
	if (!Number.isSafeInteger(runsMax) || runsMax < 1)
		refuse(`runsMax is ${showValue(runsMax)}, not a whole number from 1`);
	return new RunMemory(parts);
}
