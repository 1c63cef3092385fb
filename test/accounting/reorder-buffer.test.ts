// The reorder buffer, against sorting.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ReorderBuffer } from "../../engine/accounting/reorder-buffer.js";

const arrivals = fc.integer({ min: 0, max: 12 }).chain((count) =>
	fc.shuffledSubarray(
		Array.from({ length: count }, (_, index) => index),
		{ minLength: count },
	),
);

describe("the reorder buffer", () => {
	it("R1: releases every index once, in order, as soon as the gap before it is closed", () => {
		fc.assert(
			fc.property(arrivals, (order) => {
				const buffer = new ReorderBuffer<string>(order.length);
				const released: string[] = [];
				const arrived = new Set<number>();
				for (const index of order) {
					buffer.accept(index, `item ${index}`);
					arrived.add(index);
					for (let item = buffer.release(); item !== undefined; item = buffer.release()) released.push(item);
					const ready = order.map((_, place) => place).findIndex((place) => !arrived.has(place));
					expect(released.length).toBe(ready === -1 ? order.length : ready);
				}
				expect(released).toEqual(order.map((_, place) => `item ${place}`));
			}),
		);
	});

	it("R2: refuses an index that has arrived, held or released", () => {
		const buffer = new ReorderBuffer<string>(3);
		buffer.accept(1, "one");
		expect(() => buffer.accept(1, "again")).toThrow(/R2/);
		buffer.accept(0, "zero");
		buffer.release();
		expect(() => buffer.accept(0, "late")).toThrow(/R1/);
	});

	it("R3: holds no more than the wave has calls", () => {
		const buffer = new ReorderBuffer<string>(2);
		buffer.accept(1, "one");
		expect(buffer.held).toBe(1);
		expect(() => buffer.accept(2, "two")).toThrow(/R1/);
		buffer.accept(0, "zero");
		expect(buffer.held).toBe(2);
	});
});
