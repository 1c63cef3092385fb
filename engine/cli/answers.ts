// Answers
//
// What the model would get, in call order, a line each: enough to see that every call was answered and with what.
//
// Owns:      those lines, and an outcome as one text.
// Does not:  fit a text to a width or make it safe to print (plain-text.ts).

import type { CallResult, Outcome } from "../index.js";
import { jsonLine } from "./json-line.js";
import { counted, oneLine, shortLine } from "./plain-text.js";

const SHORTEST_CHARS = 20;

/** One line a call, cut to the width. */
export function answerLines(results: readonly CallResult[], columns: number): string[] {
	const nameChars = Math.max(0, ...results.map(({ name }) => oneLine(name).length));
	return results.map(({ index, name, outcome, replayOf }) => {
		const repeated = replayOf === undefined ? "" : `(as call ${replayOf}) `;
		const start = `${String(index).padStart(3)}  ${oneLine(name).padEnd(nameChars)}  ${repeated}`;
		return start + shortLine(answerText(outcome), Math.max(SHORTEST_CHARS, columns - start.length));
	});
}

/** An outcome as one text: the value, or the error's code and message. */
export function answerText(outcome: Outcome): string {
	if (!outcome.ok) return `${outcome.error.code}: ${outcome.error.message}`;
	if (outcome.value === undefined) return "no value";
	if (outcome.value instanceof Uint8Array) return `binary, ${counted(outcome.value.length, "byte")}`;
	return typeof outcome.value === "string" ? outcome.value : jsonLine(outcome.value);
}
