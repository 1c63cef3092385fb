// Plain view: the words of what happens to a call, by when it happens.

import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { Output } from "../../engine/cli/output.js";
import { plainView } from "../../engine/cli/plain-view.js";
import type { WatchedEvent } from "../../engine/cli/replay-view.js";
import { waveTable } from "../../engine/cli/wave-table.js";
import { answered, failed } from "../../engine/core/outcome.js";
import type { CallResult } from "../../engine/index.js";
import { timelineOf } from "../../engine/report/timeline.js";
import { ManualClock } from "../support/manual-clock.js";

const place = { runId: "run", step: 0, index: 0, name: "look" };
const outcome = answered("x");
const began: WatchedEvent = { atMs: 0, kind: "call_began", ahead: true, thread: 1, ...place };
const doneEarly: WatchedEvent = { atMs: 0, kind: "ahead_settled", outcome, ranMs: 1, ...place };
const ended: WatchedEvent = { atMs: 0, kind: "reply_ended", good: true, reason: "stop" };
const waiting: WatchedEvent = { atMs: 0, kind: "call_waiting", for: "keys", ...place };

function wordsOf(events: readonly WatchedEvent[]): string[] {
	const stream = new PassThrough();
	const view = plainView(new Output(stream), new ManualClock());
	for (const event of events) view.show(event);
	const lines = String(stream.read()).trimEnd().split("\n");
	return lines.map((line) => line.replace(/^ +0\.00 s {2}(call 0 look: )?/, ""));
}

describe("the words for an early start", () => {
	it("say early of what begins before the reply has ended", () => {
		expect(wordsOf([began, doneEarly, ended])).toEqual([
			"starts early on thread 1",
			"done early, held until the reply ends",
			"the reply ended (stop)",
		]);
	});

	it("say of a call without a value how it ended, and never that it is done", () => {
		const unknown = failed("OUTCOME_UNKNOWN", { message: "Nobody knows." });
		const settled: WatchedEvent = { atMs: 0, kind: "call_settled", outcome: unknown, ahead: false, ...place };
		expect(wordsOf([settled])).toEqual(["ended (OUTCOME_UNKNOWN)"]);
		expect(wordsOf([{ ...doneEarly, outcome: failed("TOOL_FAILED", { message: "No." }) }])).toEqual([
			"ended early (TOOL_FAILED), held until the reply ends",
		]);
	});

	it("do not say early of what begins after the reply has ended, whatever it was meant to do", () => {
		expect(wordsOf([ended, began, doneEarly])).toEqual(["the reply ended (stop)", "starts on thread 1", "done"]);
	});

	it("stand in the table only for what began before the end", () => {
		const timing = { gateMs: 0, lockMs: 0, slotMs: 0, personMs: 0, ranMs: 1 };
		const result: CallResult = { index: 0, id: "1", name: "look", outcome, ahead: true, hiddenMs: 0, timing };
		const marks = (...events: WatchedEvent[]) => waveTable([result], timelineOf(events)).match(/│ ahead │/g)?.length;
		// One is the column's head.
		expect(marks(began, ended)).toBe(2);
		expect(marks(ended, began)).toBe(1);
	});
});

it("what a call waits for is its keys", () => {
	expect(wordsOf([waiting])).toEqual(["waits for its keys"]);
});
