// Middleware cases
//
// Random waves with random middleware around their calls, as plain data, and how one is run in the engine and in the
// reference.
//
// Owns:      the cases, and the two readings of one that a test compares.
// Does not:  compare.

import fc from "fast-check";
import { createEngine, KeyedLock, memoryLedger, type ToolCall, type WaveResult } from "../../engine/index.js";
import { HeldWork } from "./held-work.js";
import { ManualClock } from "./manual-clock.js";
import { type Standing, StandingTools } from "./middleware-kit.js";
import { runWrappedSerially } from "./middleware-reference.js";
import { Picks } from "./picks.js";
import { type Reading, readingOf } from "./reading.js";
import { type MiddlewareAct, type MiddlewarePlan, scriptedMiddleware } from "./scripted-middleware.js";
import { type Act, type PolicyPlan, scriptedPolicy } from "./scripted-policies.js";
import { entriesOf } from "./wave-driver.js";

export interface MiddlewareCase {
	readonly calls: readonly ToolCall[];
	readonly layers: readonly MiddlewarePlan[];
	readonly policies: readonly PolicyPlan[];
	readonly schedule: "serial" | "leading-reads" | "barriers";
	readonly maxParallelToolCalls: number;
	readonly onError: "continue" | "stop";
	/** Whether the calls are offered while the reply is still coming. */
	readonly offered: boolean;
	readonly picks: readonly number[];
}

export interface MiddlewareReading {
	readonly reading: Reading;
	readonly seen: StandingTools;
}

const standings: fc.Arbitrary<Standing> = fc.record(
	{
		effect: fc.oneof(
			{ weight: 5, arbitrary: fc.constant("read" as const) },
			{ weight: 2, arbitrary: fc.constantFrom("write" as const, "egress" as const) },
		),
		safe: fc.constantFrom(true, true, false),
		fails: fc.nat(2),
		keys: fc.subarray(["a", "b"]),
	},
	{ requiredKeys: ["effect"] },
);

const acts: fc.Arbitrary<MiddlewareAct> = fc.oneof(
	{ weight: 6, arbitrary: fc.constantFrom<MiddlewareAct>({ kind: "pass" }, { kind: "measure" }) },
	{ weight: 5, arbitrary: standings.map((to): MiddlewareAct => ({ kind: "rewrite", to })) },
	{
		weight: 2,
		arbitrary: fc.record({ kind: fc.constant("retry" as const), times: fc.integer({ min: 2, max: 4 }), to: standings }),
	},
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant("twice" as const), to: standings }) },
	{
		weight: 2,
		arbitrary: fc.constantFrom<MiddlewareAct>(
			{ kind: "invalid" },
			{ kind: "rename" },
			{ kind: "veto" },
			{ kind: "throw", when: "before" },
			{ kind: "throw", when: "after" },
			{ kind: "replace" },
			{ kind: "no outcome" },
		),
	},
);

const observing = fc.constantFrom<MiddlewareAct>({ kind: "pass" }, { kind: "measure" });

const layer: fc.Arbitrary<MiddlewarePlan> = fc.oneof(
	{
		weight: 5,
		arbitrary: fc.record({ acts: fc.array(acts, { minLength: 1, maxLength: 6 }), observesOnly: fc.constant(false) }),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			acts: fc.array(observing, { minLength: 1, maxLength: 8 }),
			observesOnly: fc.constant(true),
		}),
	},
);

const policies: fc.Arbitrary<PolicyPlan> = fc.oneof(
	fc.record({ kind: fc.constant("budget" as const), most: fc.nat(9) }),
	fc.record({ kind: fc.constant("taint" as const), sources: fc.constant(new Set([1, 3])) }),
	fc.record({ kind: fc.constant("witness" as const), asked: fc.constant(new Set([4])) }),
	fc
		.array(fc.constantFrom<Act>("clear", "clear", "clear", "deny", "throw at accounting", "rewrite"), { maxLength: 8 })
		.map((each): PolicyPlan => ({ kind: "gate", acts: new Map(each.entries()) })),
);

const specs = fc.tuple(
	standings,
	fc.oneof({ weight: 3, arbitrary: fc.constant("do") }, { weight: 1, arbitrary: fc.constantFrom("keyed", "again") }),
);

const anyCases: fc.Arbitrary<MiddlewareCase> = fc.record({
	calls: fc
		.array(specs, { minLength: 1, maxLength: 9 })
		.map((each) => each.map(([standing, name], n) => ({ id: `id-${n}`, name, args: { n, ...standing } }))),
	layers: fc.array(layer, { minLength: 1, maxLength: 3 }),
	policies: fc.uniqueArray(policies, { maxLength: 1, selector: ({ kind }) => kind }),
	schedule: fc.constantFrom("serial", "leading-reads", "barriers", "barriers", "barriers"),
	maxParallelToolCalls: fc.constantFrom(1, 2, 3, 4, 5, 9),
	onError: fc.constantFrom("continue", "continue", "stop"),
	offered: fc.boolean(),
	picks: fc.array(fc.nat(15), { minLength: 1, maxLength: 24 }),
});

/** More attempts than any middleware here makes. */
const ALWAYS = 99;

// A read that ran ahead may have to run again: who answers by the count of its runs would then tell of that.
export const middlewareCases = anyCases.map((wave): MiddlewareCase => {
	if (!wave.offered || !wave.layers.every(({ observesOnly }) => observesOnly)) return wave;
	const steady = ({ args }: ToolCall): unknown => {
		const given = args as { readonly fails: number };
		return { ...given, fails: given.fails > 0 ? ALWAYS : 0 };
	};
	return { ...wave, calls: wave.calls.map((call) => ({ ...call, args: steady(call) })) };
});

export async function wrappedInReference(wave: MiddlewareCase): Promise<MiddlewareReading> {
	const seen = new StandingTools();
	const result = await runWrappedSerially({
		calls: wave.calls,
		tools: seen.tools,
		policies: wave.policies.map((plan, place) => scriptedPolicy(plan, place)),
		middleware: wave.layers.map((plan, place) => scriptedMiddleware(plan, place)),
		onError: wave.onError,
	});
	return { reading: readingOf(result), seen };
}

export async function wrappedInEngine(wave: MiddlewareCase): Promise<MiddlewareReading & { readonly left: number }> {
	const held = new HeldWork();
	const seen = new StandingTools(held.hold);
	const ledger = memoryLedger();
	const locks = new KeyedLock();
	const clock = new ManualClock();
	const { calls, layers, schedule, maxParallelToolCalls, onError } = wave;
	const engine = createEngine({
		tools: seen.tools,
		policies: wave.policies.map((plan, place) => scriptedPolicy(plan, place)),
		middleware: layers.map((plan, place) => scriptedMiddleware(plan, place, held.hold)),
		ledger,
		locks,
		clock,
		schedule,
		maxParallelToolCalls,
		onError,
	});
	const run = async (): Promise<WaveResult> => {
		if (!wave.offered) return engine.executeWave(calls);
		const step = engine.openStep();
		for (const call of calls) {
			step.offer(call);
			await picks.once();
		}
		return step.settle();
	};
	const picks = new Picks(wave.picks, held);
	const { status, results, steers } = await picks.drive(run());
	const left = clock.timersSet;
	await picks.drain();
	const entries = await entriesOf(ledger);
	await engine.close();
	return { reading: readingOf({ status, results, steers, entries }), seen, left: left + locks.size };
}
