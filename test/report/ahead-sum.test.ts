// What starting early was worth, on the timeline and in the words below the table of a replay.

import { describe, expect, it } from "vitest";
import { aheadLines } from "../../engine/cli/wave-table.js";
import type { AheadMeasure, EngineEvent } from "../../engine/index.js";
import { timelineOf } from "../../engine/report/timeline.js";

const measured = (measure: Partial<AheadMeasure>): EngineEvent => ({
	kind: "ahead_measured",
	atMs: 0,
	runId: "run",
	step: 0,
	started: 1,
	used: 1,
	leadMs: 0,
	hiddenMs: 0,
	discarded: [],
	...measure,
});

describe("the measure of a step", () => {
	it("is that of its last attempt, with what every attempt threw away", () => {
		const { ahead } = timelineOf([
			measured({ started: 2, used: 0, discarded: [{ reason: "restarted", calls: 2, ranMs: 30 }] }),
			measured({ started: 1, used: 0, discarded: [{ reason: "restarted", calls: 1, ranMs: 5 }] }),
			measured({ started: 4, used: 3, leadMs: 2_000, hiddenMs: 900, waitedMs: 100, boundMs: 80 }),
		]);
		expect(ahead).toEqual({
			started: 7,
			used: 3,
			leadMs: 2_000,
			hiddenMs: 900,
			discarded: [{ reason: "restarted", calls: 3, ranMs: 35 }],
			waitedMs: 100,
			boundMs: 80,
		});
	});

	it("is printed with the lead, the reasons and the distance to the bound", () => {
		const discarded = [{ reason: "what it read moved", calls: 1, ranMs: 40 }] as const;
		const measure = { started: 4, used: 3, leadMs: 2_000, hiddenMs: 900, discarded, waitedMs: 1_250, boundMs: 1_200 };
		expect(aheadLines(measure)).toEqual([
			"Handed over early: 4 calls, 3 used, the first 2.0 s before the end.",
			"Thrown away (what it read moved): 1 early start that had run 40 ms.",
			"The least that could have been waited: 1.2 s; this was 50 ms more.",
		]);
		expect(aheadLines(undefined)).toEqual([]);
	});

	it("shows a call that will run again as one that waits for its turn, and another as thrown away", () => {
		const place = { atMs: 1, runId: "run", step: 0, name: "read" };
		const { lanes } = timelineOf([
			{ kind: "call_began", ahead: true, index: 0, ...place },
			{ kind: "call_began", ahead: true, index: 1, ...place },
			{ kind: "ahead_discarded", reason: "keys were granted", ranMs: 1, index: 0, ...place },
			{ kind: "ahead_discarded", reason: "failed", ranMs: 1, index: 1, ...place },
		]);
		expect(lanes.map(({ spans }) => spans.at(-1)?.phase)).toEqual(["complete", "discarded"]);
	});
});
