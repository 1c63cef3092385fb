// Plain view
//
// A line for each thing that happens to a call, with the time since the start: for files, pipes and CI, where a picture
// that draws over itself is noise.
//
// Owns:      which events have a line, and its words.
// Does not:  draw the live picture (live-view.ts); both end with the same report (report-lines.ts).

import type { Clock, Outcome } from "../index.js";
import { answerText } from "./answers.js";
import type { Output } from "./output.js";
import { oneLine, shortLine } from "./plain-text.js";
import type { ReplayView, WatchedEvent } from "./replay-view.js";
import { reportLines } from "./report-lines.js";

const ARGUMENTS_CHARS = 60;
const ANSWER_CHARS = 60;

export function plainView(out: Output, clock: Clock): ReplayView {
	const startMs = clock.monotonicMs();
	const doneEarly = new Set<number>();
	let replyHasEnded = false;
	return {
		show(event) {
			const words = wordsOf(event, replyHasEnded);
			if (event.kind === "reply_ended") replyHasEnded = true;
			// An early start that is done settles once more, with its wave; it is told once.
			if (event.kind === "ahead_settled") doneEarly.add(event.index);
			const repeated = event.kind === "call_settled" && doneEarly.has(event.index);
			if (words === undefined || repeated) return;
			const at = ((event.atMs - startMs) / 1_000).toFixed(2).padStart(7);
			const who = "index" in event ? `call ${event.index} ${oneLine(event.name)}: ` : "";
			out.line(`${at} s  ${who}${words}`);
		},
		close(end) {
			if (end === undefined) return;
			for (const line of reportLines(end, out.columns)) out.line(line);
		},
	};
}

function wordsOf(event: WatchedEvent, replyHasEnded: boolean): string | undefined {
	switch (event.kind) {
		case "reply_call_complete":
			return `asked for with ${shortLine(event.argsText, ARGUMENTS_CHARS)}`;
		case "reply_restarted":
			return "the reply began again; what it had asked for is void";
		case "reply_ended":
			return `the reply ended (${oneLine(event.reason)})${event.good ? "" : "; none of its calls runs"}`;
		case "call_waiting":
			return "waits for its keys";
		case "call_began": {
			const where = event.thread === undefined ? "" : ` on thread ${event.thread}`;
			// Asked to start early, a call may begin after the end: without a pace the reply is over before a thread is there.
			return `${event.ahead && !replyHasEnded ? "starts early" : "starts"}${where}`;
		}
		case "ahead_discarded":
			return `its early start is thrown away (${event.reason})`;
		case "ahead_settled":
			return replyHasEnded ? endOf(event.outcome) : `${endOf(event.outcome, "early")}, held until the reply ends`;
		case "call_settled":
			return endOf(event.outcome);
		case "call_accounted":
			return `accounted: ${shortLine(answerText(event.outcome), ANSWER_CHARS)}`;
		case "stray_error":
			return `a tool left an error behind: ${oneLine(event.message)}`;
		default:
			return undefined;
	}
}

/** A call without a value is not told as done, nor as failed: it may have been refused, or nobody knows. */
function endOf(outcome: Outcome, when = ""): string {
	const words = outcome.ok ? ["done", when] : ["ended", when, `(${outcome.error.code})`];
	return words.filter((word) => word !== "").join(" ");
}
