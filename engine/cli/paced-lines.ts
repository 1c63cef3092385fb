// Paced lines
//
// A recording handed out line by line, as fast as a model would have written it. A line comes when all its tokens would
// have been generated, counted from the start: counting from the line before would add up every timer's lateness.
//
// Owns:      the pace.
// Does not:  read the lines (the engine's stream reader) or measure them (delta-text.ts).

import type { Clock } from "../index.js";
import { writtenChars } from "./delta-text.js";
import { wait } from "./wait.js";

/** About how many characters of a reply are one token. */
const TOKEN_CHARS = 4;

/** A recording that is read without waiting lets the host's event loop turn after so many lines. */
const LINES_A_TURN = 64;

export interface Pace {
	/** 0 is as fast as it is read. */
	readonly tokensPerSecond: number;
	readonly clock: Clock;
	readonly signal: AbortSignal;
}

/** The lines of a recording with their line ends. Ends early, without an error, when the signal aborts. */
export async function* pacedLines(recording: string, pace: Pace): AsyncGenerator<string> {
	const { tokensPerSecond, clock, signal } = pace;
	const startMs = clock.monotonicMs();
	let chars = 0;
	let lines = 0;
	for (const line of linesOf(recording)) {
		chars += writtenChars(line);
		lines += 1;
		if (tokensPerSecond > 0) {
			const dueMs = startMs + (chars / TOKEN_CHARS / tokensPerSecond) * 1_000;
			await wait(clock, dueMs - clock.monotonicMs(), signal);
		} else if (lines % LINES_A_TURN === 0) await clock.nextTurn();
		if (signal.aborted) return;
		yield line;
	}
}

function* linesOf(text: string): Generator<string> {
	for (let from = 0; from < text.length; ) {
		const end = text.indexOf("\n", from);
		const to = end === -1 ? text.length : end + 1;
		yield text.slice(from, to);
		from = to;
	}
}
