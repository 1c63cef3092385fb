// Run rules
//
// What a person has approved for the rest of a run. Kept by run, because waves of one run come one after another and
// nobody tells when the last has been; a run in which nobody said `always` is never remembered.
//
// Owns:      that memory. Its bound is RunStates'.
// Does not:  read an answer, or approve a call by a rule (wave/pending.ts).

import { RunStates } from "../policy/run-states.js";
import type { Asking } from "../wave/wave-options.js";

export class RunRules {
	readonly #runs = new RunStates<Set<string>>(() => new Set());

	of(runId: string): Asking["rules"] {
		return {
			has: (rule) => this.#runs.known(runId)?.has(rule) === true,
			add: (rule) => void this.#runs.of(runId).add(rule),
			list: () => [...(this.#runs.known(runId) ?? [])],
		};
	}
}
