// Dedup
//
// A call that was answered before is answered again with what it ended with then, success or failure, and does not run.
// Answered before means recorded: a host that takes up a run where a process died hands over what the ledger holds. A
// call is known by its run, its step, its place, its tool and its arguments; an id alone is no identity, because
// providers leave ids out and repeat them. Equal calls inside one wave need no policy: the engine runs them once.
//
// Owns:      the answers by that identity.
// Does not:  read a ledger, or remember what this process runs: across waves nothing is answered twice.

import { argumentsKey } from "../core/call.js";
import type { KnownFields } from "../core/known-fields.js";
import { isOutcome, type Outcome } from "../core/outcome.js";
import { showValue } from "../core/show-value.js";
import type { Policy } from "./policy.js";
import { demandKnown, refuse } from "./refusal.js";

/**
 * How a call ended, as it was recorded.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface RecordedAnswer {
	/** The run it was recorded in. */
	readonly runId: string;
	/** That run's step, from 0. */
	readonly step: number;
	/** The call's place in its wave, from 0. */
	readonly index: number;
	/** The tool's name. */
	readonly name: string;
	/** The raw arguments: a JSON value or JSON text. */
	readonly args: unknown;
	/** How the call ended. */
	readonly outcome: Outcome;
}

/**
 * What {@link dedup} answers with.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface DedupOptions {
	/** Of two for the same call the first stands. */
	readonly answers: Iterable<RecordedAnswer>;
}

const FIELDS: KnownFields<DedupOptions> = { answers: true };

interface Known {
	readonly name: string;
	readonly argsKey: string;
	readonly outcome: Outcome;
}

/**
 * Answers each recorded call with its recorded outcome at admission, before anything of it runs. List it first: what
 * stands before it is asked about calls that were answered long ago.
 *
 * @throws EngineError `INVALID_OPTIONS` for an option that does not exist, no list of answers, and an answer that is no outcome.
 * @remarks Since 0.1.0.
 * @public
 */
export function dedup(options: DedupOptions): Policy {
	demandKnown(options, FIELDS);
	const { answers } = options;
	if (typeof answers?.[Symbol.iterator] !== "function") refuse(`answers is ${showValue(answers)}, not a list`);
	const byRun = new Map<string, Map<string, Known[]>>();
	for (const { name, args, outcome, runId, ...place } of answers) {
		if (!isOutcome(outcome)) refuse(`the answer of ${showValue(name)} is ${showValue(outcome)}, no outcome`);
		const byPlace = byRun.get(runId) ?? new Map<string, Known[]>();
		const known = byPlace.get(placeOf(place)) ?? [];
		known.push({ name, argsKey: argumentsKey(args), outcome });
		byRun.set(runId, byPlace.set(placeOf(place), known));
	}
	return {
		name: "dedup",
		judgesFormAlone: true,
		admit({ name, args }, view) {
			// What was recorded is known by the arguments that the model asked with, and no call of a call is recorded.
			if (view.rewritten || view.lineage !== undefined) return "clear";
			// A place, and then the arguments, are worked out only where something was recorded: most runs never crashed.
			const known = byRun.get(view.runId)?.get(placeOf(view));
			if (known === undefined) return "clear";
			const argsKey = argumentsKey(args);
			const first = known.find((one) => one.name === name && one.argsKey === argsKey);
			return first === undefined ? "clear" : { answer: first.outcome };
		},
	};
}

function placeOf({ step, index }: Pick<RecordedAnswer, "step" | "index">): string {
	return `${step} ${index}`;
}
