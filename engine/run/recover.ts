// Recover
//
// From a run's history to the checkpoint that it goes on from, after a crash at any byte of it. What was answered stands;
// a read without an answer runs again; a call that had begun to act and has no answer may have done all of it, part of it or
// nothing, and is never repeated unless its tool had said that it may be. A run that had paused is paused.
//
// Reading changes nothing, so a recovery may be tried as often as one likes; it is resumed once.
//
// Owns:      what becomes of each call of the wave that was cut off.
// Does not:  read lines (ledger/run-history.ts), find the place of the loop around the wave (recover-run.ts), or run anything
//            (resume.ts).
//
// Invariants:
//   RV1. A call with an open intent that is not idempotent, its own or that of a call it made, does not run again.
//   RV2. A call whose arguments the ledger does not hold whole does not run again.

import { type CallRecord, type LineRecord, NO_TIMING, outcomeRecord } from "../core/call-record.js";
import { argumentsLost, crashed, incompleteReply, readCut } from "../core/cut-short.js";
import { type Effect, isRead } from "../core/effect.js";
import { EngineError } from "../core/errors.js";
import type { JsonObject } from "../core/json-value.js";
import type { Outcome } from "../core/outcome.js";
import { toolResult } from "../ledger/call-entries.js";
import {
	type CheckpointContent,
	type RunCheckpoint,
	sealCheckpoint,
	type WaveCheckpoint,
} from "../ledger/checkpoint.js";
import type { Ledger } from "../ledger/ledger.js";
import { noLedger } from "../ledger/no-ledger.js";
import { readRun } from "../ledger/read-ledger.js";
import { RunHistory } from "../ledger/run-history.js";
import type { AskedCall, WaveHistory } from "../ledger/wave-history.js";
import type { WaveLines } from "../ledger/wave-lines.js";
import { openIn } from "../wave/pause-wave.js";
import { madeInLines, recordWithMade } from "./made-in-lines.js";
import { Recollection } from "./recollection.js";
import { recoverRun, waveIn } from "./recover-run.js";

/**
 * Makes the checkpoint that a run goes on from, out of what its ledger holds: after a crash, or wherever a checkpoint was
 * lost. Of a run that `engine.run` made it is of kind `'run'`, and `engine.resume` goes on with it to its end; of waves that
 * a host runs by itself it is of kind `'wave'`, and `engine.resume` goes on with the last of them. The calls of the wave
 *
 * - that were answered have their outcome and do not run;
 * - that only read, or had not begun, run;
 * - that may have changed something and have no answer are `OUTCOME_UNKNOWN`, `details.reason` `'CRASHED'`, or run again
 *   with the same idempotency key where the tool was declared `idempotent` and still is. What ends such a call otherwise
 *   (a refusal, an abort, a tool that is gone) leaves it `OUTCOME_UNKNOWN`, because it had begun.
 *
 * A model whose reply the ledger does not hold is asked again. A run that had paused is paused: the checkpoint lists its
 * questions. One that had ended is resumed to its result, and nothing is done or written. The checkpoint says nothing of how
 * calls were run and how often the model may be asked: unless the resume does, the engine's options and the defaults decide.
 * Resume it in an engine whose policies have not seen the run: they are told of every call that was accounted, once.
 *
 * @param pathOrLedger - The path of a file or SQLite ledger, or of the folder of one that is rotated by run, which is only
 * read; or an open ledger.
 * @param runId - The run, as it was begun or as `listRuns` names it.
 * @throws EngineError `RUN_NOT_FOUND` when the ledger holds nothing of the run; `LEDGER_DAMAGED`; `LEDGER_FAILED` when there
 * is no such file or it may not be read.
 * @remarks Since 0.1.0.
 * @public
 */
export async function recover(pathOrLedger: string | Ledger, runId: string): Promise<WaveCheckpoint | RunCheckpoint> {
	const keptOf = (wave: WaveLines): Earlier => ({
		text: wave.text(),
		rules: wave.hasAsked ? rulesIn(wave.read(), runId) : [],
	});
	const history = new RunHistory(runId, keptOf);
	for await (const batch of readRun(pathOrLedger, runId)) for (const record of batch) history.add(record);
	const { loop, last, earlier } = history;
	// The values stay in the checkpoint: whoever reads a ledger does not write beside it. The content is plain data already,
	// all of it read from lines, and a copy of it would take as long as the reading.
	if (loop === undefined) return sealWave(lastOf(history), { runId, earlier });
	const current = waveIn(loop);
	const wave = current && (await sealWave(current, { runId, earlier, ofRun: true }));
	const all = last === undefined ? earlier : [...earlier, keptOf(last)];
	const ended = current === undefined ? all : earlier;
	const { step, content } = recoverRun(loop, { wave, earlier: ended.map(({ text }) => text), rules: rulesOf(all) });
	const head = { kind: "run" as const, runId, step, questions: wave?.questions ?? [] };
	return sealCheckpoint(head, content as unknown as JsonObject, noLedger);
}

/** What a recovery needs of a wave that another one follows. */
interface Earlier {
	readonly text: string;
	/** What a person has approved in it for the rest of the run. */
	readonly rules: readonly string[];
}

function lastOf({ runId, last }: RunHistory<Earlier>): WaveHistory {
	if (last !== undefined) return last.read();
	const problem = `the ledger holds nothing of a run ${JSON.stringify(runId)}`;
	throw new EngineError("RUN_NOT_FOUND", { action: "recover the run", problem });
}

interface InRun {
	readonly runId: string;
	readonly earlier: readonly Earlier[];
	/** The loop around it knows of the waves before it, and whether the host wants more. */
	readonly ofRun?: boolean;
}

function sealWave(wave: WaveHistory, about: InRun): Promise<WaveCheckpoint> {
	const { step } = wave;
	const { runId } = about;
	const content = contentOf(wave, about);
	const open = openIn({ calls: content.records }, { runId, step });
	const questions = open.map(({ id, index, question }) => ({ id, index, question }));
	return sealCheckpoint({ kind: "wave", runId, step, questions }, content as unknown as JsonObject, noLedger);
}

function contentOf(wave: WaveHistory, { runId, earlier, ofRun = false }: InRun): CheckpointContent {
	const { calls, answered, tail, cancelled, cut } = wave;
	const paused = wave.paused as Partial<CheckpointContent> | undefined;
	const recollection = new Recollection(wave, { runId, paused });
	const { onError, steers = [], spentMs = 0, policyNames = [] } = paused ?? {};
	return {
		calls: calls.map(({ id, name, args }) => ({ id, name, args })),
		...(onError && { onError }),
		...(cut && { cut }),
		records: calls.map((call, index) => recordOf(call, { index, wave, recollection })),
		// Each is a beginning of all that the host said, in the order it said it: what is told is written at accounting.
		steers: steers.length > wave.steers.length ? steers : wave.steers,
		cancelled: !ofRun && (cancelled || paused?.cancelled === true),
		spentMs,
		// Whoever saw a wave pause knows it up to there and no further.
		policyNames: wave.resumed ? [] : policyNames,
		rules: rulesOf([...earlier, { rules: rulesIn(wave, runId) }]),
		...(tail.length > 0 && answered.length < calls.length && { tail: { index: answered.length, lines: tail } }),
		...(!ofRun && earlier.length > 0 && { earlier: earlier.map(({ text }) => text) }),
	};
}

function rulesOf(waves: readonly Pick<Earlier, "rules">[]): readonly string[] {
	return [...new Set(waves.flatMap(({ rules }) => rules))];
}

function rulesIn(wave: WaveHistory, runId: string): readonly string[] {
	if (wave.asked.size === 0 && wave.paused === undefined) return [];
	const paused = wave.paused as Partial<CheckpointContent> | undefined;
	return new Recollection(wave, { runId, paused }).rules;
}

interface Standing {
	readonly index: number;
	readonly wave: WaveHistory;
	readonly recollection: Recollection;
}

function recordOf(call: AskedCall, { index, wave, recollection }: Standing): CallRecord {
	const answered = wave.answered[index];
	const base = recollection.recordOf(index);
	if (answered !== undefined) return base?.kind === "accounted" ? base : recordWithMade(answered, base);
	// A ticket is for the arguments that were admitted, and the ones here are others: whether policies clear them is asked.
	if (base?.kind === "settled") return call.altered ? withoutTicket(base) : base;
	const before = base !== undefined && "before" in base ? base.before : heardBefore(wave, index);
	const end = endOf(call, { index, wave, base });
	if (end !== undefined) return ended(end, { before, lines: index === wave.answered.length ? madeBy(wave) : [] });
	const at = wave.intents.find(({ path }) => path[0] === index)?.at;
	const begun = at === undefined ? {} : { begun: at };
	if (base !== undefined && base.kind !== "planned") return { ...base, ...begun };
	return { timing: NO_TIMING, ahead: false, ...base, kind: "planned", ...(before && { before }), ...begun };
}

function withoutTicket({ ticket: _ticket, ...settled }: CallRecord & { readonly kind: "settled" }): CallRecord {
	return settled;
}

/** What the host had said before the call, as far as the ledger tells: of one call it may hold that and no more. */
function heardBefore({ answered, heard }: WaveHistory, index: number): WaveHistory["heard"] {
	return index === answered.length ? heard : undefined;
}

/** How a call ends that runs no more, and when it was admitted. */
interface End {
	readonly outcome: Outcome;
	readonly at: number;
	/** Its policies are told of it, if they clear it. */
	readonly tells: boolean;
}

function endOf(
	{ name, altered = false }: AskedCall,
	{ index, wave, base }: { readonly index: number; readonly wave: WaveHistory; readonly base: CallRecord | undefined },
): End | undefined {
	const { at, cut } = wave;
	if (cut !== undefined) return { outcome: incompleteReply(cut), at, tells: false };
	const intents = wave.intents.filter(({ path }) => path[0] === index);
	const [begun] = intents;
	// RV1: an idempotent call runs again with all that it made, so all of that must allow it.
	const mayRepeat = intents.every(({ idempotent }) => idempotent) && !altered;
	if (begun !== undefined && !mayRepeat) return { outcome: crashed(name), at: begun.at, tells: true };
	// RV2: one that a policy had answered does not run either way.
	if (altered && base?.kind !== "answered") return { outcome: argumentsLost(name), at, tells: false };
	return undefined;
}

/** The lines of the calls that the call had made, as far as the ledger holds them, each with an end. */
function madeBy({ tail, cutOff }: WaveHistory): readonly LineRecord[] {
	const begun = tail.findIndex(({ kind }) => kind === "tool_called");
	if (begun < 0) return [];
	const ends = cutOff.map(({ path, entry: { runId, at, data } }) => {
		const { id, name, effect } = data as { readonly id: string; readonly name: string; readonly effect?: Effect };
		const outcome = effect !== undefined && isRead(effect) ? readCut(name) : crashed(name);
		return toolResult({ runId, at }, { path, id, outcome, replayOf: undefined });
	});
	return [...tail.slice(begun + 1), ...ends];
}

interface Around {
	readonly before: readonly LineRecord[] | undefined;
	readonly lines: readonly LineRecord[];
}

function ended({ outcome, at, tells }: End, { before, lines }: Around): CallRecord {
	const made = madeInLines(lines, 2);
	return {
		kind: "settled",
		how: "own",
		outcome: outcomeRecord(outcome),
		...(!tells && { ticket: false }),
		lines,
		...(made.length > 0 && { made }),
		at,
		...(before && { before }),
		timing: NO_TIMING,
		ahead: false,
	};
}
