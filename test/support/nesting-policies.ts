// Nesting policies
//
// The policies of nesting runs, by name: those that are shipped, and witnesses that mark what they account with what they
// were told or may know, so that whoever was told otherwise is seen in the ledger.
//
// Owns:      those policies.
// Does not:  know a run's calls (nesting-runs.ts).

import type { JsonValue } from "../../engine/core/json-value.js";
import { answered, type Outcome } from "../../engine/core/outcome.js";
import { budget, dedup, memo, type Policy, type PolicyView, runMemory, type Seen, taint } from "../../engine/index.js";
import type { Hold } from "./held-work.js";

const MAKERS: ReadonlySet<string> = new Set(["nest", "fan", "scan", "agent", "crew", "reader"]);

const MADE = {
	witness: () => witness(),
	"memory witness": () => memoryWitness(),
	late: (_calls, hold) => late(hold),
	memo: () => memo(),
	taint: () => taint({ closes: ["write"] }),
	"table taint": () => taint({ closes: { egress: ["read"], "open-world": ["write"] } }),
	budget: (calls) => budget({ run: { calls } }),
	"step budget": (calls) => budget({ step: { calls: Math.ceil(calls / 2), bytes: calls * 20 } }),
	"reserving budget": (calls) =>
		budget({ run: { calls }, reserve: ({ name }) => ({ calls: MAKERS.has(name) ? 3 : 1 }) }),
	dedup: () => dedup({ answers: [] }),
} satisfies Readonly<Record<string, (calls: number, hold: Hold | undefined) => Policy>>;

export type NestingPolicyName = keyof typeof MADE;

export interface NestingPolicies {
	readonly policies: readonly NestingPolicyName[];
	readonly calls: number;
}

export function nestingPolicies({ policies, calls }: NestingPolicies, hold?: Hold): Policy[] {
	return policies.map((name) => MADE[name](calls, hold));
}

/** Memo accounts last: a ledger holds what accounting made of an answer, and after a crash that is what policies are told. */
export function memoFirst(names: readonly NestingPolicyName[]): readonly NestingPolicyName[] {
	return [...names].sort((one, other) => Number(other === "memo") - Number(one === "memo"));
}

/** A sum of texts, in their order. */
function summed(sum: number, what: string): number {
	let next = sum;
	for (const char of what) next = (next * 31 + char.charCodeAt(0)) % 1_000_003;
	return next;
}

/** Marks what it accounts with a sum of all that it was told until then, in its order. */
function witness(): Policy {
	let sum = 0;
	return {
		name: "witness",
		admit({ name }, { step, index, lineage }) {
			sum = summed(sum, `admit ${name} ${step} ${index} ${String(lineage)}`);
			return "clear";
		},
		account({ name }, outcome, { step, index, lineage }): Outcome | undefined {
			sum = summed(sum, `account ${name} ${step} ${index} ${String(lineage)}`);
			return outcome.ok ? answered([outcome.value as JsonValue, sum]) : undefined;
		},
	};
}

const placeOf = ({ step, index, lineage = [index] }: PolicyView): string => `${step}:${lineage.join(".")}`;

/** Marks it with a sum of all that the call was to be judged by, in whatever order it was told the rest. */
function memoryWitness(): Policy {
	const saw = new Map<string, string>();
	const memory = runMemory<string[], string>({
		make: () => [],
		absorb: (into, from) => void into.push(...from),
		hold: (state, held) => void state.push(`+${held}`),
		letGo: (state, held) => void state.splice(state.indexOf(`+${held}`), 1),
	});
	const layerOf = ({ state, maker }: Seen<string[], string>): unknown => [state, maker ?? null];
	return {
		name: "memory witness",
		admit(_call, view) {
			const place = placeOf(view);
			saw.set(place, JSON.stringify(memory.enter(view).map(layerOf)));
			memory.hold(view, place);
			return "clear";
		},
		account(_call, outcome, view): Outcome | undefined {
			const place = placeOf(view);
			memory.accounted(view, outcome, (state) => void state.push(`${outcome.ok ? "=" : "!"}${place}`));
			return outcome.ok ? answered([outcome.value as JsonValue, summed(0, saw.get(place) ?? "")]) : undefined;
		},
	};
}

/** Clears everything, every second call by a promise that the test holds, and accounts so. */
function late(hold: Hold | undefined): Policy {
	let told = 0;
	const takesItsTime = (what: string): Promise<void> | undefined => {
		told += 1;
		return told % 2 === 0 ? undefined : hold?.(what);
	};
	return {
		name: "late",
		admit: ({ name }) => takesItsTime(`admit ${name}`)?.then(() => "clear" as const) ?? "clear",
		account: ({ name }) => takesItsTime(`account ${name}`),
	};
}
