// The barrier rule and the scheduler for calls of one's own, against a reference that is a few lines long.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scheduleToolCalls, segmentsOf, type ToolCallSchedule } from "../../engine/execution/schedule.js";
import { HeldWork } from "../support/held-work.js";
import { settled } from "../support/manual-clock.js";

const plan = fc.array(fc.boolean(), { maxLength: 12 });

describe("segments", () => {
	it("cut read a, read b, write c, read d into a and b together, c alone, d", () => {
		const safe = [true, true, false, true];
		expect(segmentsOf(4, (index) => safe[index] === true)).toEqual([
			{ from: 0, to: 2, pooled: true },
			{ from: 2, to: 3, pooled: false },
			{ from: 3, to: 4, pooled: true },
		]);
	});

	it("cover every call once, in order, and hold a call that is not safe alone", () => {
		fc.assert(
			fc.property(plan, (safe) => {
				const segments = segmentsOf(safe.length, (index) => safe[index] === true);
				const covered = segments.flatMap(({ from, to }) => safe.map((_, index) => index).slice(from, to));
				expect(covered).toEqual(safe.map((_, index) => index));
				for (const { from, to, pooled } of segments) {
					expect(safe.slice(from, to).every((one) => one === pooled)).toBe(true);
					if (!pooled) expect(to - from).toBe(1);
				}
			}),
		);
	});
});

describe("scheduleToolCalls", () => {
	it("I1: starts in call order, never beside a call that is not safe, never past the cap, and answers in call order", async () => {
		await fc.assert(
			fc.asyncProperty(
				plan,
				fc.integer({ min: 1, max: 4 }),
				fc.infiniteStream(fc.nat(20)),
				async (safe, max, picks) => {
					const held = new HeldWork();
					const started: number[] = [];
					const running = new Set<number>();
					const run = async (index: number): Promise<string> => {
						started.push(index);
						running.add(index);
						expect(running.size).toBeLessThanOrEqual(max);
						if ([...running].some((one) => safe[one] !== true)) expect(running.size).toBe(1);
						await held.hold(String(index));
						running.delete(index);
						return `outcome ${index}`;
					};
					const done = scheduleToolCalls({
						count: safe.length,
						safe: (index) => safe[index] === true,
						maxParallel: max,
						run,
					});
					await settled();
					while (held.waiting.length > 0) {
						held.releaseAt(picks.next().value);
						await settled();
					}
					expect(await done).toEqual(safe.map((_, index) => `outcome ${index}`));
					expect(started).toEqual(safe.map((_, index) => index));
				},
			),
			{ numRuns: 300 },
		);
	});

	it("keeps the cap filled: a call starts as soon as one beside it ends", async () => {
		const held = new HeldWork();
		const done = scheduleToolCalls({
			count: 4,
			safe: () => true,
			maxParallel: 2,
			run: (index) => held.hold(String(index)),
		});
		await settled();
		expect(held.waiting).toEqual(["0", "1"]);
		held.release("1");
		await settled();
		expect(held.waiting).toEqual(["0", "2"]);
		held.releaseAll();
		await settled();
		held.releaseAll();
		await done;
	});

	it("starts no call after one whose outcome stops, lets the running ones finish, and leaves out what never started", async () => {
		const held = new HeldWork();
		const run = async (index: number): Promise<{ index: number; asked: boolean }> => {
			await held.hold(String(index));
			return { index, asked: index === 1 };
		};
		const done = scheduleToolCalls({ count: 6, safe: () => true, maxParallel: 3, run, stops: ({ asked }) => asked });
		await settled();
		held.release("1");
		await settled();
		expect(held.waiting).toEqual(["0", "2"]);
		held.releaseAll();
		expect((await done).map(({ index }) => index)).toEqual([0, 1, 2]);
	});

	it("rejects at once with the first throw; what runs goes on, nothing else starts, later rejections go unreported", async () => {
		const held = new HeldWork();
		const started: number[] = [];
		const run = async (index: number): Promise<void> => {
			started.push(index);
			await held.hold(String(index));
			throw new Error(`call ${index}`);
		};
		const done = scheduleToolCalls({ count: 4, safe: () => true, maxParallel: 2, run });
		const failure = expect(done).rejects.toThrow("call 1");
		await settled();
		held.release("1");
		await failure;
		expect(held.waiting).toEqual(["0"]);
		held.release("0");
		await settled();
		expect(started).toEqual([0, 1]);
	});

	it("rejects with a throw of a run that is not a promise, also in the last segment", async () => {
		const run = (index: number): number => {
			if (index === 2) throw new Error("call 2");
			return index;
		};
		await expect(scheduleToolCalls({ count: 3, safe: (index) => index < 2, run })).rejects.toThrow("call 2");
	});

	it("takes a safety check that throws for a no", async () => {
		const order: string[] = [];
		const safe = (): boolean => {
			throw new Error("no idea");
		};
		const run = async (index: number): Promise<void> => {
			order.push(`start ${index}`);
			await settled();
			order.push(`end ${index}`);
		};
		await scheduleToolCalls({ count: 2, safe, run });
		expect(order).toEqual(["start 0", "end 0", "start 1", "end 1"]);
	});

	it.each([
		[{ count: -1 }, "count is -1"],
		[{ count: 1.5 }, "count is 1.5"],
		[{ count: 1, maxParallel: 0 }, "maxParallel is 0"],
		[{ count: 1, maxParallel: Number.NaN }, "maxParallel is NaN"],
		[{ count: 1, run: undefined }, "run is undefined, not a function"],
		[{ count: 1, safe: true }, "safe is true, not a function"],
		[{ count: 1, maxParalel: 2 }, '"maxParalel" is not known; perhaps "maxParallel" is meant'],
	])("refuses %j and says which value was wrong", async (options, said) => {
		const schedule = { safe: () => true, run: () => undefined, ...options };
		await expect(scheduleToolCalls(schedule as ToolCallSchedule<unknown>)).rejects.toMatchObject({
			code: "INVALID_OPTIONS",
			message: expect.stringContaining(said),
		});
	});
});
