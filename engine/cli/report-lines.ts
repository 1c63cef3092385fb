// Report lines
//
// What is printed once a replay is over, to a terminal and to a file alike: the answers, the table, the waits.
//
// Owns:      which parts there are, in which order, and which are left out.
// Does not:  lay out a part (answers.ts, wave-table.ts).

import { answerLines } from "./answers.js";
import type { ReplayEnd } from "./replay-view.js";
import { aheadLines, waitLines, waveTable } from "./wave-table.js";

export function reportLines({ wave, waits, timeline, reply }: ReplayEnd, columns: number): string[] {
	if (wave.results.length === 0) return aheadLines(timeline.ahead);
	const answers = ["", "Answers, in call order", ...answerLines(wave.results, columns)];
	// Of a reply that did not end well nothing ran; a table of times would be a table of zeros.
	if (!reply.good) return [...answers, ...aheadLines(timeline.ahead)];
	return [
		...answers,
		"",
		waveTable(wave.results, timeline),
		"",
		...waitLines(waits, wave.results.length),
		...aheadLines(timeline.ahead),
	];
}
