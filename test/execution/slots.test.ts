// Slots: the cap, and who is served first.

import { describe, expect, it } from "vitest";
import { Slots } from "../../engine/execution/slots.js";

describe("slots", () => {
	it("SL1: no more are in use than the cap, and a second give back of one slot is refused", () => {
		const slots = new Slots(2);
		expect([1, 2, 3].map(() => slots.take(() => undefined))).toEqual([true, true, false]);
		const one = new Slots(1);
		one.take(() => undefined);
		one.give();
		expect(() => one.give()).toThrow(/SL1/);
	});

	it("SL2: who waits is served in the order of asking, before anyone who asks later", () => {
		const slots = new Slots(1);
		const served: string[] = [];
		slots.take(() => undefined);
		slots.take(() => served.push("first"));
		slots.take(() => served.push("second"));
		slots.give();
		expect(served).toEqual(["first"]);
		expect(slots.take(() => served.push("late"))).toBe(false);
		slots.give();
		slots.give();
		expect(served).toEqual(["first", "second", "late"]);
	});

	it("SL3: whoever waits when they are closed, or asks later, is told that there is none, and the rest is given back", () => {
		const slots = new Slots(1);
		const told: string[] = [];
		slots.take(() => undefined);
		slots.take((granted) => told.push(`waiting ${granted}`));
		slots.close();
		expect(slots.take((granted) => told.push(`late ${granted}`))).toBe(false);
		expect(told).toEqual(["waiting false", "late false"]);
		slots.give();
		expect(slots.take((granted) => told.push(`later ${granted}`))).toBe(false);
		expect(() => slots.give()).toThrow(/SL1/);
	});

	it("serves a hundred thousand waiters that each give their slot back at once without deepening the stack", () => {
		const slots = new Slots(1);
		let served = 0;
		slots.take(() => undefined);
		for (let waiter = 0; waiter < 100_000; waiter += 1) {
			slots.take(() => {
				served += 1;
				slots.give();
			});
		}
		slots.give();
		expect(served).toBe(100_000);
	});
});
