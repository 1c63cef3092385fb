// The waiting line against lists that are sorted anew for every question.

import fc from "fast-check";
import { expect, it } from "vitest";
import { WaitingLine } from "../../workers/waiting-line.js";

interface Waiter {
	readonly order: number;
	readonly lane: object;
	ahead: boolean;
	isOver: boolean;
}

const LANES = [{}, {}, {}];
const [ONE = {}, TWO = {}, THREE = {}] = LANES;

const step = fc.oneof(
	fc.record({ kind: fc.constant("add" as const), ahead: fc.boolean(), lane: fc.constantFrom(...LANES) }),
	fc.record({ kind: fc.constant("take" as const) }),
	fc.record({ kind: fc.constant("putBack" as const), picks: fc.array(fc.nat(40), { maxLength: 4 }) }),
	fc.record({ kind: fc.constant("over" as const), pick: fc.nat(40) }),
	fc.record({ kind: fc.constant("admit" as const), pick: fc.nat(40) }),
);

it("J3: whatever is added, taken, put back or over, who leaves is the first of its lane, and admitted if anyone is", () => {
	fc.assert(
		fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
			const line = new WaitingLine<Waiter>();
			let waiting: Waiter[] = [];
			let taken: Waiter[] = [];
			let made = 0;
			for (const one of steps) {
				const alive = waiting.filter(({ isOver }) => !isOver);
				const admitted = alive.filter(({ ahead }) => !ahead);
				const firsts = LANES.map((lane) => firstOf(admitted.length > 0 ? admitted : alive, lane));
				const next = line.peek();
				expect(firsts).toContain(alive.length > 0 ? next : undefined);
				if (one.kind === "add") {
					const item = { order: made, lane: one.lane, ahead: one.ahead, isOver: false };
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
				const stillAdmitted = waiting.filter(({ isOver, ahead }) => !isOver && !ahead).length;
				expect(line.countAdmitted(1_000)).toBe(stillAdmitted);
				expect(line.count(1_000)).toBe(waiting.filter(({ isOver }) => !isOver).length);
			}
		}),
		{ numRuns: 500 },
	);
});

function firstOf(waiters: readonly Waiter[], lane: object): Waiter | undefined {
	return waiters.filter((one) => one.lane === lane).sort((left, right) => left.order - right.order)[0];
}

function lineOf(...lanes: object[]): WaitingLine<Waiter> {
	const line = new WaitingLine<Waiter>();
	for (const [order, lane] of lanes.entries()) line.add({ order, lane, ahead: false, isOver: false });
	return line;
}

it("takes turns between lanes, so that a flood of one costs another a turn", () => {
	const line = lineOf(ONE, ONE, ONE, ONE, TWO, THREE, TWO);
	const orders = Array.from({ length: 7 }, () => line.take()?.order);
	expect(orders).toEqual([0, 4, 5, 1, 6, 2, 3]);
});

it("passes a lane that does not fit, whose turn stays", () => {
	const line = lineOf(ONE, TWO, ONE, TWO);
	const notOne = ({ lane }: Waiter): boolean => lane !== ONE;
	expect([line.count(9), line.count(9, notOne)]).toEqual([4, 2]);
	expect([line.take(notOne)?.order, line.take(notOne)?.order, line.take(notOne)?.order]).toEqual([1, 3, undefined]);
	expect([line.take()?.order, line.take()?.order]).toEqual([0, 2]);
});

it("J3: a lane of a hundred thousand keeps its order while its room is given back", () => {
	const line = lineOf(...Array.from({ length: 100_000 }, () => ONE));
	const orders = Array.from({ length: 100_001 }, () => line.take()?.order);
	expect(orders.every((order, at) => order === (at === 100_000 ? undefined : at))).toBe(true);
});
