// Run list
//
// `wavetrain ledger FILE --runs`: a line a run, so that whoever starts up after a crash sees which to go on with. The run's id
// comes last and is never cut: it is what `recover` is given.
//
// Owns:      the look of a run's line.
// Does not:  work out how a run stands (the engine's `listRuns` does).

import { type ListedRun, listRuns } from "../index.js";
import { EXIT_CODES } from "./command-error.js";
import type { CommandHost } from "./command-host.js";
import { jsonLine } from "./json-line.js";
import { counted, oneLine } from "./plain-text.js";

/** Prints the runs of the ledger; the result is the exit code. */
export async function printRuns(
	{ file, json }: { readonly file: string; readonly json?: boolean | undefined },
	path: string,
	{ out, errors, signal }: CommandHost,
): Promise<number> {
	const runs = await listRuns(path);
	if (runs.length === 0 && !json) out.line(`${oneLine(file)} holds no run.`);
	let exitCode: number = EXIT_CODES.done;
	for (const run of runs) {
		if (out.closed || signal.aborted) break;
		await out.lineAtPace(json ? jsonLine(plain(run)) : runLine(run));
		if (run.standing !== "damaged") continue;
		exitCode = EXIT_CODES.failed;
		errors.line(`wavetrain: ${oneLine(run.error.message)}`);
	}
	return signal.aborted ? EXIT_CODES.interrupted : exitCode;
}

/** An error's message is no field that JSON would take. */
function plain(run: ListedRun): object {
	if (run.standing !== "damaged") return run;
	const { code, message, recovery } = run.error;
	return { ...run, error: { code, message, recovery } };
}

/** `2026-03-01T10:00:00.000Z  2026-03-01T10:00:07.250Z    3 steps  paused: 2 questions  bill` */
function runLine(run: ListedRun): string {
	const id = oneLine(run.runId ?? "(no line of it is whole)");
	if (run.standing === "damaged") return [UNKNOWN_STAMP, UNKNOWN_STAMP, "".padStart(9), cell("damaged"), id].join("  ");
	const { kind, firstAt, lastAt, steps } = run;
	const done = counted(steps, kind === "run" ? "step" : "wave").padStart(9);
	return [stamp(firstAt), stamp(lastAt), done, cell(standingText(run)), id].join("  ");
}

function standingText(run: Exclude<ListedRun, { readonly standing: "damaged" }>): string {
	if (run.standing === "finished") return `finished: ${run.status}`;
	if (run.standing === "paused") return `paused: ${counted(run.questions, "question")}`;
	return run.standing;
}

const UNKNOWN_STAMP = "-".padEnd(24);

const cell = (text: string): string => text.padEnd(20);

/** In universal time, because ledgers travel; a stamp of a clock that tells no date is shown as it is. */
function stamp(at: number): string {
	const date = new Date(at);
	return (Number.isNaN(date.getTime()) ? String(at) : date.toISOString()).padEnd(24);
}
