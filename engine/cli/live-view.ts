// Live view
//
// The wave as a picture that draws over itself: one lane a call on a common scale of time, so that calls that run at
// once stand one above the other, and a call that is done and held for its turn is seen to be held.
//
// Owns:      when the picture is drawn, and its last drawing, which stays.
// Does not:  know what a lane looks like (live-frame.ts).

import { createLogUpdate } from "log-update";
import { type Clock, timelineOf } from "../index.js";
import { frameOf } from "./live-frame.js";
import type { Output } from "./output.js";
import type { ReplayView, WatchedEvent } from "./replay-view.js";
import { reportLines } from "./report-lines.js";

/** Ten pictures a second look alive and cost a hundredth of a core. */
const FRAME_MS = 100;

/** What the terminal needs below the picture for its own line. */
const ROWS_KEPT = 1;

export function liveView(out: Output, clock: Clock, title: string): ReplayView {
	const draw = createLogUpdate(screenOf(out));
	const events: WatchedEvent[] = [];
	let text = "";
	const frame = () => {
		const rows = out.rows - ROWS_KEPT;
		return frameOf({
			title,
			text,
			timeline: timelineOf(events),
			nowMs: clock.monotonicMs(),
			columns: out.columns,
			rows,
		});
	};
	const tick = () => {
		if (!out.closed) draw(frame());
		cancel = clock.setTimer(tick, FRAME_MS);
	};
	let cancel = clock.setTimer(tick, 0);
	return {
		show(event) {
			if (event.kind === "reply_text") text += event.text;
			else events.push(event);
		},
		close(end) {
			cancel();
			if (out.closed) return;
			draw(frame());
			draw.done();
			if (end === undefined) return;
			for (const line of reportLines(end, out.columns)) out.line(line);
		},
	};
}

/** The stream at the size the frames are made for: of a terminal that says 0 log-update believes it, and draws nothing. */
function screenOf(out: Output): NodeJS.WriteStream {
	const { stream } = out;
	const screen = {
		isTTY: stream.isTTY,
		get columns() {
			return out.columns;
		},
		get rows() {
			return out.rows;
		},
		write: (text: string) => stream.write(text),
	};
	// As much of a stream as log-update uses.
	return screen as unknown as NodeJS.WriteStream;
}
