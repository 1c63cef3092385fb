// Crash kit
//
// A ledger as a crash leaves it: its first records, intents counted too, and what another process makes of it.
//
// Owns:      those helpers.
// Does not:  assert anything.

import type {
	EngineOptions,
	Entry,
	EntryDraft,
	Intent,
	Ledger,
	ResumeOptions,
	WaveCheckpoint,
	WaveResult,
} from "../../engine/index.js";
import { memoryLedger, recover } from "../../engine/index.js";
import { type Bench, benchOf, canonicalOf } from "./law-kit.js";
import { lasting, reloaded } from "./pause-kit.js";

export async function recordsOf(ledger: Ledger): Promise<(Entry | Intent)[]> {
	const records: (Entry | Intent)[] = [];
	for await (const record of ledger.records()) records.push(record);
	return records;
}

/** Each record as its kind and its index. */
export async function sketchOf(ledger: Ledger): Promise<string[]> {
	return (await recordsOf(ledger)).map(({ kind, data }) =>
		data.index === undefined ? kind : `${kind} ${String(data.index)}`,
	);
}

/** The canonical lines; those of a pause have none. */
export async function linesIn(ledger: Ledger): Promise<string[]> {
	return (await canonicalOf(ledger)).filter((line) => line !== "");
}

/** The records up to the first that reads so, and without it. */
export async function cutBefore(ledger: Ledger, sketch: string): Promise<Ledger> {
	const place = (await sketchOf(ledger)).indexOf(sketch);
	if (place < 0) throw new Error(`no record is ${sketch}`);
	return cutAt(ledger, place);
}

/** The first records. */
export async function cutAt(ledger: Ledger, count: number): Promise<Ledger> {
	const left = memoryLedger();
	left.append((await recordsOf(ledger)).slice(0, count).map(draftOf));
	return left;
}

function draftOf(record: Entry | Intent): EntryDraft | Intent {
	if (record.kind === "intent") return record;
	const { seq: _seq, ...draft } = record;
	return draft;
}

/** The checkpoint of a run whose waves its host ran by itself. */
export async function recoveredWave(pathOrLedger: string | Ledger, runId: string): Promise<WaveCheckpoint> {
	const checkpoint = await recover(pathOrLedger, runId);
	if (checkpoint.kind !== "wave") throw new Error(`the checkpoint is of kind ${checkpoint.kind}`);
	return checkpoint;
}

export interface Recovered extends Bench {
	readonly wave: WaveResult;
}

/** Recovers the run `r` and goes on with it in an engine of its own, through text, as another process would. */
export async function recovered(
	ledger: Ledger,
	options: Partial<EngineOptions> = {},
	resume: ResumeOptions = {},
): Promise<Recovered> {
	const bench = benchOf({ ...options, ledger: lasting(ledger) });
	const checkpoint = reloaded(await recoveredWave(ledger, "r"));
	return { ...bench, ledger, wave: await bench.engine.resume(checkpoint, resume) };
}
