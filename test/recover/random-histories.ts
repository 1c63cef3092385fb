// Random histories
//
// Ledgers as a crash leaves them: several runs, each written by an engine, cut off at any record of it, and their records
// mixed as runs that go on side by side mix them. Some are runs of a model, some are waves that a host runs by itself; some
// pause and go on with some of their answers; some go on after an earlier crash.
//
// Owns:      the random runs, and one ledger made of them.
// Does not:  say how a run stands (listed-histories.test.ts).

import fc from "fast-check";
import type { JsonValue } from "../../engine/core/json-value.js";
import {
	agentTool,
	createEngine,
	definePolicy,
	type Engine,
	type Entry,
	type EntryDraft,
	type Intent,
	type Ledger,
	memoryLedger,
	type RecordedEntry,
	recover,
	scriptedModel,
	type WaveResult,
} from "../../engine/index.js";
import { recordsOf } from "../support/crash-kit.js";
import { anything, callsOf, toolOf } from "../support/law-kit.js";
import { ManualClock } from "../support/manual-clock.js";
import { lasting } from "../support/pause-kit.js";

const STEPS_OF_A_MODEL = 10;

export interface HistoryCase {
	readonly by: "model" | "host" | "model, then host";
	/** The names of each wave's calls; none is a reply without calls. */
	readonly waves: readonly (readonly string[])[];
	/** How many of the questions of each pause are answered; none: the pause is left. */
	readonly answered: readonly number[];
	/** Whether a policy keeps arguments and answers out of the ledger. */
	readonly hides: boolean;
	/** Where an earlier process was cut off, as a part of its records; nothing: it was not. */
	readonly firstCut: number | undefined;
	/** Where the last process was cut off, as a part of its records. */
	readonly cut: number;
}

const names = fc.constantFrom("look", "put", "put", "ask", "ask", "twice", "gated", "agent", "fail");
const part = fc.oneof(
	fc.nat({ max: 100 }).map((percent) => percent / 100),
	fc.constant(1),
);

export const historyCases: fc.Arbitrary<readonly HistoryCase[]> = fc.array(
	fc.record({
		by: fc.constantFrom("model", "model", "host", "host", "model, then host"),
		waves: fc.array(fc.array(names, { maxLength: 4 }), { minLength: 1, maxLength: 3 }),
		answered: fc.array(fc.nat(2), { maxLength: 4 }),
		hides: fc.nat(4).map((n) => n === 0),
		firstCut: fc.option(part, { nil: undefined, freq: 2 }),
		cut: part,
	}),
	{ minLength: 1, maxLength: 4 },
);

export interface MixedLedger {
	readonly ledger: Ledger;
	/** The records of each run, in the order in which the runs began. */
	readonly runs: ReadonlyMap<string, readonly (Entry | Intent)[]>;
}

/** `order` says whose record comes next; the rest follow run by run. */
export async function mixedLedger(cases: readonly HistoryCase[], order: readonly number[]): Promise<MixedLedger> {
	const waiting: (EntryDraft | Intent)[][] = [];
	for (const [place, one] of cases.entries()) waiting.push(await recordsOfRun(`r${place}`, one));
	const ledger = memoryLedger();
	for (const pick of order) ledger.append((waiting[pick % waiting.length] ?? []).splice(0, 1));
	for (const rest of waiting) ledger.append(rest);
	const runs = new Map<string, (Entry | Intent)[]>();
	for (const record of await recordsOf(ledger)) {
		const known = runs.get(record.runId) ?? [];
		known.push(record);
		runs.set(record.runId, known);
	}
	return { ledger, runs };
}

async function recordsOfRun(runId: string, one: HistoryCase): Promise<(EntryDraft | Intent)[]> {
	const first = await live(runId, one, memoryLedger());
	if (one.firstCut === undefined) return cutOf(first, one.cut);
	const left = memoryLedger();
	left.append(cutOf(first, one.firstCut));
	return cutOf(await live(runId, one, left), one.cut);
}

function cutOf(records: readonly (EntryDraft | Intent)[], at: number): (EntryDraft | Intent)[] {
	return records.slice(0, Math.round(records.length * at));
}

/** Begins the run, or goes on with what the ledger holds of it; gives all its records. */
async function live(runId: string, one: HistoryCase, ledger: Ledger): Promise<(EntryDraft | Intent)[]> {
	const engine = engineOf(one, lasting(ledger));
	const pauses = one.answered.values();
	const checkpoint = await recover(ledger, runId).catch((error: { code?: string }) => {
		if (error.code === "RUN_NOT_FOUND") return undefined;
		throw error;
	});
	if (checkpoint?.kind === "wave") await throughPauses(engine, await engine.resume(checkpoint), pauses);
	else {
		const isOver = one.by === "host" || (await runModel({ runId, one, engine, pauses, checkpoint }));
		if (checkpoint === undefined && one.by !== "model" && isOver) await runWaves({ runId, one, engine, pauses });
	}
	await engine.close();
	const records = await recordsOf(ledger);
	return records.map((record) => {
		if (record.kind === "intent") return record;
		const { seq: _seq, ...draft } = record;
		return draft;
	});
}

type Pauses = IterableIterator<number>;

interface Life {
	readonly runId: string;
	readonly one: HistoryCase;
	readonly engine: Engine;
	readonly pauses: Pauses;
}

type RunCheckpoint = Extract<Awaited<ReturnType<typeof recover>>, { kind: "run" }>;

/** Whether the run has come to its end, and does not wait for answers. */
async function runModel(life: Life & { readonly checkpoint: RunCheckpoint | undefined }): Promise<boolean> {
	const { runId, one, engine, pauses, checkpoint } = life;
	const replies = one.waves.map((calls) => ({ text: "", calls: calls.map((name, n) => ({ name, args: { n } })) }));
	const model = scriptedModel([...replies, "done", "done"]);
	let result = await (checkpoint === undefined
		? engine.run({ model, input: "x", runId })
		: engine.resume(checkpoint, { model }));
	while (result.status === "paused") {
		const answers = answersTo(result.questions, pauses);
		if (answers === undefined) return false;
		result = await engine.resume(result.checkpoint, { model, answers });
	}
	return true;
}

async function runWaves({ runId, one, engine, pauses }: Life): Promise<void> {
	for (const [step, calls] of one.waves.entries()) {
		const asked = callsOf(...calls.map((name, n) => `${name} ${n}`));
		// Behind the steps of a run of a model with this id.
		const begun = await engine.executeWave(asked, { runId, step: STEPS_OF_A_MODEL + step });
		const status = await throughPauses(engine, begun, pauses);
		if (status === "paused") return;
	}
}

async function throughPauses(engine: Engine, begun: WaveResult, pauses: Pauses): Promise<WaveResult["status"]> {
	let wave = begun;
	while (wave.checkpoint !== undefined) {
		const answers = answersTo(wave.questions, pauses);
		if (answers === undefined) break;
		wave = await engine.resume(wave.checkpoint, { answers });
	}
	return wave.status;
}

function answersTo(questions: WaveResult["questions"], pauses: Pauses): Record<string, JsonValue> | undefined {
	const { value: count = 0 } = pauses.next();
	if (count === 0) return undefined;
	const said = ({ question }: { readonly question: unknown }): JsonValue => typeof question === "string" || true;
	return Object.fromEntries(questions.slice(0, count).map((asked) => [asked.id, said(asked)]));
}

function engineOf({ hides }: HistoryCase, ledger: Ledger): Engine {
	const asks =
		(times: number) =>
		async (_args: unknown, { interrupt }: { interrupt(question: string): Promise<unknown> }): Promise<string> => {
			for (let time = 0; time < times; time += 1) await interrupt(`question ${time}`);
			return "told";
		};
	const model = scriptedModel([
		{
			calls: [
				{ name: "look", args: {} },
				{ name: "ask", args: {} },
			],
		},
		"read",
	]);
	const fail = (): never => {
		throw new Error("it fails");
	};
	const tools = [
		toolOf("look", () => "seen"),
		toolOf("fail", fail),
		toolOf("put", () => "put", { effect: "write" }),
		toolOf("ask", asks(1), { effect: "write", mayAsk: true }),
		toolOf("twice", asks(2), { mayAsk: true }),
		toolOf("gated", () => "done", { effect: "write", requiresApproval: true }),
		agentTool({ name: "agent", parameters: anything, effect: "write", model, tools: ["look", "ask"] }),
	];
	return createEngine({ tools, ledger, clock: new ManualClock(), policies: hides ? [hiding] : [] });
}

/** Keeps answers, and the arguments of some calls, out of the ledger. */
const hiding = definePolicy({
	name: "hiding",
	record({ data }: RecordedEntry) {
		if (data.answer !== undefined) return { ...data, answer: "[hidden]" };
		if (!Array.isArray(data.calls)) return data;
		const calls = (data.calls as { readonly args: { readonly n?: number } }[]).map((call) =>
			call.args.n === 1 ? { ...call, args: { hidden: true } } : call,
		);
		return { ...data, calls };
	},
});
