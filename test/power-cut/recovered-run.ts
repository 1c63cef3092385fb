// Recovered run
//
// One random wave on a simulated disk, by processes that die one after another: each recovers the run from what the one
// before it left, goes on, and is cut off at a step of its own; the last comes to the end. A process that died does nothing
// any more, so what its tools do after the cut does not count.
//
// Owns:      the lives of such a run, and what was done in all of them.
// Does not:  say what must hold (recovered-run.test.ts).

import type { JsonValue } from "../../engine/core/json-value.js";
import {
	type AskedQuestion,
	canonical,
	createEngine,
	type Entry,
	type Ledger,
	type WaveResult,
} from "../../engine/index.js";
import { FileStore } from "../../engine/ledger/file-ledger.js";
import { StoredLedger } from "../../engine/ledger/stored-ledger.js";
import { recoveredWave } from "../support/crash-kit.js";
import { ManualClock } from "../support/manual-clock.js";
import { answerTo, askingTools, countingPolicies, type PauseCase } from "../support/pause-case.js";
import type { Fate, Pick, SimulatedDisk } from "./simulated-disk.js";

const RUN = "run";

export interface Life {
	/** What the wave came to; nothing where the life ended before it. */
	readonly result: WaveResult | undefined;
	/** What was done in it, in order. */
	readonly acted: readonly string[];
	/** The lines that its ledger promised: those that stood when a barrier resolved. */
	readonly promised: readonly string[];
}

function say(wave: PauseCase, { question }: AskedQuestion): JsonValue {
	const { kind, args, question: n, time } = question as { [key: string]: JsonValue };
	if (kind === "approval") return wave.approved[(args as { n: number }).n] === true;
	return answerTo(n as number, time as number);
}

function ledgerOn(disk: SimulatedDisk, path: string): Ledger {
	return new StoredLedger(new FileStore(path, disk.files));
}

/** Goes on with the run from what the disk holds, or begins it, up to the end or the cut. */
export async function live(wave: PauseCase, disk: SimulatedDisk, path: string): Promise<Life> {
	const acted: string[] = [];
	const ledger = ledgerOn(disk, path);
	let promised: readonly string[] = [];
	const watched: Ledger = {
		append: (records) => ledger.append(records),
		async barrier() {
			const lines = await linesOf(ledger).catch(() => promised);
			await ledger.barrier();
			promised = lines;
		},
		entries: () => ledger.entries(),
		intents: () => ledger.intents(),
		records: () => ledger.records(),
		close: () => ledger.close(),
	};
	const { schedule, maxParallelToolCalls, stopOnError } = wave;
	const engine = createEngine({
		tools: askingTools((what) => void (disk.isCut || acted.push(what))),
		policies: countingPolicies(wave),
		ledger: watched,
		clock: new ManualClock(),
		schedule,
		maxParallelToolCalls,
		asker: (question) => say(wave, question),
		...(stopOnError && { onError: "stop" }),
	});
	const stillGoing = (index: number) => wave.going[index] ?? "go";
	try {
		const checkpoint = await recoveredWave(ledger, RUN).catch((error: { code?: string }) => {
			if (error.code === "RUN_NOT_FOUND") return undefined;
			throw error;
		});
		const result =
			checkpoint === undefined
				? await engine.executeWave(wave.calls, { runId: RUN, stillGoing })
				: await engine.resume(checkpoint, { stillGoing });
		return { result, acted, promised };
	} catch (error) {
		if (!disk.isCut) throw error;
		return { result: undefined, acted, promised };
	} finally {
		await engine.close();
	}
}

export async function entriesOn(disk: SimulatedDisk, path: string): Promise<Entry[]> {
	const entries: Entry[] = [];
	for await (const entry of ledgerOn(disk, path).entries()) entries.push(entry);
	return entries;
}

async function linesOf(ledger: Ledger): Promise<string[]> {
	const entries: Entry[] = [];
	for await (const entry of ledger.entries()) entries.push(entry);
	return canonicalLines(entries);
}

/** The canonical lines of entries; those of a pause have none. */
export function canonicalLines(entries: readonly Entry[]): string[] {
	return entries.map(canonical).filter((line) => line !== "");
}

export interface UncutRun {
	readonly result: WaveResult;
	readonly entries: readonly Entry[];
	/** How many steps the disk took. */
	readonly steps: number;
}

export async function liveUncut(wave: PauseCase, disk: SimulatedDisk, path: string): Promise<UncutRun> {
	const { result } = await live(wave, disk, path);
	if (result === undefined) throw new Error("a run that nobody cut did not end");
	return { result, entries: await entriesOn(disk, path), steps: disk.steps };
}

export interface Cuts {
	/** Before which step of each life's disk its power is cut; the life after the last is not cut. */
	readonly steps: readonly number[];
	readonly fate: Fate;
	readonly pick: Pick;
}

/** The lives of a run that is cut, and the disk at the end. */
export async function liveThrough(
	wave: PauseCase,
	{ first, path, cuts }: { readonly first: SimulatedDisk; readonly path: string; readonly cuts: Cuts },
	each: (disk: SimulatedDisk, life: Life) => Promise<void>,
): Promise<{ readonly lives: readonly Life[]; readonly disk: SimulatedDisk }> {
	const lives: Life[] = [];
	let disk = first;
	for (const cutBefore of [...cuts.steps, undefined]) {
		const life = await live(wave, disk, path);
		lives.push(life);
		// The power goes when the process has come to its end, at the latest.
		disk = disk.afterCut(cuts.fate, cuts.pick, cutBefore);
		await each(disk, life);
	}
	const last = await live(wave, disk, path);
	return { lives: [...lives, last], disk };
}

/** Names and numbers of calls that change something, as they are told when they act. */
export function isWrite(acted: string): boolean {
	return /^(put|note|askput|asknote|gatedput|gatedask|deep) /.test(acted);
}
