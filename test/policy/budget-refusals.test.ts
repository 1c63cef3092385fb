// What a budget says to the model: what of whose is used up, and what there is to do about it. Whoever reads it is the model
// of the run, or that of an agent among its calls, and each is told what it can do itself.

import { describe, expect, it } from "vitest";
import type { ToolCallError } from "../../engine/index.js";
import { type BudgetOptions, budget, type PolicyView } from "../../engine/index.js";
import { benchOf, shorts, toolOf } from "../support/law-kit.js";
import { called, refusal, verdict, viewOf } from "./policy-kit.js";

type Act = readonly [name: string, parts: Partial<PolicyView>, does?: "ends"];

/** What is said of the last call, after the others were cleared; `ends` accounts one that was. */
function saidOf(options: BudgetOptions, acts: readonly Act[]) {
	const policy = budget(options);
	for (const [at, [name, parts, does]] of acts.entries()) {
		const view = viewOf(parts);
		if (does === "ends") {
			void policy.account?.(called(name), { ok: true, value: 1 }, view);
			continue;
		}
		const said = verdict(policy, called(name), view);
		if (at === acts.length - 1) return refusal(said);
		expect(said).toBe("clear");
	}
	throw new Error("the last act is to ask");
}

const first = { index: 0, segment: 0 };
const second = { index: 1, segment: 0 };
const below = (...lineage: number[]): Partial<PolicyView> => ({ index: lineage[0] ?? 0, lineage });
const exactly = (calls: Readonly<Record<string, number>>): NonNullable<BudgetOptions["reserve"]> => {
	return ({ name }) => ({ calls: calls[name] ?? 1 });
};
const costing = (costs: Readonly<Record<string, number>>): NonNullable<BudgetOptions["reserve"]> => {
	return ({ name }) => ({ cost: costs[name] ?? 0 });
};

const NEXT_STEP = "Go on in the next step, with the calls that matter most first.";
const WAIT = "Wait for the answers of the calls that run: what they reserve and do not use is free again then.";
const LESS = "Do without the call, or make one that asks for less.";
const OVER = "Answer with what is known; no further call of this kind will run.";

const ROWS: readonly (readonly [
	what: string,
	BudgetOptions,
	readonly Act[],
	violation: string,
	alternative: string,
])[] = [
	[
		"a run that has used all",
		{ run: { calls: 1 } },
		[
			["look", first],
			["look", first, "ends"],
			["look", { index: 1 }],
		],
		"The budget of the run is used up in calls: 1 of 1 are used, and the call asks for 1.",
		OVER,
	],
	[
		"a run whose calls that run will use all",
		{ run: { calls: 1 } },
		[
			["look", first],
			["look", second],
		],
		"The budget of the run is used up in calls: 0 of 1 are used and 1 reserved by calls that run, and the call asks for 1.",
		OVER,
	],
	[
		"a run whose calls that run have reserved all, and may use less",
		{ run: { calls: 3 }, reserve: exactly({ agent: 3 }) },
		[
			["agent", first],
			["look", second],
		],
		"The budget of the run is used up in calls: 0 of 3 are used and 3 reserved by calls that run, and the call asks for 1.",
		WAIT,
	],
	[
		"a call for which too little is left",
		{ run: { cost: 10 }, reserve: costing({ look: 6 }), costOf: () => 6 },
		[
			["look", first],
			["look", first, "ends"],
			["look", { index: 1 }],
		],
		"The budget of the run has too little left in cost: 6 of 10 are used, and the call asks for 6.",
		"Answer with what is known, or make a call that asks for less.",
	],
	[
		"a call that alone asks for more than the run may use",
		{ run: { cost: 20 }, reserve: costing({ look: 50 }) },
		[["look", first]],
		"The call alone asks for 50 of the 20 in cost that the run may use.",
		LESS,
	],
	[
		"a call that alone asks for more than any step may use",
		{ step: { calls: 2 }, reserve: exactly({ agent: 3 }) },
		[["agent", first]],
		"The call alone asks for 3 of the 2 in calls that the step may use.",
		LESS,
	],
	[
		"a bound of nothing",
		{ run: { bytes: 0 } },
		[["look", first]],
		"The budget of the run is used up in bytes: 0 of 0 are used.",
		OVER,
	],
	[
		"a step that has used all",
		{ step: { calls: 1 } },
		[
			["look", first],
			["look", second],
		],
		"The budget of the step is used up in calls: 0 of 1 are used and 1 reserved by calls that run, and the call asks for 1.",
		NEXT_STEP,
	],
	[
		"steps that may use nothing, the next one neither",
		{ step: { calls: 0 } },
		[["look", first]],
		"The budget of the step is used up in calls: 0 of 0 are used, and the call asks for 1.",
		OVER,
	],
	[
		"steps that may take no time",
		{ step: { timeMs: 0 } },
		[["look", first]],
		"The budget of the step is used up in timeMs: 0 of 0 ms have passed since its first call.",
		"Answer with what is known; no further call will run.",
	],
	[
		"a maker that has used its part",
		{ run: { calls: 5 } },
		[
			["agent", first],
			["look", second],
			["look", below(0, 0)],
			["look", below(0, 0), "ends"],
			["look", below(0, 1)],
			["look", below(0, 1), "ends"],
			["look", below(0, 2)],
		],
		"What agent may use of the run's budget is used up in calls: its part is 2 of 5, 2 are used, and the call asks for 1.",
		"Answer with what is known; no further call that agent makes will run.",
	],
	[
		"a maker that has used its part of a step, whose next reply is of the same step",
		{ step: { calls: 2 } },
		[
			["agent", first],
			["look", below(0, 0)],
			["look", below(0, 0), "ends"],
			["look", below(0, 1)],
		],
		"What agent may use of the step's budget is used up in calls: its part is 1 of 2, 1 are used, and the call asks for 1.",
		"Answer with what is known; no further call that agent makes will run.",
	],
	[
		"a maker that may make none",
		{ run: { calls: 20 }, reserve: exactly({}) },
		[
			["agent", first],
			["look", below(0, 0)],
		],
		"What agent may use of the run's budget is used up in calls: its part is 0 of 20, 0 are used, and the call asks for 1.",
		"Answer with what is known; no further call that agent makes will run.",
	],
	[
		"the innermost of three makers",
		{ run: { calls: 9 }, reserve: exactly({ outer: 9, middle: 5, inner: 2 }) },
		[
			["outer", first],
			["middle", below(0, 0)],
			["inner", below(0, 0, 0)],
			["look", below(0, 0, 0, 0)],
			["look", { ...below(0, 0, 0, 1), segment: 0 }],
		],
		"What inner may use of the run's budget is used up in calls: its part is 1 of 9, 0 are used and 1 reserved by calls that run, and the call asks for 1.",
		"Answer with what is known; no further call that inner makes will run.",
	],
	[
		"a call of a call that alone asks for more than the maker's part",
		{ run: { cost: 20 }, reserve: costing({ look: 15 }) },
		[
			["agent", first],
			["agent", second],
			["look", below(0, 0)],
		],
		"The call alone asks for 15 of the 10 in cost that agent may use of the run's budget.",
		LESS,
	],
	[
		"time, which is not shared",
		{ step: { timeMs: 10 } },
		[
			["agent", first],
			["look", { ...below(0, 0), at: 10 }],
		],
		"The budget of the step is used up in timeMs: 10 of 10 ms have passed since its first call.",
		"Answer with what is known; no further call will run in this step.",
	],
];

describe("a refusal of a budget tells what is used up of whose, and what to do, of", () => {
	it.each(ROWS)("%s", (_what, options, acts, violation, alternative) => {
		const said = saidOf(options, acts);
		expect([said.violation, said.alternative]).toEqual([violation, alternative]);
	});
});

describe("a tool whose call is refused", () => {
	it("hears whose part is used up, and a part that is reserved for it is as large as was said", async () => {
		const recoveries: string[] = [];
		const agent = toolOf("agent", async (_args, { invokeTool }) => {
			for (let n = 0; n < 3; n += 1) {
				await invokeTool("look", { n }).catch((error: ToolCallError) =>
					recoveries.push(`${error.message} ${error.recovery}`),
				);
			}
			return 3 - recoveries.length;
		});
		const { engine } = benchOf({
			tools: [agent, toolOf("look", () => 1)],
			policies: [budget({ run: { calls: 20 }, reserve: exactly({ agent: 3 }) })],
		});
		expect(shorts(await engine.executeWave([{ id: "", name: "agent", args: {} }]))).toEqual(["2"]);
		expect(recoveries).toEqual([
			expect.stringMatching(
				/What agent may use of the run's budget is used up in calls: .*no further call that agent makes/s,
			),
		]);
	});
});
