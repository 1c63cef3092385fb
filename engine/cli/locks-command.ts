// Locks command
//
// `wavetrain locks FILE`: the picture of a trace that `--trace` wrote: for each key who held it, from when to when, and
// who waited for whom.
//
// Owns:      the picture's look.
// Does not:  work out the history (report/key-history.ts).

import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { type EngineEvent, type KeyHistory, type KeyHold, keyHistoryOf, readTrace } from "../index.js";
import { EXIT_CODES } from "./command-error.js";
import type { CommandHost } from "./command-host.js";
import { jsonLine } from "./json-line.js";
import { counted, oneLine } from "./plain-text.js";
import { requireFile } from "./recording.js";

export interface LocksOptions {
	readonly file: string;
	readonly json?: boolean | undefined;
}

/** Runs the command; the result is its exit code. */
export async function locksCommand({ file, json }: LocksOptions, host: CommandHost): Promise<number> {
	const path = resolve(host.folder, file);
	await requireFile(file, path);
	const events: EngineEvent[] = [];
	const lines = createInterface({ input: createReadStream(path, "utf8"), crlfDelay: Number.POSITIVE_INFINITY });
	for await (const event of readTrace(lines)) events.push(event);
	const fromMs = events[0]?.atMs ?? 0;
	const histories = keyHistoryOf(events);
	if (json) for (const history of histories) host.out.line(jsonLine(history));
	else if (histories.length === 0) host.out.line(`No call of ${oneLine(file)} held or waited for a key.`);
	else for (const history of histories) printHistory(history, fromMs, host);
	return EXIT_CODES.done;
}

function printHistory({ key, holds, waiting }: KeyHistory, fromMs: number, { out }: CommandHost): void {
	out.line(`${oneLine(key)}  (${counted(holds.length, "hold", "holds")})`);
	for (const hold of holds) out.line(`  ${holdLine(hold, fromMs)}`);
	for (const { call, fromMs: sinceMs, waitedFor } of waiting) {
		out.line(`  ${time(sinceMs, fromMs)} –         ${callName(call)}  still waits for ${oneLine(waitedFor)}`);
	}
}

function holdLine(hold: KeyHold, fromMs: number): string {
	const { call, exclusive, waitedFromMs, waitedFor, heldFromMs, heldToMs } = hold;
	const until = heldToMs === undefined ? "        " : time(heldToMs, fromMs);
	const how = exclusive ? "held" : "shared";
	const waitedMs = waitedFromMs === undefined ? 0 : heldFromMs - waitedFromMs;
	const behind = waitedFor === undefined ? "" : ` for ${oneLine(waitedFor)}`;
	const wait = waitedFromMs === undefined ? "" : `, after waiting ${(waitedMs / 1_000).toFixed(2)} s${behind}`;
	const open = heldToMs === undefined ? ", and not let go" : "";
	return `${time(heldFromMs, fromMs)} – ${until}  ${callName(call)}  ${how}${wait}${open}`;
}

function callName({ index, name, path }: KeyHold["call"]): string {
	return `call ${(path ?? [index]).join(".")} ${oneLine(name)}`;
}

function time(atMs: number, fromMs: number): string {
	return `${((atMs - fromMs) / 1_000).toFixed(2)} s`.padStart(8);
}
