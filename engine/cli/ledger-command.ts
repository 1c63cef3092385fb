// Ledger command
//
// `wavetrain ledger FILE`: prints the history of a ledger, for people or as JSON, lists its runs, or checks that it reads
// back as it was written. FILE may be the folder of a ledger that is rotated by run.
//
// Owns:      the look of an entry and the verdict of a check.
// Does not:  read the file's format (the engine's ledger does), or know the look of a run (run-list.ts).

import { readdir, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { type Entry, type LedgerCheck, readLedger, verifyLedger } from "../index.js";
import { CommandError, EXIT_CODES } from "./command-error.js";
import type { CommandHost } from "./command-host.js";
import { jsonLine } from "./json-line.js";
import { counted, oneLine, shortLine } from "./plain-text.js";
import { requireFile } from "./recording.js";
import { printRuns } from "./run-list.js";

export interface LedgerOptions {
	readonly file: string;
	readonly json?: boolean | undefined;
	readonly verify?: boolean | undefined;
	readonly runs?: boolean | undefined;
}

/** Runs the command; the result is its exit code. */
export async function ledgerCommand(options: LedgerOptions, host: CommandHost): Promise<number> {
	const path = resolve(host.folder, options.file);
	// Opening a ledger that does not exist would make an empty one, and call it whole.
	await requireLedger(options.file, path);
	if (options.runs) return await printRuns(options, path, host);
	return options.verify ? await verify(options, path, host) : await print(options, path, host);
}

/** A file, or the folder of a ledger that is rotated by run. */
async function requireLedger(name: string, path: string): Promise<void> {
	const found = await stat(path).catch(() => undefined);
	if (!found?.isDirectory()) {
		await requireFile(name, path);
		return;
	}
	const names = await readdir(path);
	if (names.some((one) => one.endsWith(".jsonl"))) return;
	throw new CommandError(`The folder ${JSON.stringify(name)} holds no ledger.`);
}

async function verify({ file, json }: LedgerOptions, path: string, { out, errors }: CommandHost): Promise<number> {
	const verdict = await verifyLedger(path);
	if (json) out.line(jsonLine(verdict));
	else if (verdict.ok)
		out.line(`${oneLine(file)} is whole: ${counted(verdict.entries, "entry", "entries")}.${tail(verdict)}`);
	if (verdict.problem !== undefined) {
		const { line, reason } = verdict.problem;
		// Not every file that does not read was damaged: one that never was a ledger is none, and the reason says so.
		errors.line(`wavetrain: ${JSON.stringify(file)} is not whole, at line ${line}: ${oneLine(reason)}`);
	}
	return verdict.ok ? EXIT_CODES.done : EXIT_CODES.failed;
}

/** What a crash cut short is no damage, but whoever looks for a lost line should read of it. */
function tail({ torn }: LedgerCheck): string {
	if (torn === undefined) return "";
	return ` Line ${torn.line} was cut short by a crash (${counted(torn.bytes, "byte")}); the next writer removes it.`;
}

async function print({ json }: LedgerOptions, path: string, { out, signal }: CommandHost): Promise<number> {
	let runId: string | undefined;
	for await (const entry of readLedger(path)) {
		if (out.closed || signal.aborted) break;
		// `recover` asks for the id, and one file may hold many runs; in a folder each run's entries are numbered from 0.
		if (!json && entry.runId !== runId) await out.lineAtPace(`run ${oneLine(entry.runId)}`);
		({ runId } = entry);
		await out.lineAtPace(json ? jsonLine(entry) : entryLine(entry, out.columns));
	}
	return signal.aborted ? EXIT_CODES.interrupted : EXIT_CODES.done;
}

/** `   12  tool_called      3 search {"pattern":"x"}`: number, kind, and what matters of the data. */
function entryLine({ seq, kind, data }: Entry, columns: number): string {
	const start = `${String(seq).padStart(6)}  ${kind.padEnd(15)} `;
	return start + shortLine(dataText(kind, data), Math.max(20, columns - start.length));
}

function dataText(kind: Entry["kind"], data: Entry["data"]): string {
	const { index, name, args, effect, outcome, replayOf } = data;
	switch (kind) {
		case "tool_called": {
			const shownEffect = effect === undefined ? "" : ` [${typeof effect === "string" ? effect : jsonLine(effect)}]`;
			return `${String(index)} ${String(name)}${shownEffect} ${typeof args === "string" ? args : jsonLine(args)}`;
		}
		case "tool_result":
			return `${String(index)} ${replayOf === undefined ? "" : `(as call ${String(replayOf)}) `}${outcomeText(outcome)}`;
		default:
			return jsonLine(data);
	}
}

function outcomeText(outcome: unknown): string {
	// A host may append whatever it likes as an outcome.
	if (typeof outcome !== "object" || outcome === null) return outcome === undefined ? "no outcome" : jsonLine(outcome);
	const { ok, value, error } = outcome as {
		ok?: unknown;
		value?: unknown;
		error?: { code?: unknown; message?: unknown };
	};
	if (ok !== true) return `${String(error?.code ?? "error")}: ${String(error?.message ?? "")}`;
	return value === undefined ? "no value" : jsonLine(value);
}
