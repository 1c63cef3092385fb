// Run memory
//
// What a policy of a host's own remembers runs in. It is `RunLines`, with what the host gives checked where it is given: a
// mistake there would show at another call than the one that it was made for, or never.
//
// Owns:      the checks, and that what is thrown later says of which call it comes.
// Does not:  remember (run-lines.ts).

import type { KnownFields } from "../core/known-fields.js";
import type { Outcome } from "../core/outcome.js";
import { showValue } from "../core/show-value.js";
import { hearOut, isThenable } from "../core/thenable.js";
import type { PolicyView } from "./policy.js";
import { demandKnown, refuse } from "./refusal.js";
import { RunLines } from "./run-lines.js";
import type { RunChange, RunMemory, RunMemoryParts, Seen } from "./run-memory-parts.js";

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
 * the other way round, a `make` that gives no object, a promise or the same one twice, and a `runsMax` that is not a whole
 * number from 1.
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
	const made: unknown = make();
	if (typeof made !== "object" || made === null)
		refuse(`make gives ${showValue(made)}, not an object that others can be put on top of`);
	if (isThenable(made)) {
		hearOut(made);
		refuse("make gives a promise, and nobody waits for it");
	}
	if (make() === made) refuse("make gives the same object again, and each run needs one of its own");
	return new HostMemory(parts);
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

class HostMemory<State, Held> implements RunMemory<State, Held> {
	readonly #lines: RunLines<State, Held>;
	/** Views and no places: a wave may come to the same place as the one before it. */
	readonly #entered = new WeakSet<PolicyView>();
	readonly #accounted = new WeakSet<PolicyView>();

	constructor(parts: RunMemoryParts<State, Held>) {
		this.#lines = new RunLines(answeringAtOnce(parts));
	}

	enter(view: PolicyView): readonly Seen<State, Held>[] {
		demandView(view, "enter");
		if (this.#entered.has(view)) return this.#lines.again(view);
		this.#entered.add(view);
		return this.#lines.enter(view);
	}

	enterKnown(view: PolicyView): readonly Seen<State, Held>[] {
		demandView(view, "enterKnown");
		if (this.#entered.has(view)) return this.#lines.again(view);
		const seen = this.#lines.enterKnown(view);
		if (seen.length > 0) this.#entered.add(view);
		return seen;
	}

	hold(view: PolicyView, held: Held): void {
		demandView(view, "hold");
		if (held === undefined) throw new TypeError("What `hold` takes is undefined, which is what is held for no call.");
		this.#lines.hold(view, held);
	}

	accounted(view: PolicyView, outcome: Outcome, change?: RunChange<State, Held>): void {
		demandView(view, "accounted");
		// Read as anything: a host may have left out the outcome.
		if (typeof (outcome as Partial<Outcome> | undefined)?.ok !== "boolean")
			throw new TypeError(
				`\`accounted\` takes the view, the outcome and then the change, and the outcome is ${showValue(outcome)}.`,
			);
		if (change !== undefined && typeof change !== "function")
			throw new TypeError(`The change is ${showValue(change)}, not a function.`);
		// It would be taken for a call of the next wave, and what is held for those beside it would be let go.
		if (this.#accounted.has(view))
			throw new TypeError("This call was accounted already, and `accounted` comes once a call.");
		this.#accounted.add(view);
		this.#lines.accounted(view, outcome, change && named(change, view));
	}
}

function demandView(view: PolicyView, method: string): void {
	if (typeof (view as Partial<PolicyView> | undefined)?.runId !== "string")
		throw new TypeError(`\`${method}\` takes the view that the policy is given, and this is ${showValue(view)}.`);
}

function answeringAtOnce<State, Held>(parts: RunMemoryParts<State, Held>): RunMemoryParts<State, Held> {
	const { make, absorb, hold, letGo, shares, wave, runsMax } = parts;
	return {
		make: atOnce("make", make),
		absorb: atOnce("absorb", absorb),
		...(hold && { hold: atOnce("hold", hold) }),
		...(letGo && { letGo: atOnce("letGo", letGo) }),
		...(shares && { shares: atOnce("shares", shares) }),
		...(wave && { wave: atOnce("wave", wave) }),
		...(runsMax !== undefined && { runsMax }),
	};
}

/** What is changed after a wait would be changed in a state that others have seen, and a rejection would end the process. */
function atOnce<Given extends unknown[], Said>(
	name: string,
	part: (...given: Given) => Said,
): (...given: Given) => Said {
	return (...given) => {
		const said = part(...given);
		if (!isThenable(said)) return said;
		hearOut(said);
		throw new TypeError(`${name} gave a promise, and nobody waits for it.`);
	};
}

/** It is made at another call's admission, which is the one that fails; that it is lost is told once, to one call. */
function named<State, Held>(
	change: RunChange<State, Held>,
	{ step, index, lineage = [index] }: PolicyView,
): RunChange<State, Held> {
	const make = atOnce("the change", change);
	let isLost = false;
	return (state, held) => {
		if (isLost) return;
		try {
			make(state, held);
		} catch (cause) {
			isLost = true;
			const problem = `What call ${lineage.join(".")} of step ${step} changes failed, and is lost: ${showValue(cause)}`;
			throw new Error(problem, { cause });
		}
	};
}
