// JSON view
//
// One JSON line an event, and a last one of kind `summary`.
//
// Owns:      the lines, and what the summary holds.
// Does not:  choose the view (replay-command.ts) or write JSON (json-line.ts).

import { jsonLine } from "./json-line.js";
import type { Output } from "./output.js";
import type { ReplayView } from "./replay-view.js";

export function jsonView(out: Output): ReplayView {
	return {
		show(event) {
			out.line(jsonLine(event));
		},
		close(end) {
			if (end === undefined) return;
			const { wave, waits, reply, timeline } = end;
			const { ahead } = timeline;
			out.line(jsonLine({ kind: "summary", reply, ...wave, waits, ...(ahead !== undefined && { ahead }) }));
		},
	};
}
