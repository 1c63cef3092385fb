// Power cuts at every step of a run of a model, which is recovered and resumed each time, and cut again while it goes on.

import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Entry, Ledger, RunResult } from "../../engine/index.js";
import { outcomeData } from "../../engine/ledger/entry.js";
import { temporaryFolders } from "../ledger/temporary-folder.js";
import { SOAK } from "../support/property-seed.js";
import { type LoopCase, type LoopLife, liveLoop, loopCases, loopLedger } from "./recovered-loop.js";
import { canonicalLines, isWrite } from "./recovered-run.js";
import { type Fate, SimulatedDisk } from "./simulated-disk.js";

/** How many random runs are cut at each of their steps. Half a dozen take half a minute. */
const RUNS = 6 * SOAK;

const folder = temporaryFolders();

function picksFrom(seed: number): (bound: number) => number {
	let state = seed >>> 0;
	return (bound) => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return Math.floor((state / 2 ** 32) * bound);
	};
}

async function entriesIn(ledger: Ledger): Promise<Entry[]> {
	const entries: Entry[] = [];
	for await (const entry of ledger.entries()) entries.push(entry);
	return entries;
}

const linesOf = async (ledger: Ledger): Promise<string[]> => canonicalLines(await entriesIn(ledger));

/** Each outcome by its step and its index. */
function outcomesOf({ messages }: RunResult): Map<string, string> {
	const outcomes = new Map<string, string>();
	let step = -1;
	for (const message of messages) {
		if (message.role === "assistant") step += 1;
		if (message.role === "tool") outcomes.set(`${step}.${message.index}`, JSON.stringify(outcomeData(message.outcome)));
	}
	return outcomes;
}

function unknownIn(result: RunResult): Set<string> {
	return new Set(
		[...outcomesOf(result)].filter(([, outcome]) => outcome.includes('"CRASHED"')).map(([place]) => place),
	);
}

/** The lines, without the outcomes of calls of which nobody knows what they did. */
function knownLines(entries: readonly Entry[], unknown: ReadonlySet<string>): string[] {
	let step = -1;
	let depth = 0;
	const known = entries.map((entry): Entry => {
		const { kind, data } = entry;
		if (kind === "model_returned" && data.lineage === undefined) step += 1;
		if (kind === "tool_called") depth += 1;
		if (kind !== "tool_result") return entry;
		depth -= 1;
		const isUnknown = depth === 0 && unknown.has(`${step}.${String(data.index)}`);
		return isUnknown ? { ...entry, data: { index: data.index ?? null } } : entry;
	});
	return canonicalLines(known);
}

interface Uncut {
	readonly result: RunResult;
	readonly entries: readonly Entry[];
	readonly steps: number;
}

async function uncutRun(one: LoopCase): Promise<Uncut> {
	const disk = new SimulatedDisk();
	const path = join(folder(), "l");
	const { result } = await liveLoop(one, { disk, path, linesOf });
	if (result === undefined) throw new Error("a run that nobody cut did not end");
	const { steps } = disk;
	return { result, entries: await entriesIn(loopLedger({ disk, path })), steps };
}

interface Cut {
	readonly fate: Fate;
	/** Before which step of each life's disk its power is cut. */
	readonly steps: readonly number[];
	readonly seed: number;
}

async function expectSame(one: LoopCase, uncut: Uncut, { fate, steps: [first, ...rest], seed }: Cut): Promise<void> {
	const path = join(folder(), "l");
	const pick = picksFrom(seed);
	const lives: LoopLife[] = [];
	let disk = new SimulatedDisk(first);
	let promised: readonly string[] = [];
	for (const cutBefore of [...rest, undefined, undefined]) {
		const life = await liveLoop(one, { disk, path, linesOf });
		lives.push(life);
		disk = disk.afterCut(fate, pick, cutBefore);
		const lines = await linesOf(loopLedger({ disk, path }));
		if (lives.length === 1) expect(lines).toEqual(canonicalLines(uncut.entries).slice(0, lines.length));
		if (life.promised.length > promised.length) ({ promised } = life);
		// Whatever a barrier has promised is there in every life after it.
		expect(lines.slice(0, promised.length)).toEqual(promised);
	}
	const result = lives.at(-1)?.result;
	if (result === undefined) throw new Error("the last life came to no end");
	const writes = lives.flatMap(({ acted }) => acted).filter((what) => isWrite(what) || /^(ask|gated) /.test(what));
	expect(writes.filter((what, place) => writes.indexOf(what) !== place)).toEqual([]);
	const unknown = unknownIn(result);
	const entries = await entriesIn(loopLedger({ disk, path }));
	expect(knownLines(entries, unknown)).toEqual(knownLines(uncut.entries, unknown));
	expect([result.status, result.steps, result.text]).toEqual([
		uncut.result.status,
		uncut.result.steps,
		uncut.result.text,
	]);
	const said = outcomesOf(uncut.result);
	for (const [place, outcome] of outcomesOf(result)) if (!unknown.has(place)) expect(outcome).toBe(said.get(place));
	expect(outcomesOf(result).size).toBe(said.size);
}

describe("a run of a model whose process is cut off before any step of its disk, recovered and resumed", () => {
	const fates: readonly Fate[] = ["lost", "kept", "torn", "reordered"];
	for (const fate of fates) {
		it(
			`RV1: writes nothing twice and ends with the uncut run's lines, the rest ${fate}`,
			async () => {
				const same = fc.asyncProperty(loopCases, fc.nat(), async (one, seed) => {
					const uncut = await uncutRun(one);
					for (let cutBefore = 0; cutBefore <= uncut.steps; cutBefore += 1) {
						const pick = picksFrom(seed + cutBefore);
						await expectSame(one, uncut, { fate, steps: [cutBefore], seed });
						await expectSame(one, uncut, { fate, steps: [cutBefore, pick(9), pick(9)], seed: seed + cutBefore });
					}
				});
				await fc.assert(same, { numRuns: RUNS });
			},
			300_000 * SOAK,
		);
	}
});
