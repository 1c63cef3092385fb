// Live frame
//
// One picture of a wave as lines of text: the end of the reply's text, a lane a call, the mark where the reply ended, the
// legend. A function of what is known, so that a picture can be tested without a terminal.
//
// Owns:      the layout and the words for what a call is doing.
// Does not:  decide what a call is doing (timeline.ts) or when to draw (live-view.ts).

import { BAR_LEGEND, type BarScale, barOf, type Lane, markOf, type Timeline } from "../index.js";
import { duration, oneLine, shortLine } from "./plain-text.js";

export interface Frame {
	readonly title: string;
	/** The reply's text so far. */
	readonly text: string;
	readonly timeline: Timeline;
	readonly nowMs: number;
	readonly columns: number;
	readonly rows: number;
}

const INDEX_CHARS = 4;
const LABEL_CHARS_MAX = 44;
const STATE_CHARS = 28;
const BAR_CHARS_MIN = 10;
/** Blanks between the columns, and one at the end: a line as wide as the terminal would wrap. */
const GAPS_CHARS = 5;

/** Lines of the picture that are not lanes. */
const OTHER_ROWS = 7;

export function frameOf(frame: Frame): string {
	const { timeline, nowMs, title } = frame;
	const labelChars = Math.min(LABEL_CHARS_MAX, Math.floor(frame.columns / 3));
	const columns = Math.max(BAR_CHARS_MIN, frame.columns - INDEX_CHARS - labelChars - STATE_CHARS - GAPS_CHARS);
	const fromMs = timeline.fromMs ?? nowMs;
	const scale: BarScale = { fromMs, toMs: nowMs, columns };
	const lanes = lanesThatFit(timeline.lanes, frame.rows - OTHER_ROWS);
	const left = INDEX_CHARS + labelChars + 2;
	const hidden = timeline.lanes.length - lanes.length;
	return [
		`${title}  ${duration(nowMs - fromMs)}`,
		textTail(frame.text, frame.columns),
		"",
		...lanes.map((lane) => laneLine(lane, timeline, { labelChars, scale })),
		...(hidden > 0 ? [`${" ".repeat(INDEX_CHARS)}… and ${hidden} more`] : []),
		timeline.replyEndedMs === undefined ? "" : " ".repeat(left) + markOf(timeline.replyEndedMs, "^ reply ended", scale),
		BAR_LEGEND,
	]
		.map((line) =>
			[...line]
				.slice(0, frame.columns - 1)
				.join("")
				.trimEnd(),
		)
		.join("\n");
}

function laneLine(lane: Lane, timeline: Timeline, size: { labelChars: number; scale: BarScale }): string {
	const label = shortLine(lane.title ?? `${lane.name} ${lane.argsText ?? ""}`, size.labelChars).padEnd(size.labelChars);
	const bar = barOf(lane, size.scale);
	return `${String(lane.index).padStart(INDEX_CHARS - 1)} ${label}  ${bar}  ${stateOf(lane, timeline)}`;
}

/** What a call is doing, in words. */
function stateOf(lane: Lane, { replyEndedMs }: Timeline): string {
	const phase = lane.spans.at(-1)?.phase;
	switch (phase) {
		case "streaming":
			return "arriving";
		case "complete":
			return replyEndedMs === undefined ? "whole, waits for the reply" : "waits for its turn";
		case "waiting":
			return "waits for its keys";
		case "ahead":
			return replyEndedMs === undefined ? "running early" : "running";
		case "running":
			return "running";
		case "held":
			return replyEndedMs === undefined ? "done early, held" : "done, held for its turn";
		case "accounted":
			return lane.outcome === undefined || lane.outcome.ok ? "accounted" : lane.outcome.error.code;
		case "discarded":
			return "thrown away";
		case undefined:
			return "";
	}
}

// With more calls than rows, those that are still at work are the ones to see.
function lanesThatFit(lanes: readonly Lane[], rows: number): readonly Lane[] {
	if (lanes.length <= rows) return lanes;
	const room = Math.max(1, rows - 1);
	const isOpen = (lane: Lane) => lane.spans.at(-1)?.phase !== "accounted";
	const open = lanes.filter(isOpen).slice(0, room);
	const over = lanes.filter((lane) => !isOpen(lane)).slice(open.length - room || lanes.length);
	return [...over, ...open].sort((left, right) => left.index - right.index);
}

function textTail(text: string, columns: number): string {
	const line = oneLine(text.slice(-columns * 2)).trim();
	return line.length < columns ? line : `…${line.slice(line.length - columns + 2)}`;
}
