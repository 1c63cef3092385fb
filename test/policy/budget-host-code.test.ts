// What a budget makes of what the host's own code says of a call: `reserve` at admission, `costOf` at accounting.

import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { Outcome } from "../../engine/core/outcome.js";
import { showValue } from "../../engine/core/show-value.js";
import { type BudgetOptions, budget, type PolicyView } from "../../engine/index.js";
import { benchOf, shorts, toolOf } from "../support/law-kit.js";
import { called, verdict, viewOf } from "./policy-kit.js";

type Reserve = NonNullable<BudgetOptions["reserve"]>;

/** A tool that answers at once, and the waves of one run that call it. */
function lookingUnder(options: BudgetOptions) {
	const { engine } = benchOf({ tools: [toolOf("look", () => 1)], policies: [budget(options)] });
	let step = 0;
	return {
		engine,
		async look(times = 1): Promise<readonly Outcome[]> {
			const calls = Array.from({ length: times }, () => ({ id: "", name: "look", args: {} }));
			const { results } = await engine.executeWave(calls, { runId: "run", step: step++ });
			return results.map(({ outcome }) => outcome);
		},
	};
}

const oneOf = <Value>(...values: readonly Value[]): fc.Arbitrary<Value> => fc.constantFrom(...values);

const noObjects = fc.oneof(
	fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.integer())),
	oneOf<unknown>(undefined, null, Number.NaN, 3n, Symbol("three"), () => ({ calls: 3 })),
	oneOf<unknown>(new Map([["calls", 3]]), new Set([3]), new Date(0)),
	fc.record({ calls: fc.integer({ min: 1, max: 9 }) }).map((said) => Promise.resolve(said)),
);
const strayFields = fc
	.tuple(oneOf("call", "byte", "costs", "timeMs", "tokens", "then"), fc.integer({ min: 1, max: 9 }))
	.map(([field, said]) => ({ field, said: { cost: 1, [field]: said } }));
const wrongAmounts = fc
	.record({
		field: oneOf("calls", "bytes", "cost"),
		amount: oneOf<unknown>(-1, Number.NaN, Number.POSITIVE_INFINITY, "3", null, true, 3n, [3], -1e-9),
	})
	.map(({ field, amount }) => ({ field, amount, said: { bytes: 1, cost: 1, [field]: amount } }));
const wrongCalls = oneOf(0, 0.5, 1.5, 2 ** 53).map((amount) => ({ field: "calls", amount, said: { calls: amount } }));

/** The words of the failure of a call for which `reserve` gave that; the budget holds nothing for it. */
function failureOf(said: unknown): string {
	let given: unknown = said;
	const policy = budget({ run: { calls: 1 }, reserve: (() => given) as Reserve });
	let message = "nothing failed";
	try {
		verdict(policy, called("look"), viewOf());
	} catch (error) {
		expect(error).toBeInstanceOf(TypeError);
		message = (error as TypeError).message;
	}
	expect(message).toContain(`reserve gave ${showValue(said)} for look: `);
	given = {};
	expect(verdict(policy, called("look"), viewOf({ index: 1, segment: 0 }))).toBe("clear");
	return message;
}

describe("what `reserve` gives", () => {
	it("fails the call where it is no object, saying what it is and which fields there are", () => {
		fc.assert(
			fc.property(noObjects, (said) => {
				expect(failureOf(said)).toMatch(/that is no object of calls, bytes, cost$/);
			}),
		);
	});

	it("fails the call where it has a field that is not read, naming it", () => {
		fc.assert(
			fc.property(strayFields, ({ field, said }) => {
				expect(failureOf(said)).toContain(`"${field}" is not known`);
			}),
		);
		expect(failureOf({ call: 3 })).toContain('perhaps "calls" is meant');
		expect(failureOf({ tokens: 3 })).toContain("there are calls, bytes, cost");
	});

	it("fails the call where an amount is none, naming the amount and what it may be", () => {
		fc.assert(
			fc.property(fc.oneof(wrongAmounts, wrongCalls), ({ field, amount, said }) => {
				const may = field === "calls" ? "a whole number from 1" : "a number from 0";
				expect(failureOf(said)).toContain(`${field} is ${showValue(amount)}, not ${may}`);
			}),
		);
	});

	it("is nothing beside the call itself where it is `{}`, or a field of it is left out or undefined", () => {
		for (const said of [{}, { calls: undefined }, { bytes: undefined, cost: undefined }, Object.create(null)]) {
			const policy = budget({ run: { calls: 1, bytes: 1, cost: 1 }, reserve: () => said });
			expect(verdict(policy, called("look"), viewOf())).toBe("clear");
		}
	});

	it("is heard out where it is a promise, because a rejection that nobody hears ends the process", async () => {
		for (const option of ["reserve", "costOf"] as const) {
			const promise = new Promise<never>(() => undefined);
			const hearing = vi.spyOn(promise, "then");
			const { look } = lookingUnder({ run: { calls: 9 }, [option]: () => promise });
			expect(await look()).toMatchObject([{ error: { code: "POLICY_FAILED" } }]);
			expect(hearing).toHaveBeenCalledWith(undefined, expect.any(Function));
		}
	});

	it("ends its own call alone where it throws or is wrong, and nothing is reserved for that", async () => {
		for (const wrong of [
			() => Number.NaN,
			() => ({ calls: 0 }),
			() => {
				throw new Error("no price");
			},
		]) {
			let asked = 0;
			const reserve = (() => (asked++ === 0 ? wrong() : { cost: 5 })) as Reserve;
			const { look } = lookingUnder({ run: { calls: 2, cost: 10 }, reserve });
			const outcomes = await look(4);
			expect(outcomes.map((outcome) => outcome.ok || outcome.error.code)).toEqual([
				"POLICY_FAILED",
				true,
				true,
				"DENIED",
			]);
		}
	});

	it("takes in call order: what is reserved for a call is there neither for those behind it nor for what those before make", () => {
		const all = 20;
		fc.assert(
			fc.property(fc.integer({ min: 1, max: all }), fc.nat(all - 1), (asked, before) => {
				const reserve: Reserve = ({ name }) => (name === "crew" ? { calls: asked } : {});
				const policy = budget({ run: { calls: all }, reserve });
				let index = 0;
				const isCleared = (name: string): boolean => {
					return verdict(policy, called(name), viewOf({ index: index++, segment: 0 })) === "clear";
				};
				for (let agents = 0; agents < before; agents += 1) expect(isCleared("agent")).toBe(true);
				const isHeld = before + asked <= all;
				expect(isCleared("crew")).toBe(isHeld);
				const left = all - before - (isHeld ? asked : 0);
				if (before > 0) {
					const below = (call: number): PolicyView => viewOf({ index: 0, lineage: [0, call] });
					const madeMost = Math.ceil(left / before);
					for (let call = 0; call <= madeMost; call += 1) {
						expect(verdict(policy, called("look"), below(call)) === "clear").toBe(call < madeMost);
						void policy.account?.(called("look"), { ok: true, value: 1 }, below(call));
					}
				}
				for (let look = 0; look <= left; look += 1) expect(isCleared("look")).toBe(look < left);
			}),
		);
	});

	it("is asked once a call, also where middleware tries again with another form", async () => {
		let asked = 0;
		const reserve: Reserve = () => {
			asked += 1;
			return { calls: 1 };
		};
		let tries = 0;
		const { engine } = benchOf({
			tools: [
				toolOf("look", () => {
					tries += 1;
					throw new Error("not yet");
				}),
			],
			policies: [budget({ run: { calls: 1 }, reserve })],
			middleware: [
				{
					name: "again",
					wrapToolCall: async (call, next) => {
						await next();
						return next({ ...call, args: { n: 2 } });
					},
				},
			],
		});
		expect(shorts(await engine.executeWave([{ id: "", name: "look", args: {} }]))).toEqual(["TOOL_FAILED"]);
		expect([asked, tries]).toEqual([1, 2]);
	});
});

describe("what `costOf` gives", () => {
	const wrongCosts = oneOf<unknown>(-1, Number.NaN, Number.POSITIVE_INFINITY, "3", undefined, null, 3n, { cost: 3 });

	it("fails the call where it is no amount or throws, and the call is counted at what was reserved for it", async () => {
		const throwing = Symbol("throws");
		const counted = fc.asyncProperty(fc.oneof(wrongCosts, fc.constant(throwing)), async (said) => {
			const costOf = (() => {
				if (said === throwing) throw new Error("no price");
				return said;
			}) as () => number;
			const { look } = lookingUnder({ run: { cost: 10 }, reserve: () => ({ cost: 6 }), costOf });
			const [first] = await look();
			expect(first).toMatchObject({ ok: false, error: { code: "POLICY_FAILED" } });
			const named =
				said === throwing ? "no price" : `costOf gave ${showValue(said)} for look: that is not a number from 0`;
			expect(JSON.stringify(first)).toContain(JSON.stringify(named).slice(1, -1));
			expect(await look()).toMatchObject([{ error: { message: expect.stringContaining("6 of 10 are used") } }]);
		});
		await fc.assert(counted);
	});
});
