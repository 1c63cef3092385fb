// Wave arbitrary
//
// Random waves as plain data: what is called, what each call answers, what the policies do, who stops the wave, how it
// is scheduled, in which order things settle, and what is offered early. Everything a run needs is in the case, so a
// failing one can be read and run again.
//
// Owns:      the shape of a case and how likely each part is.
// Does not:  run one (wave-driver.ts), or say what is right (serial-reference.ts).

import fc from "fast-check";
import type { ToolCall } from "../../engine/core/call.js";
import type { Act, PolicyPlan } from "./scripted-policies.js";
import { type Play, TOOL_NAMES } from "./scripted-tools.js";
import type { Going } from "./serial-reference.js";

export type Schedule = "serial" | "leading-reads" | "barriers";

export type BadEnd = "length" | "filtered" | "failed" | "restarted" | "cancelled";

export type OfferedEnd = "settle what was offered" | "settle the reply" | BadEnd;

/** How the calls reach the engine: at once, or offered one by one while the reply is still coming. */
export type Arrival =
	| { readonly kind: "at once" }
	| {
			readonly kind: "offered";
			/** In the order they are offered; calls of the wave that are missing here come with the reply. */
			readonly offers: readonly { readonly index: number; readonly call: ToolCall }[];
			readonly end: OfferedEnd;
	  };

export interface WaveCase {
	readonly calls: readonly ToolCall[];
	readonly plays: ReadonlyMap<number, Play>;
	readonly policies: readonly PolicyPlan[];
	readonly policiesWait: boolean;
	readonly going: ReadonlyMap<number, Going>;
	readonly stopOnError: boolean;
	readonly schedule: Schedule;
	readonly maxParallelToolCalls: number;
	readonly ahead: "local" | "any" | false;
	readonly arrival: Arrival;
	/** Which of the waiting settles next, and whether the event loop turns in between. */
	readonly picks: readonly number[];
}

type Form = "value" | "text" | "padded text" | "cut" | "list" | "trailing" | "refused" | "blank" | "extra fields";

interface CallSpec {
	readonly name: string;
	readonly form: Form;
	readonly id: "own" | "empty" | "shared";
	/** How many calls back the one stands that this one repeats; 0 for a call of its own. */
	readonly repeats: number;
	readonly play: Play;
	readonly act: Act;
	readonly going: Going;
}

const usually = <Value>(common: Value, weight: number, ...rare: Value[]): fc.Arbitrary<Value> =>
	fc.oneof(
		{ weight, arbitrary: fc.constant(common) },
		...rare.map((value) => ({ weight: 1, arbitrary: fc.constant(value) })),
	);

const names = fc.oneof(
	{ weight: 8, arbitrary: fc.constantFrom("look", "peek", "convert") },
	{ weight: 8, arbitrary: fc.constantFrom<string>(...TOOL_NAMES) },
	{ weight: 1, arbitrary: fc.constantFrom("constructor", "lok", "no such tool") },
);

class OwnError extends Error {
	readonly code = "E_OWN";
}

const values: fc.Arbitrary<unknown> = fc.oneof(
	{ weight: 4, arbitrary: fc.nat(99) },
	{ weight: 2, arbitrary: fc.constantFrom(undefined, null, 0, "", false, [], {}) },
	{
		weight: 1,
		arbitrary: fc.constantFrom(new Uint8Array([1, 2, 3]), () => 1, { deep: [Symbol("no")] }, new Map([["k", 1]])),
	},
);

const thrown: fc.Arbitrary<unknown> = fc.constantFrom<unknown>(
	new Error("it broke"),
	new OwnError("mine"),
	new Error("outer", { cause: new TypeError("inner") }),
	"a text",
	undefined,
	null,
	{ code: 7 },
);

const plays: fc.Arbitrary<Play> = fc.oneof(
	{ weight: 8, arbitrary: values.map((value): Play => ({ kind: "answers", value })) },
	{ weight: 1, arbitrary: thrown.map((error): Play => ({ kind: "throws", thrown: error })) },
	{ weight: 1, arbitrary: thrown.map((error): Play => ({ kind: "rejects", thrown: error })) },
);

const callSpecs: fc.Arbitrary<CallSpec> = fc.record({
	name: names,
	form: usually<Form>(
		"value",
		24,
		"text",
		"text",
		"padded text",
		"padded text",
		"extra fields",
		"cut",
		"list",
		"trailing",
		"refused",
		"blank",
	),
	id: usually<CallSpec["id"]>("own", 6, "empty", "shared"),
	repeats: usually(0, 10, 1, 2, 3),
	play: plays,
	act: usually<Act>("clear", 14, "deny", "answer", "throw at admission", "throw at accounting", "rewrite"),
	going: usually<Going>("go", 40, "cancel", { steer: "look left" }, { steer: "hurry" }),
});

const policyKinds = fc.uniqueArray(fc.constantFrom("gate", "budget", "taint", "witness"), { maxLength: 4 });

const settings = fc.record({
	policyKinds,
	policiesWait: usually(false, 2, true),
	stopOnError: usually(false, 5, true),
	schedule: fc.constantFrom<Schedule>("serial", "leading-reads", "barriers"),
	maxParallelToolCalls: fc.integer({ min: 1, max: 5 }),
	ahead: usually<WaveCase["ahead"]>("local", 4, "any", false),
	number: fc.nat(7),
	picks: fc.array(fc.nat(15), { minLength: 1, maxLength: 24 }),
});

const arrivals = fc.record({
	offered: fc.boolean(),
	/** By call: when it is offered among the others. */
	order: fc.array(fc.nat(9), { minLength: 12, maxLength: 12 }),
	/** By call: whether what is offered is not what the reply closes with, or is not offered at all. */
	faults: fc.array(usually<"none" | "other" | "missing">("none", 12, "other", "missing"), {
		minLength: 12,
		maxLength: 12,
	}),
	inOrder: fc.boolean(),
	end: usually<"settle" | BadEnd>("settle", 8, "length", "filtered", "failed", "restarted", "cancelled"),
});

/** A random wave of at most twelve calls. */
export const waveCases: fc.Arbitrary<WaveCase> = fc
	.tuple(fc.array(callSpecs, { maxLength: 12 }), settings, arrivals)
	.map(([specs, chosen, arrival]) => waveOf(specs, chosen, arrival));

type Settings = typeof settings extends fc.Arbitrary<infer Value> ? Value : never;
type Arrivals = typeof arrivals extends fc.Arbitrary<infer Value> ? Value : never;

function waveOf(specs: readonly CallSpec[], chosen: Settings, arrival: Arrivals): WaveCase {
	const numbers = specs.map((spec, index) =>
		spec.repeats > 0 && spec.repeats <= index ? index - spec.repeats : index,
	);
	const calls = specs.map((spec, index) => {
		const number = numbers[index] ?? index;
		const origin = number === index ? spec : { ...(specs[number] ?? spec), form: spec.form };
		return { id: idOf(origin.id, number), name: origin.name, args: argsOf(origin, number) };
	});
	const { policyKinds: kinds, number, ...rest } = chosen;
	const acts = new Map(specs.map((spec, index) => [index, spec.act]));
	return {
		calls,
		plays: new Map(specs.map((spec, index) => [index, spec.play])),
		policies: kinds.map((kind) => policyOf(kind, number, acts)),
		going: new Map(specs.map((spec, index) => [index, spec.going])),
		arrival: arrivalOf(calls, arrival),
		...rest,
	};
}

function policyOf(kind: string, number: number, acts: ReadonlyMap<number, Act>): PolicyPlan {
	if (kind === "gate") return { kind, acts };
	if (kind === "budget") return { kind, most: number };
	if (kind === "taint") return { kind, sources: new Set([number, number + 1, number + 3]) };
	return { kind: "witness", asked: new Set([number, number + 3]) };
}

function idOf(id: CallSpec["id"], number: number): string {
	if (id === "empty") return "";
	return id === "shared" ? "again" : `call-${number}`;
}

function argsOf({ form, name }: { form: Form; name: string }, n: number): unknown {
	const args = name === "convert" && n % 2 === 0 ? { n, size: `${n * 10}` } : { n };
	switch (form) {
		case "value":
			return args;
		case "text":
			return JSON.stringify(args);
		case "padded text":
			return ` ${JSON.stringify(args, null, 1)}\n`;
		case "cut":
			return JSON.stringify(args).slice(0, -1);
		case "list":
			return `[${n}]`;
		case "trailing":
			return `${JSON.stringify(args)} {}`;
		case "refused":
			return { n: `${n}` };
		case "blank":
			return "";
		case "extra fields":
			return { z: [null], ...args };
	}
}

function arrivalOf(calls: readonly ToolCall[], arrival: Arrivals): Arrival {
	if (!arrival.offered) return { kind: "at once" };
	const ended = arrival.end !== "settle";
	const faultOf = (index: number) => (ended ? "none" : arrival.faults[index]);
	const offers = calls
		.map((call, index) => ({
			index,
			call: faultOf(index) === "other" ? { ...call, args: { n: index + 100 } } : call,
		}))
		.filter(({ index }) => faultOf(index) !== "missing");
	const whole = offers.length === calls.length && offers.every(({ index, call }) => call === calls[index]);
	if (!arrival.inOrder)
		offers.sort((left, right) => (arrival.order[left.index] ?? 0) - (arrival.order[right.index] ?? 0));
	if (arrival.end !== "settle") return { kind: "offered", offers, end: arrival.end };
	return { kind: "offered", offers, end: whole && arrival.inOrder ? "settle what was offered" : "settle the reply" };
}
