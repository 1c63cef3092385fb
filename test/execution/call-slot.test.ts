// The slot of a call that runs: when it goes back, when it is lent, and that none is ever had twice.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CallSlot } from "../../engine/execution/call-slot.js";
import { LentSlots } from "../../engine/execution/lent-slots.js";
import { Slots } from "../../engine/execution/slots.js";
import { settled } from "../support/manual-clock.js";

/** The slot of a call in a wave that has so many, and what the call waits for, set by hand. */
function slotOf(slots = new Slots(1)) {
	const state = { waits: false };
	const away: boolean[] = [];
	slots.take(() => undefined);
	const slot = new CallSlot({
		source: slots,
		isWaiting: () => state.waits,
		onAway: (isAway) => void away.push(isAway),
	});
	const waits = (now: boolean): void => {
		state.waits = now;
		slot.look();
	};
	return { slots, slot, away, waits };
}

describe("the slot of a call that runs", () => {
	it("CS1: goes back while something of the call waits for keys, and comes back in its turn", () => {
		const { slots, away, waits, slot } = slotOf();
		const served: string[] = [];
		waits(true);
		expect(slots.take(() => undefined)).toBe(true);
		slots.take(() => void served.push("another"));
		waits(false);
		expect(away).toEqual([true]);
		slots.give();
		expect([served, away]).toEqual([["another"], [true]]);
		slots.give();
		expect([away, slot.leave()]).toEqual([[true, false], true]);
	});

	it("CS1: stays while what the call made runs, and goes when that ends or waits too", () => {
		const { slot, away, waits } = slotOf();
		const lent = new LentSlots(slot, 9);
		expect(lent.take(() => undefined)).toBe(true);
		waits(true);
		expect(away).toEqual([]);
		lent.give();
		expect(away).toEqual([true]);
		expect(() => lent.give()).toThrow(/CS2/);
	});

	it("CS2: is lent only once it is there again, also while more is waited for", () => {
		const { slots, slot, waits } = slotOf();
		const told: boolean[] = [];
		waits(true);
		slots.take(() => undefined);
		expect(new LentSlots(slot, 9).take((granted) => void told.push(granted))).toBe(false);
		expect(told).toEqual([]);
		slots.give();
		expect(told).toEqual([true]);
	});

	it("SL1: is lent to no more calls of one wave at once than any wave runs", () => {
		const { slot } = slotOf();
		const lent = new LentSlots(slot, 2);
		const told: string[] = [];
		const take = (name: string): boolean => lent.take((granted) => void told.push(`${name} ${granted}`));
		expect(["a", "b", "c", "d"].map(take)).toEqual([true, true, false, false]);
		lent.give();
		expect(told).toEqual(["c true"]);
		lent.close();
		expect(told).toEqual(["c true", "d false"]);
	});

	it("lets the call go on without it where more is waited for, and with it where nothing is", async () => {
		const { slots, slot, waits } = slotOf();
		waits(true);
		await slot.whenBack();
		slots.take(() => undefined);
		waits(false);
		let isBack = false;
		void slot.whenBack().then(() => {
			isBack = true;
		});
		await settled();
		expect(isBack).toBe(false);
		slots.give();
		await settled();
		expect(isBack).toBe(true);
	});

	it("is had by nobody any more once the call was stopped without it, has ended, or all slots are closed", async () => {
		for (const end of ["stop", "leave", "close"] as const) {
			const { slots, slot, waits } = slotOf();
			const told: boolean[] = [];
			waits(true);
			slots.take(() => undefined);
			new LentSlots(slot, 9).take((granted) => void told.push(granted));
			if (end === "close") slots.close();
			else slot[end]();
			await slot.whenBack();
			slots.give();
			expect([told, new LentSlots(slot, 9).take(() => undefined)]).toEqual([[false], false]);
			expect(slot.leave()).toBe(false);
			expect(() => slots.give()).toThrow(/SL1/);
		}
	});

	it("SL1, CS2: whatever is taken, lent, waited for, given up or ended, slots in use are those that are had", () => {
		const step = fc.record({
			call: fc.nat(2),
			act: fc.constantFrom("waits", "goes on", "lend", "take back", "close", "stop", "leave"),
		});
		const counts = fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
			const slots = new Slots(1);
			const calls = Array.from({ length: 3 }, () => {
				const state = { waits: false, had: false, away: false, left: false, borrowed: 0 };
				const begin = (): void => {
					state.had = true;
				};
				if (slots.take(begin)) begin();
				const onAway = (isAway: boolean): void => {
					state.away = isAway;
				};
				const slot = new CallSlot({ source: slots, isWaiting: () => state.waits, onAway });
				return { state, slot, lent: new LentSlots(slot, 9) };
			});
			for (const { call, act } of steps) {
				const one = calls[call];
				if (one === undefined || !one.state.had || one.state.left) continue;
				const { state, slot, lent } = one;
				const borrow = (granted: boolean): void => {
					if (granted) state.borrowed += 1;
				};
				if (act === "waits" || act === "goes on") {
					state.waits = act === "waits";
					slot.look();
				} else if (act === "lend") {
					if (lent.take(borrow)) borrow(true);
				} else if (act === "take back") {
					if (state.borrowed > 0) {
						state.borrowed -= 1;
						lent.give();
					}
				} else if (act === "close") lent.close();
				else if (act === "stop") slot.stop();
				else {
					state.left = true;
					if (slot.leave()) slots.give();
				}
				const holding = calls.filter(({ state: { had, away, left } }) => had && !away && !left);
				expect(holding.length).toBeLessThanOrEqual(1);
				for (const { state: other } of calls) if (other.borrowed > 0 && !other.left) expect(other.away).toBe(false);
			}
			for (const { state, slot } of calls) if (state.had && !state.left && slot.leave()) slots.give();
		});
		fc.assert(counts, { numRuns: 2_000 });
	});
});
