// Live frame
//
// One picture, letter by letter: what a newcomer sees in the middle of a wave.

import { describe, expect, it } from "vitest";
import { frameOf } from "../../engine/cli/live-frame.js";
import type { EngineEvent } from "../../engine/core/events.js";
import { answered, failed } from "../../engine/core/outcome.js";
import type { ReplyEvent } from "../../engine/report/reply-event.js";
import { timelineOf } from "../../engine/report/timeline.js";

const at = (index: number, name: string) => ({ runId: "run", step: 0, index, name });
const outcome = answered("x");

function whole(index: number, name: string, fromMs: number): ReplyEvent[] {
	return [
		{ atMs: fromMs, kind: "reply_call_started", index, name },
		{ atMs: fromMs + 100, kind: "reply_call_complete", index, name, argsText: `{"n":${index}}` },
	];
}

const EVENTS: (EngineEvent | ReplyEvent)[] = [
	...whole(0, "read", 0),
	{ atMs: 100, kind: "call_began", ahead: true, ...at(0, "read") },
	...whole(1, "look", 100),
	{ atMs: 200, kind: "call_began", ahead: true, ...at(1, "look") },
	{ atMs: 300, kind: "ahead_settled", outcome, ranMs: 100, ...at(1, "look") },
	...whole(2, "put", 300),
	...whole(3, "look", 400),
	{ atMs: 500, kind: "reply_ended", good: true, reason: "stop" },
	{ atMs: 500, kind: "call_planned", effect: "write", title: "Put it \u001B[2Jthere", ...at(2, "put") },
	{ atMs: 500, kind: "ahead_used", hiddenMs: 400, ...at(0, "read") },
	{ atMs: 600, kind: "call_waiting", for: "keys", ...at(3, "look") },
];

function frame(events: typeof EVENTS, size: { readonly columns: number; readonly rows: number }): string[] {
	const timeline = timelineOf(events);
	return frameOf({ title: "reply", text: "Let me look.\n", timeline, nowMs: 1_000, ...size }).split("\n");
}

describe("frameOf", () => {
	it("draws a lane a call on one scale, the end of the reply below them, and the legend", () => {
		expect(frame(EVENTS, { columns: 100, rows: 24 })).toEqual([
			"reply  1.0 s",
			"Let me look.",
			"",
			'  0 read {"n":0}                       ···▒▒▒▒▒▒▒▒▒▒▒▒███████████████  running',
			'  1 look {"n":1}                          ···▒▒▒=====================  done, held for its turn',
			"  2 Put it \\u{1b}[2Jthere                       ···------------------  waits for its turn",
			'  3 look {"n":3}                                   ···---~~~~~~~~~~~~  waits for its keys',
			"                                                      ^ reply ended",
			"· arriving  - whole  ▒ early  ~ waiting  █ running  = done, held",
		]);
	});

	it("says how a call ended", () => {
		const ends: typeof EVENTS = [
			{ atMs: 700, kind: "call_accounted", outcome, held: 0, ...at(0, "read") },
			{
				atMs: 700,
				kind: "call_accounted",
				outcome: failed("TIMED_OUT", { message: "late" }),
				held: 0,
				...at(1, "look"),
			},
		];
		const lines = frame([...EVENTS, ...ends], { columns: 100, rows: 24 });
		expect(lines[3]).toMatch(/ accounted$/);
		expect(lines[4]).toMatch(/ TIMED_OUT$/);
	});

	it("is never wider than the terminal", () => {
		for (const columns of [60, 80, 133]) {
			expect(frame(EVENTS, { columns, rows: 24 }).filter((line) => line.length >= columns)).toEqual([]);
		}
	});

	it("shows the calls that are still at work when there are more than rows", () => {
		const over: typeof EVENTS = [0, 1, 2, 3].map((index) => ({
			atMs: 700,
			kind: "call_accounted",
			outcome,
			held: 0,
			...at(index, "look"),
		}));
		const open = [4, 5].flatMap((index) => whole(index, "look", 800));
		const lines = frame([...EVENTS, ...over, ...open], { columns: 100, rows: 11 });
		expect(lines.map((line) => line.slice(0, 5)).filter((line) => /^ +\d/.test(line))).toEqual([
			"  3 l",
			"  4 l",
			"  5 l",
		]);
		expect(lines).toContain("    … and 3 more");
	});
});
