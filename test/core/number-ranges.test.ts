// A set of numbers as ranges: the same as a plain set, whatever is put in and taken out.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isInRanges, NumberRanges } from "../../engine/core/number-ranges.js";

describe("number ranges", () => {
	it("hold what a set of the same numbers holds, in as few ranges as can be", () => {
		const acts = fc.array(
			fc.oneof(
				fc.record({ add: fc.integer({ min: 1, max: 4 }), after: fc.integer({ min: 0, max: 2 }) }),
				fc.record({ remove: fc.nat(40) }),
			),
			{ maxLength: 60 },
		);
		fc.assert(
			fc.property(acts, (script) => {
				const ranges = new NumberRanges();
				const plain = new Set<number>();
				let next = 0;
				for (const act of script) {
					if ("remove" in act) {
						ranges.remove(act.remove);
						plain.delete(act.remove);
						continue;
					}
					next += act.after;
					for (let number = next; number < next + act.add; number += 1) plain.add(number);
					ranges.append(next, next + act.add - 1);
					next += act.add;
				}
				const held = ranges.snapshot() ?? [];
				const numbers = held.flatMap(([first, last]) =>
					Array.from({ length: last - first + 1 }, (_one, at) => first + at),
				);
				expect(numbers).toEqual([...plain]);
				expect(ranges.snapshot() === undefined).toBe(plain.size === 0);
				for (let number = -1; number <= next; number += 1) expect(isInRanges(held, number)).toBe(plain.has(number));
				for (const [at, [first]] of held.entries()) expect(held[at - 1]?.[1]).not.toBe(first - 1);
			}),
		);
	});

	it("NU1: refuse numbers that are not above all before them", () => {
		const ranges = new NumberRanges();
		ranges.append(3, 5);
		for (const [first, last] of [
			[5, 6],
			[1, 2],
			[7, 6],
		] as const) {
			expect(() => ranges.append(first, last)).toThrow("NU1");
		}
		expect(ranges.snapshot()).toEqual([[3, 5]]);
	});
});
