// Nesting engine
//
// A nesting run on an engine: at one go, gone on with from each of its pauses, and gone on with after a crash.
//
// Owns:      those ways through a run, and what is read of it.
// Does not:  make runs (nesting-runs.ts) or assert anything.

import {
	createEngine,
	type Engine,
	type EngineOptions,
	type Ledger,
	type Message,
	memoryLedger,
	type RunCheckpoint,
	type RunResult,
	recover,
} from "../../engine/index.js";
import { cutAt, linesIn, recordsOf } from "./crash-kit.js";
import { short } from "./law-kit.js";
import { settled } from "./manual-clock.js";
import { nestingPolicies } from "./nesting-policies.js";
import { modelIn, type NestingRun, nestingTools, saidTo } from "./nesting-runs.js";
import { lasting } from "./pause-kit.js";

export interface NestingReading {
	readonly status: string;
	readonly outcomes: readonly string[];
	readonly lines: readonly string[];
}

const SCHEDULES = ["barriers", "leading-reads", "barriers", "serial"] as const;

function newEngine(run: NestingRun, ledger: Ledger, rest: Partial<EngineOptions> = {}): Engine {
	let begun = 0;
	// How long a call takes follows from the case, so that calls settle in many orders.
	const hold = (): Promise<void> => {
		begun += 1;
		return settled((run.picks[begun % run.picks.length] ?? 0) % 4);
	};
	return createEngine({
		schedule: SCHEDULES[run.cut % SCHEDULES.length] ?? "barriers",
		tools: nestingTools(hold),
		policies: nestingPolicies(run),
		ledger: lasting(ledger),
		...(run.stopOnError && { onError: "stop" }),
		...rest,
	});
}

function outcomes(messages: readonly Message[]): string[] {
	return messages.map((message) => (message.role === "tool" ? short(message.outcome) : JSON.stringify(message)));
}

export async function readingOf({ status, messages }: RunResult, ledger: Ledger): Promise<NestingReading> {
	return { status, outcomes: outcomes(messages), lines: await linesIn(ledger) };
}

/** Whoever is asked answers at once. */
export async function unbroken(run: NestingRun): Promise<NestingReading> {
	const ledger = memoryLedger();
	const engine = newEngine(run, ledger, { asker: saidTo, schedule: "serial" });
	const result = await engine.run({ model: modelIn(run), input: "x", runId: "r" });
	await engine.close();
	return readingOf(result, ledger);
}

interface GoingOn {
	readonly engine: Engine;
	readonly result: RunResult;
	readonly isNewEngine: (pick: number) => boolean;
}

/** Goes on from each pause, through text, until the run has ended. */
async function toItsEnd(run: NestingRun, ledger: Ledger, { engine: first, result: paused, isNewEngine }: GoingOn) {
	let engine = first;
	let result = paused;
	let pauses = 0;
	for (; result.status === "paused"; pauses += 1) {
		if (pauses > 100) throw new Error("the run never ends");
		const checkpoint = JSON.parse(JSON.stringify(result.checkpoint)) as RunCheckpoint;
		const { questions } = checkpoint;
		const pick = run.picks[pauses % run.picks.length] ?? 0;
		const some = questions.filter((_one, place) => ((pick >> place) & 1) === 0);
		const answering = some.length === 0 && pauses % 2 === 1 ? questions : some;
		const answers = Object.fromEntries(answering.map((one) => [one.id, saidTo(one)]));
		if (isNewEngine(pick)) {
			await engine.close();
			engine = newEngine(run, ledger);
		}
		result = await engine.resume(checkpoint, { model: modelIn(run), answers });
	}
	await engine.close();
	return { reading: await readingOf(result, ledger), pauses };
}

/** Pauses for each question; some pauses, by their picks, are gone on from in a new engine. */
export async function paused(run: NestingRun, isNewEngine: GoingOn["isNewEngine"]) {
	const ledger = memoryLedger();
	const engine = newEngine(run, ledger);
	const result = await engine.run({ model: modelIn(run), input: "x", runId: "r" });
	return { ledger, ...(await toItsEnd(run, ledger, { engine, result, isNewEngine })) };
}

/** Goes on from what a crash left of the ledger. */
export async function crashed(run: NestingRun, whole: Ledger): Promise<NestingReading> {
	const records = (await recordsOf(whole)).length;
	const ledger = await cutAt(whole, 1 + (run.cut % records));
	const engine = newEngine(run, ledger);
	const checkpoint = JSON.parse(JSON.stringify(await recover(ledger, "r"))) as RunCheckpoint;
	const answers = Object.fromEntries(checkpoint.questions.map((one) => [one.id, saidTo(one)]));
	const result = await engine.resume(checkpoint, { model: modelIn(run), answers });
	const ended = await toItsEnd(run, ledger, { engine, result, isNewEngine: () => true });
	return ended.reading;
}
