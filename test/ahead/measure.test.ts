// What starting early was worth: one event at the end of a reply.

import { describe, expect, it } from "vitest";
import type { AheadMeasure } from "../../engine/index.js";
import { withAttempt } from "../../engine/report/ahead-sum.js";
import { type Bench, benchOf, callsOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";

function measures({ events }: Bench): AheadMeasure[] {
	return events.flatMap((event) => (event.kind === "ahead_measured" ? [event] : []));
}

const one = (written: string) => callsOf(written)[0] ?? { id: "", name: "", args: {} };

describe("the measure of a reply", () => {
	it("says how early it began, what was hidden, and how far the wait was from the bound", async () => {
		const bench = benchOf();
		const { engine, clock, held } = bench;
		const step = engine.openStep();
		await clock.pass(100);
		step.offer(one("read 0"));
		await clock.pass(40);
		step.offer(one("read 1"));
		await clock.pass(20);
		held.release("read 0");
		await clock.pass(20);
		step.offer(one("write 2"));
		const wave = step.settle();
		await clock.pass(30);
		held.release("read 1");
		await clock.pass(50);
		held.release("write 2");
		await wave;
		expect(measures(bench)).toMatchObject([
			// The second read hides 40 of its 70 ms, the write cannot begin before it has ended.
			{ started: 2, used: 2, leadMs: 80, hiddenMs: 60 + 40, discarded: [], waitedMs: 80, boundMs: 80 },
		]);
	});

	it("tells a wait that was longer than it had to be from the bound", async () => {
		const bench = benchOf({ maxParallelToolCalls: 1 });
		const { engine, clock, held } = bench;
		const step = engine.openStep();
		step.offer(one("read 0"));
		step.offer(one("read 1"));
		await clock.pass(10);
		const wave = step.settle();
		await clock.pass(20);
		held.release("read 0");
		await clock.pass(30);
		held.release("read 1");
		await wave;
		// With a second slot the second read would have begun with the first: 30 ms from then are 20 after the end.
		expect(measures(bench)).toMatchObject([{ used: 1, waitedMs: 50, boundMs: 20 }]);
	});

	it("counts what was thrown away by its reason, also of a reply that ended badly, and of each attempt once", async () => {
		const bench = benchOf();
		const { engine, clock, held } = bench;
		const step = engine.openStep();
		step.offer(one("read 0"));
		step.offer(one("read 1"));
		await clock.pass(10);
		await step.discard("restarted");
		step.offer(one("read 2"));
		await clock.pass(5);
		await step.discard("failed");
		held.releaseAll();
		const [first, second] = measures(bench);
		expect(first).toMatchObject({ started: 2, used: 0, discarded: [{ reason: "restarted", calls: 2, ranMs: 20 }] });
		expect(second).toMatchObject({ started: 1, used: 0, discarded: [{ reason: "failed", calls: 1, ranMs: 5 }] });
		expect([first && "boundMs" in first, measures(bench).length]).toEqual([false, 2]);
		const both = first && second && withAttempt(first, second);
		expect(both).toMatchObject({ started: 3, discarded: [{ calls: 2 }, { calls: 1 }] });
	});

	it("is not told of a reply of which nothing started early", async () => {
		const bench = benchOf();
		const step = bench.engine.openStep();
		step.offer(one("write 0"));
		const wave = step.settle();
		await settled();
		bench.held.releaseAll();
		await wave;
		expect(measures(bench)).toEqual([]);
	});
});
