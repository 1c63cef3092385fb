// Timeline bar
//
// A lane as one line of characters, all lanes on one scale, so that calls that ran beside one another stand one above
// the other. Each phase has a character of its own: the bar must be readable without colour.
//
// Owns:      the characters and the scale.
// Does not:  know where a terminal is or how wide (cli/).

import type { Lane, Phase } from "./timeline.js";

const CHARACTERS: Readonly<Record<Phase, string>> = {
	streaming: "·",
	complete: "-",
	waiting: "~",
	ahead: "▒",
	running: "█",
	held: "=",
	accounted: " ",
	discarded: "x",
};

/**
 * What each character of a bar means, as one line.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export const BAR_LEGEND = [
	`${CHARACTERS.streaming} arriving`,
	`${CHARACTERS.complete} whole`,
	`${CHARACTERS.ahead} early`,
	`${CHARACTERS.waiting} waiting`,
	`${CHARACTERS.running} running`,
	`${CHARACTERS.held} done, held`,
].join("  ");

/**
 * The stretch of time that a bar shows, over how many characters.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface BarScale {
	/** The time of the first column, in milliseconds. */
	readonly fromMs: number;
	/** The time after the last column, in milliseconds. */
	readonly toMs: number;
	/** How many characters wide. */
	readonly columns: number;
}

/**
 * A lane drawn on a scale; blank on one without length. A phase shorter than a column still shows, unless a later one
 * falls into the same column.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export function barOf(lane: Lane, scale: BarScale): string {
	const columns = new Array<string>(scale.columns).fill(" ");
	if (scale.toMs <= scale.fromMs) return columns.join("");
	for (const { phase, fromMs, toMs } of lane.spans) {
		if (phase === "accounted") continue;
		const first = columnOf(fromMs, scale);
		const end = toMs === undefined ? scale.columns : Math.max(first + 1, columnOf(toMs, scale));
		columns.fill(CHARACTERS[phase], first, end);
	}
	return columns.join("");
}

/**
 * Where a moment stands on the scale: blanks, then the mark.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export function markOf(atMs: number, mark: string, scale: BarScale): string {
	return " ".repeat(columnOf(atMs, scale)) + mark;
}

function columnOf(atMs: number, { fromMs, toMs, columns }: BarScale): number {
	const column = Math.floor(((atMs - fromMs) / Math.max(1, toMs - fromMs)) * columns);
	return Math.min(columns - 1, Math.max(0, column));
}
