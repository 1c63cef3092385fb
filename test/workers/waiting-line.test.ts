// The waiting line against a list that is sorted anew for every question.

import fc from "fast-check";
import { expect, it } from "vitest";
import { WaitingLine } from "../../workers/waiting-line.js";

interface Waiter {
	readonly order: number;
	ahead: boolean;
	isOver: boolean;
}

const step = fc.oneof(
	fc.record({ kind: fc.constant("add" as const), ahead: fc.boolean() }),
	fc.record({ kind: fc.constant("take" as const) }),
	fc.record({ kind: fc.constant("putBack" as const), picks: fc.array(fc.nat(40), { maxLength: 4 }) }),
	fc.record({ kind: fc.constant("over" as const), pick: fc.nat(40) }),
	fc.record({ kind: fc.constant("admit" as const), pick: fc.nat(40) }),
);

it("J3: whatever is added, taken, put back or over, the first to leave is the first that was given", () => {
	fc.assert(
		fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
			const line = new WaitingLine<Waiter>();
			let waiting: Waiter[] = [];
			let taken: Waiter[] = [];
			let made = 0;
			for (const one of steps) {
				const next = [...waiting]
					.filter(({ isOver }) => !isOver)
					.sort((left, right) => Number(left.ahead) - Number(right.ahead) || left.order - right.order)[0];
				expect(line.peek()).toBe(next);
				if (one.kind === "add") {
					const item = { order: made, ahead: one.ahead, isOver: false };
					made += 1;
					waiting.push(item);
					line.add(item);
				} else if (one.kind === "take") {
					expect(line.take()).toBe(next);
					if (next === undefined) continue;
					waiting = waiting.filter((item) => item !== next);
					taken.push(next);
				} else if (one.kind === "putBack") {
					const back = [...new Set(one.picks)].flatMap((pick) => taken.filter((_, at) => at === pick));
					taken = taken.filter((item) => !back.includes(item));
					waiting.push(...back);
					line.putBack(back);
				} else if (one.kind === "admit") {
					const item = waiting.filter(({ ahead, isOver }) => ahead && !isOver)[one.pick];
					if (item !== undefined) {
						item.ahead = false;
						line.admit(item);
					}
				} else {
					const item = waiting[one.pick];
					if (item !== undefined) item.isOver = true;
				}
				const admitted = waiting.filter(({ isOver, ahead }) => !isOver && !ahead).length;
				expect(line.countAdmitted(1_000)).toBe(admitted);
				expect(line.count(1_000)).toBe(waiting.filter(({ isOver }) => !isOver).length);
			}
		}),
		{ numRuns: 500 },
	);
});

it("J3: a line of a hundred thousand keeps its order while its room is given back", () => {
	const line = new WaitingLine<Waiter>();
	for (let order = 0; order < 100_000; order += 1) line.add({ order, ahead: false, isOver: false });
	const orders = Array.from({ length: 100_001 }, () => line.take()?.order);
	expect(orders.every((order, at) => order === (at === 100_000 ? undefined : at))).toBe(true);
});
