// What is counted against which bound, when, and what a refusal says is used up.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { failed, type Outcome } from "../../engine/core/outcome.js";
import { type BudgetOptions, budget, type Policy, type PolicyView } from "../../engine/index.js";
import { benchOf, shorts, toolOf } from "../support/law-kit.js";
import { called, refusal, verdict, viewOf } from "./policy-kit.js";

const never = failed("ABORTED_BEFORE_DISPATCH", { message: "Aborted before dispatch" });

/** Puts calls through one policy by hand: `ask` admits the next call, `end` accounts one; what is asked then is a segment. */
function till(options: BudgetOptions) {
	const policy = budget(options);
	let index = 0;
	let segment = 0;
	const views: PolicyView[] = [];
	return {
		ask(parts: Partial<PolicyView> = {}): string {
			if (parts.index !== undefined) segment = parts.index;
			const view = viewOf({ index, segment, ...parts });
			index = view.index + 1;
			views[view.index] = view;
			const said = verdict(policy, called("any"), view);
			return said === "clear" ? "clear" : refusal(said).rule;
		},
		end(at: number, outcome: Outcome = { ok: true, value: 1 }): void {
			expect(policy.account?.(called("any"), outcome, views[at] ?? viewOf())).toBeUndefined();
			segment = index;
		},
		nextSegment(): void {
			segment = index;
		},
		policy,
	};
}

describe("a budget of calls", () => {
	it("refuses the call that would go beyond it, also while the others still run", () => {
		const { ask } = till({ run: { calls: 2 } });
		expect([ask(), ask(), ask()]).toEqual(["clear", "clear", "budget.run.calls"]);
	});

	it("gives back what a call reserved whose tool never began", () => {
		const { ask, end } = till({ run: { calls: 1 } });
		expect([ask(), ask()]).toEqual(["clear", "budget.run.calls"]);
		end(0, never);
		expect(ask()).toBe("clear");
	});

	it("BU1: gives back what a call reserved that a later policy refused, once the next segment or a wave begins", () => {
		const { ask, end } = till({ run: { calls: 3 } });
		expect([ask(), ask(), ask(), ask()]).toEqual(["clear", "clear", "clear", "budget.run.calls"]);
		// Call 1 was refused further down, so the next that is accounted is call 2.
		end(0);
		end(2);
		expect([ask(), ask()]).toEqual(["clear", "budget.run.calls"]);
		expect([ask({ step: 1, index: 0 }), ask({ step: 1 })]).toEqual(["clear", "budget.run.calls"]);
	});

	it("is of each run by itself", () => {
		const { ask } = till({ run: { calls: 1 } });
		expect([ask(), ask({ runId: "other" }), ask({ runId: "other" })]).toEqual(["clear", "clear", "budget.run.calls"]);
	});

	it("of a step begins anew with every wave, numbered or not", () => {
		const { ask, end } = till({ step: { calls: 1 } });
		expect([ask({ index: 0 }), ask()]).toEqual(["clear", "budget.step.calls"]);
		end(0);
		expect([ask({ step: 1, index: 0 }), ask({ step: 1 })]).toEqual(["clear", "budget.step.calls"]);
		end(0);
		expect(ask({ step: 1, index: 0 })).toBe("clear");
	});
});

describe("a budget of bytes and cost", () => {
	it("counts what calls answered, binary by its bytes, a failure by its message", () => {
		const { ask, end } = till({ run: { bytes: 10 } });
		for (const outcome of [
			{ ok: true, value: "é" },
			{ ok: true, value: new Uint8Array(3) },
			failed("TOOL_FAILED", { message: "ab" }),
		] as Outcome[]) {
			expect(ask()).toBe("clear");
			end(0, outcome);
		}
		expect(ask()).toBe("clear");
		end(3, { ok: true, value: 1 });
		expect(ask()).toBe("budget.run.bytes");
	});

	it("holds what a call is expected to use until it is known what it did use", () => {
		const { ask, end, policy } = till({ run: { cost: 10 }, reserve: () => ({ cost: 6 }), costOf: () => 1 });
		expect([ask(), ask()]).toEqual(["clear", "budget.run.cost"]);
		const { violation } = refusal(verdict(policy, called("any"), viewOf({ index: 2, segment: 0 })));
		expect(violation).toContain("in cost: 0 of 10 are used and 6 reserved by calls that run, and the call asks for 6");
		end(0);
		expect([ask({ index: 3 }), ask()]).toEqual(["clear", "budget.run.cost"]);
	});

	it("counts a call although its price cannot be told, and fails that call alone", async () => {
		const costOf = (): number => Number.NaN;
		const { engine } = benchOf({
			tools: [toolOf("look", () => 1)],
			policies: [budget({ run: { calls: 1, cost: 9 }, costOf })],
		});
		const look = [{ id: "", name: "look", args: {} }];
		expect(shorts(await engine.executeWave(look, { runId: "run" }))).toEqual(["POLICY_FAILED"]);
		expect(shorts(await engine.executeWave(look, { runId: "run", step: 1 }))).toEqual(["DENIED"]);
	});
});

describe("a budget of time", () => {
	it("is over so long after the first call's admission, for the run and for each step", () => {
		const { ask } = till({ run: { timeMs: 100 }, step: { timeMs: 50 } });
		expect([ask({ at: 1_000 }), ask({ at: 1_049 }), ask({ at: 1_050 })]).toEqual([
			"clear",
			"clear",
			"budget.step.timeMs",
		]);
		expect([ask({ step: 1, index: 0, at: 1_099 }), ask({ step: 1, at: 1_100 })]).toEqual([
			"clear",
			"budget.run.timeMs",
		]);
	});
});

describe("any budget", () => {
	it("is kept to the call and never overrun by more than the last one, whatever is refused and ends how", () => {
		const segment = fc.array(fc.record({ ran: fc.boolean(), lost: fc.boolean() }), { maxLength: 5 });
		fc.assert(
			fc.property(fc.array(segment, { maxLength: 12 }), fc.integer({ min: 0, max: 8 }), (segments, most) => {
				const { ask, end, nextSegment } = till({ run: { calls: most } });
				let [ran, asked] = [0, 0];
				for (const calls of segments) {
					nextSegment();
					const open: { at: number; did: boolean }[] = [];
					let held = 0;
					for (const { ran: did, lost } of calls) {
						const isCleared = ask() === "clear";
						// To the call: what is cleared is what is left.
						expect(isCleared).toBe(ran + held < most);
						if (isCleared) held += 1;
						if (isCleared && !lost) open.push({ at: asked, did });
						asked += 1;
					}
					for (const { at, did } of open) {
						end(at, did ? { ok: true } : never);
						if (did) ran += 1;
					}
				}
			}),
		);
	});

	it.each<[string, unknown, string]>([
		["a bound that is no number", { run: { calls: "3" } }, 'run.calls is "3"'],
		["a bound below 0", { step: { bytes: -1 } }, "step.bytes is -1"],
		["a bound that does not exist", { run: { tokens: 3 } }, '"run.tokens" is not known'],
	])("refuses %s", (_what, options, named) => {
		const made = (): Policy => budget(options as never);
		expect(made).toThrow(expect.objectContaining({ code: "INVALID_OPTIONS", message: expect.stringContaining(named) }));
	});
});
