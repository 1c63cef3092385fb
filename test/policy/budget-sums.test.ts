// What a budget's amounts add up to: fractions, large numbers, parts of what is left.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { failed } from "../../engine/core/outcome.js";
import { type BudgetOptions, budget, type PolicyView } from "../../engine/index.js";
import { called, refusal, verdict, viewOf } from "./policy-kit.js";

type Reserve = NonNullable<BudgetOptions["reserve"]>;

describe("the sums of a budget", () => {
	/** Prices in cents, and a bound that some of them reach to the cent. */
	const bills = fc
		.record({ prices: fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 30 }), reached: fc.nat(30) })
		.map(({ prices, reached }) => ({ prices, most: prices.slice(0, reached).reduce((sum, price) => sum + price, 0) }));

	it("are those of decimal numbers, whatever the machine makes of fractions", () => {
		fc.assert(
			fc.property(bills, fc.boolean(), ({ prices, most }, isReserved) => {
				const priceOf = ({ args }: { readonly args: unknown }): number => (args as number) / 100;
				const reserve: Reserve = (call) => ({ cost: priceOf(call) });
				const policy = budget({ run: { cost: most / 100 }, ...(isReserved ? { reserve } : { costOf: priceOf }) });
				let used = 0;
				for (const [index, price] of prices.entries()) {
					const [call, view] = [called("look", price), viewOf({ index })];
					const isLeft = used < most && (!isReserved || used + price <= most);
					expect(verdict(policy, call, view) === "clear").toBe(isLeft);
					if (!isLeft) continue;
					void policy.account?.(call, { ok: true, value: 1 }, view);
					used += price;
				}
			}),
		);
	});

	it("are shared to the last decimal among calls that make calls", () => {
		const cent = fc.integer({ min: 1, max: 60 });
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 12 }), cent, (makers, price) => {
				const reserve: Reserve = ({ name }) => ({ cost: name === "look" ? price / 100 : 0 });
				const policy = budget({ run: { cost: (makers * price) / 100 }, reserve });
				const indexes = Array.from({ length: makers }, (_one, index) => index);
				for (const index of indexes) {
					expect(verdict(policy, called("agent"), viewOf({ index, segment: 0 }))).toBe("clear");
				}
				for (const index of indexes) {
					const view = viewOf({ index, lineage: [index, 0] });
					expect(verdict(policy, called("look"), view)).toBe("clear");
				}
			}),
		);
	});

	it("BU1: come back to what they were once nothing is reserved, of whatever sizes that was", () => {
		const never = failed("ABORTED_BEFORE_DISPATCH", { message: "Aborted before dispatch" });
		const sizes = fc.record({
			calls: fc.constantFrom(1, 2, 1_000_003, Number.MAX_SAFE_INTEGER),
			bytes: fc.constantFrom(0, 0.1, 1, 9, 1e17),
		});
		fc.assert(
			fc.property(fc.array(sizes, { minLength: 1, maxLength: 6 }), (reserved) => {
				const asking = [...reserved, { bytes: 1_024 }, { bytes: 1e18 }];
				const reserve: Reserve = (_call, { index }) => asking[index] ?? {};
				const policy = budget({ run: { bytes: 1e18 }, reserve });
				const views = reserved.map((_one, index): PolicyView => viewOf({ index, segment: 0 }));
				for (const view of views) expect(verdict(policy, called("look"), view)).toBe("clear");
				for (const view of views) void policy.account?.(called("look"), never, view);
				const segment = reserved.length;
				expect(verdict(policy, called("look"), viewOf({ index: segment, segment }))).toBe("clear");
				const { violation } = refusal(verdict(policy, called("look"), viewOf({ index: segment + 1, segment })));
				expect(violation).toContain("0 of 1000000000000000000 are used and 1024 reserved by calls that run");
			}),
		);
	});
});
