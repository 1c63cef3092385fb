// The table of keys, against a Map: slots and keys that share one must not show.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KeyTable } from "../../engine/locks/key-table.js";

interface Named {
	readonly key: string;
	slot: number;
	readonly stamp: number;
}

// Names that every object knows, names like numbers, the empty one, and enough others to share slots.
const KEYS = [
	"",
	"__proto__",
	"constructor",
	"toString",
	"0",
	"1",
	...Array.from({ length: 90 }, (_, at) => `file:/a/${at}`),
];

describe("KeyTable", () => {
	it("KS1: finds exactly what a Map finds, whatever is added, replaced and deleted", () => {
		const step = fc.record({
			kind: fc.constantFrom("add", "add", "replace", "delete"),
			at: fc.nat({ max: KEYS.length - 1 }),
		});
		const property = fc.property(fc.array(step, { maxLength: 300, size: "max" }), (steps) => {
			const [table, map] = [new KeyTable<Named>(), new Map<string, Named>()];
			for (const [stamp, { kind, at }] of steps.entries()) {
				const known = map.get(KEYS[at] ?? "");
				const value = { key: KEYS[at] ?? "", slot: known?.slot ?? 0, stamp };
				if (kind === "add") {
					expect(table.getOrAdd(value)).toBe(known ?? value);
					map.set(value.key, known ?? value);
				} else if (known !== undefined && kind === "replace") {
					table.replace(value);
					map.set(value.key, value);
				} else if (known !== undefined) {
					table.delete(known);
					map.delete(value.key);
				}
			}
			for (const key of KEYS) expect(table.get(key)).toBe(map.get(key));
			expect(table.size).toBe(map.size);
		});
		fc.assert(property, { numRuns: 100 });
	});
});
