// Wave table
//
// What a wave did, call by call, and what waiting it saved: printed once it is over.
//
// Owns:      the table's columns and the sums below it.
// Does not:  print answers (answers.ts).

import CliTable from "cli-table3";
import type { AheadMeasure, CallResult, Timeline, WaveResult } from "../index.js";
import { counted, duration, oneLine } from "./plain-text.js";

const NONE = "-";

const PLAIN = { style: { head: [], border: [], compact: true } };

const RIGHT = "right" as const;

/** One row a call, in call order. */
export function waveTable(results: readonly CallResult[], timeline: Timeline): string {
	const lanes = new Map(timeline.lanes.map((lane) => [lane.index, lane]));
	const table = new CliTable({
		head: ["#", "call", "effect", "ahead", "waited", "ran", "hidden"],
		colAligns: [RIGHT, "left", "left", "left", RIGHT, RIGHT, RIGHT],
		...PLAIN,
	});
	for (const { index, name, timing, hiddenMs } of results) {
		const lane = lanes.get(index);
		const ahead = lane?.spans.some(({ phase }) => phase === "ahead") === true;
		const waitedMs = timing.gateMs + timing.lockMs + timing.slotMs + timing.personMs;
		table.push([
			index,
			oneLine(name),
			lane?.effect ?? NONE,
			ahead ? "ahead" : NONE,
			duration(waitedMs),
			duration(timing.ranMs),
			ahead ? duration(hiddenMs) : NONE,
		]);
	}
	return table.toString();
}

/** What was waited for, beside what a serial run of the same calls would have waited. */
export interface Waits {
	/** From the end of the reply to the last answer. */
	readonly waitedMs: number;
	/** What all calls ran, added up: a serial run waits for each in turn, and starts none before the reply ends. */
	readonly serialMs: number;
	/** How much of that lay before the end of the reply. */
	readonly hiddenMs: number;
}

export function waitsOf(wave: WaveResult, waitedMs: number): Waits {
	const hiddenMs = wave.results.reduce((sum, one) => sum + one.hiddenMs, 0);
	return { waitedMs, serialMs: wave.timing.ranMs, hiddenMs };
}

export function waitLines({ waitedMs, serialMs, hiddenMs }: Waits, calls: number): string[] {
	return [
		`Waited ${duration(waitedMs)} from the end of the reply to the last of ${counted(calls, "answer")}.`,
		`One after another, from the end of the reply: ${duration(serialMs)} (what each call ran here, added up).`,
		`Hidden under the reply: ${duration(hiddenMs)}.`,
	];
}

/** What starting early was worth to the step. */
export function aheadLines(ahead: AheadMeasure | undefined): string[] {
	if (ahead === undefined) return [];
	const { started, used, leadMs, discarded, waitedMs, boundMs } = ahead;
	const lines = [
		// Handed over, not begun: a call that was still waiting for a thread at the end of the reply is among them.
		`Handed over early: ${counted(started, "call")}, ${used} used, the first ${duration(leadMs)} before the end.`,
	];
	for (const { reason, calls, ranMs } of discarded) {
		lines.push(`Thrown away (${reason}): ${counted(calls, "early start")} that had run ${duration(ranMs)}.`);
	}
	if (waitedMs !== undefined && boundMs !== undefined) {
		const overMs = Math.max(0, waitedMs - boundMs);
		lines.push(`The least that could have been waited: ${duration(boundMs)}; this was ${duration(overMs)} more.`);
	}
	return lines;
}
