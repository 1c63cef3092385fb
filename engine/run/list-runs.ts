// List runs
//
// Which runs a ledger holds and how each of them stands, so that a host that starts up after a crash knows which to go on
// with. One pass over the lines; what is kept of a run does not grow with them.
//
// Owns:      the list, and what becomes of a file that does not read back.
// Does not:  say how a run stands (run-standing.ts), or find files (ledger/records-by-file.ts).
//
// Invariants:
//   LS1. Listed are the runs that `recover` finds, each once, and no others.

import { type EngineError, isEngineError } from "../core/errors.js";
import type { Ledger } from "../ledger/ledger.js";
import { damagedError } from "../ledger/ledger-error.js";
import { type FileOfRecords, recordsByFile } from "../ledger/records-by-file.js";
import { isFileOf } from "../ledger/run-folder.js";
import type { RunResult } from "./run-result.js";
import { RunStanding } from "./run-standing.js";

/**
 * What a ledger says of a run, whatever became of it.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface ListedRunFacts {
	/** The run. */
	readonly runId: string;
	/** The kind of checkpoint that `recover` makes of it: `'wave'` where a host runs its waves by itself. */
	readonly kind: "run" | "wave";
	/** The stamp of its first line, in milliseconds since 1970. */
	readonly firstAt: number;
	/** The latest stamp of its lines, in milliseconds since 1970. A call's two lines have the stamp of its admission. */
	readonly lastAt: number;
	/** How often the model was asked, as in a run's result; where a host runs its waves by itself, how many there are. */
	readonly steps: number;
}

/**
 * A run of a ledger, and how it stands there.
 *
 * `'finished'`: it has ended, with `status`. `'paused'`: `questions` of it wait for an answer; `recover` gives them.
 * `'unfinished'`: it was cut off, or it goes on right now, which no ledger tells apart: `recover` and `engine.resume` go on
 * with it. `'answered'`: of waves that a host runs by itself every call of the last one has its answer, and whether the
 * host wanted another wave nobody has written down. `'damaged'`: in a folder that is rotated by run its file does not read
 * back as it was written, and `error` says where; `runId` is left out where not one line of it is whole.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type ListedRun =
	| (ListedRunFacts &
			(
				| {
						readonly standing: "finished";
						/** How it ended, as in its result. */
						readonly status: Exclude<RunResult["status"], "paused">;
				  }
				| { readonly standing: "answered" }
				| {
						readonly standing: "paused";
						/** How many wait for an answer; at least 1. */
						readonly questions: number;
				  }
				| { readonly standing: "unfinished" }
			))
	| {
			readonly standing: "damaged";
			/** Left out where not one line of its file is whole. */
			readonly runId?: string;
			/** `LEDGER_DAMAGED`, naming the file and the line. */
			readonly error: EngineError;
	  };

/**
 * The runs of a ledger and how each of them stands, in the order in which they began. Call it at start-up, before new runs
 * begin, and go on with what is `'unfinished'`:
 * `for (const run of await listRuns(ledger)) if (run.standing === "unfinished") await recover(ledger, run.runId)`.
 *
 * Reads the whole ledger once and changes nothing; the memory that it takes grows with the number of runs and not with
 * their lines. Of lines that are no run's beginning, such as a steer of a run that the ledger does not hold, nothing is
 * listed.
 *
 * @param pathOrLedger - The path of a file or SQLite ledger, or of the folder of one that is rotated by run, which is only
 * read; or an open ledger, whose entries held so far are included.
 * @throws EngineError `LEDGER_DAMAGED` naming the line, but for a folder, where it is told of the run alone; `LEDGER_FAILED`
 * when there is no such file or it may not be read.
 * @remarks Since 0.1.0.
 * @public
 */
export async function listRuns(pathOrLedger: string | Ledger): Promise<readonly ListedRun[]> {
	const listed: { readonly run: ListedRun; readonly firstAt: number }[] = [];
	for await (const file of recordsByFile(pathOrLedger)) {
		const standings = new Map<string, RunStanding>();
		const error = await read(file, standings);
		const runs = [...standings.values()];
		if (error === undefined) {
			// LS1: of a run whose beginning the ledger lacks there is nothing to go on from.
			for (const run of runs) if (run.hasBegun) listed.push({ run: listedRun(run), firstAt: run.firstAt });
		} else {
			const [run] = runs;
			const id = run === undefined ? {} : { runId: run.runId };
			listed.push({ run: { standing: "damaged", ...id, error }, firstAt: run?.firstAt ?? Number.POSITIVE_INFINITY });
		}
		if (file.path === undefined) return listed.map(({ run }) => run);
	}
	// A run without one whole line is the last.
	return listed
		.sort((one, other) => (one.firstAt < other.firstAt ? -1 : Number(one.firstAt > other.firstAt)))
		.map(({ run }) => run);
}

/** Reads a file to its end, or to where it is damaged: the error then, unless the file is all that there is. */
async function read(
	{ path, batches }: FileOfRecords,
	standings: Map<string, RunStanding>,
): Promise<EngineError | undefined> {
	let line = 1;
	try {
		for await (const batch of batches) {
			for (const record of batch) {
				line += 1;
				const known = standings.get(record.runId);
				if (known === undefined && path !== undefined && !isFileOf(path, record.runId)) {
					const reason = `it is of the run ${JSON.stringify(record.runId)}, whose file is another`;
					throw damagedError(path, { line, reason });
				}
				const standing = known ?? new RunStanding(record);
				if (known === undefined) standings.set(record.runId, standing);
				standing.add(record);
			}
		}
		return undefined;
	} catch (error) {
		if (path === undefined || !isEngineError(error) || error.code !== "LEDGER_DAMAGED") throw error;
		return error;
	}
}

function listedRun(run: RunStanding): ListedRun {
	const { runId, kind, firstAt, lastAt, steps, standing } = run;
	return { runId, kind, firstAt, lastAt, steps, ...standing };
}
