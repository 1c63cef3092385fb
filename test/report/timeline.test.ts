// Timeline
//
// Events in, picture out: which phase each event puts a call into, and what the picture keeps of the order of things.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EngineEvent } from "../../engine/core/events.js";
import { answered } from "../../engine/core/outcome.js";
import type { ReplyEvent } from "../../engine/report/reply-event.js";
import { type Phase, timelineOf } from "../../engine/report/timeline.js";
import { barOf, markOf } from "../../engine/report/timeline-bar.js";

type Seen = EngineEvent | ReplyEvent;

const outcome = answered("text");

/** The events of one call, by short names, each a millisecond after the one before. */
function place(index: number) {
	return { runId: "run", step: 0, index, name: `tool-${index}` };
}

function scripted(index: number): Record<string, (atMs: number) => Seen> {
	const at = place(index);
	return {
		started: (atMs) => ({ atMs, kind: "reply_call_started", index, name: at.name }),
		complete: (atMs) => ({ atMs, kind: "reply_call_complete", index, name: at.name, argsText: "{}" }),
		planned: (atMs) => ({ atMs, kind: "call_planned", effect: { write: "notes" }, title: "A title", ...at }),
		waiting: (atMs) => ({ atMs, kind: "call_waiting", for: "keys", ...at }),
		beganEarly: (atMs) => ({ atMs, kind: "call_began", ahead: true, thread: 3, ...at }),
		began: (atMs) => ({ atMs, kind: "call_began", ahead: false, ...at }),
		doneEarly: (atMs) => ({ atMs, kind: "ahead_settled", outcome, ranMs: 1, ...at }),
		used: (atMs) => ({ atMs, kind: "ahead_used", hiddenMs: 1, ...at }),
		thrownAway: (atMs) => ({ atMs, kind: "ahead_discarded", reason: "length", ranMs: 1, ...at }),
		notAdmitted: (atMs) => ({ atMs, kind: "ahead_discarded", reason: "not the admitted call", ranMs: 1, ...at }),
		settled: (atMs) => ({ atMs, kind: "call_settled", outcome, ahead: false, ...at }),
		accounted: (atMs) => ({ atMs, kind: "call_accounted", outcome, held: 0, ...at }),
	};
}

const NAMES = Object.keys(scripted(0));

function events(names: readonly string[], index = 0): Seen[] {
	const script = scripted(index);
	return names.flatMap((name, atMs) => script[name]?.(atMs) ?? []);
}

function phases(names: readonly string[]): Phase[] {
	return timelineOf(events(names)).lanes.flatMap(({ spans }) => spans.map(({ phase }) => phase));
}

describe("timelineOf", () => {
	it("shows a call that ran as an admitted one from its first letter to the ledger", () => {
		const names = ["started", "complete", "planned", "waiting", "began", "settled", "accounted"];
		expect(phases(names)).toEqual(["streaming", "complete", "waiting", "running", "held", "accounted"]);
	});

	it("holds an early start that is done, and does not call it running again when it is used", () => {
		const names = ["started", "complete", "beganEarly", "doneEarly", "used", "settled", "accounted"];
		expect(phases(names)).toEqual(["streaming", "complete", "ahead", "held", "accounted"]);
	});

	it("turns an early start that is still at work into a running call when it is used", () => {
		expect(phases(["beganEarly", "used", "settled"])).toEqual(["ahead", "running", "held"]);
	});

	it("calls what begins after the end of the reply running, though it was to start early", () => {
		const script = scripted(0);
		const seen: Seen[] = [{ atMs: 1, kind: "reply_ended", good: true, reason: "stop" }];
		for (const name of ["beganEarly", "doneEarly", "used", "accounted"])
			seen.push(...(script[name] ? [script[name](2)] : []));
		expect(timelineOf(seen).lanes[0]?.spans.map(({ phase }) => phase)).toEqual(["running", "held", "accounted"]);
	});

	it("tells an early start of a dead reply from one that another call took the place of", () => {
		expect(phases(["beganEarly", "thrownAway"])).toEqual(["ahead", "discarded"]);
		expect(phases(["beganEarly", "notAdmitted", "began"])).toEqual(["ahead", "complete", "running"]);
	});

	it("keeps title, effect, arguments, thread and outcome of a call", () => {
		const [lane] = timelineOf(events(["started", "complete", "planned", "beganEarly", "settled"])).lanes;
		const known = {
			index: 0,
			name: "tool-0",
			title: "A title",
			effect: "write(notes)",
			argsText: "{}",
			thread: 3,
			outcome,
		};
		expect(lane).toMatchObject(known);
	});

	it("forgets the calls of a reply that began again, and knows when the reply ended", () => {
		const restarted: Seen[] = [...events(["started"]), { atMs: 5, kind: "reply_restarted" }];
		const ended: Seen[] = [
			...restarted,
			...events(["started"], 1),
			{ atMs: 9, kind: "reply_ended", good: true, reason: "stop" },
		];
		expect(timelineOf(restarted).lanes).toEqual([]);
		expect(timelineOf(ended)).toMatchObject({ fromMs: 0, replyEndedMs: 9, lanes: [{ index: 1 }] });
	});

	it("M1: spans follow one another without a gap, whatever the events", () => {
		fc.assert(
			fc.property(fc.array(fc.constantFrom(...NAMES), { maxLength: 30 }), (names) => {
				for (const { spans } of timelineOf(events(names)).lanes) {
					spans.forEach((span, at) => {
						expect(span.toMs).toBe(spans[at + 1]?.fromMs);
						expect(span.phase).not.toBe(spans[at + 1]?.phase);
					});
				}
			}),
		);
	});

	it("M2: lanes are in call order, whatever the order of the events", () => {
		const one = fc.record({ index: fc.nat(9), name: fc.constantFrom(...NAMES) });
		fc.assert(
			fc.property(fc.array(one, { maxLength: 40 }), (all) => {
				const seen = all.flatMap(({ index, name }) => events([name], index));
				const indexes = timelineOf(seen).lanes.map(({ index }) => index);
				expect(indexes).toEqual([...new Set(all.map(({ index }) => index))].sort((left, right) => left - right));
			}),
		);
	});
});

describe("barOf", () => {
	const scale = { fromMs: 0, toMs: 10, columns: 10 };

	it("draws each phase where it was, and nothing after the call was accounted", () => {
		const script = scripted(0);
		const at: [string, number][] = [
			["started", 0],
			["complete", 2],
			["beganEarly", 3],
			["doneEarly", 5],
			["accounted", 8],
		];
		const [lane] = timelineOf(at.flatMap(([name, atMs]) => script[name]?.(atMs) ?? [])).lanes;
		expect(lane && barOf(lane, scale)).toBe("··-▒▒===  ");
	});

	it("is blank, and as wide as asked, on a scale without length", () => {
		const [lane] = timelineOf(events(["started"])).lanes;
		expect(lane && barOf(lane, { fromMs: 0, toMs: 0, columns: 4 })).toBe("    ");
	});

	it("puts a mark into the column of its moment", () => {
		expect(markOf(5, "^ here", scale)).toBe("     ^ here");
	});
});
