// Power cuts at every step of a run, which is recovered and resumed each time, and cut again while it goes on.

import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Entry, WaveResult } from "../../engine/index.js";
import { outcomeData } from "../../engine/ledger/entry.js";
import { temporaryFolders } from "../ledger/temporary-folder.js";
import { type PauseCase, pauseCases } from "../support/pause-case.js";
import { SOAK } from "../support/property-seed.js";
import {
	canonicalLines,
	entriesOn,
	isWrite,
	type Life,
	liveThrough,
	liveUncut,
	type UncutRun,
} from "./recovered-run.js";
import { type Fate, type Pick, SimulatedDisk } from "./simulated-disk.js";

/** How many random waves are cut at each of their steps. A dozen take a minute. */
const WAVES = 7 * SOAK;

const folder = temporaryFolders();

function picksFrom(seed: number): Pick {
	let state = seed >>> 0;
	return (bound) => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return Math.floor((state / 2 ** 32) * bound);
	};
}

/** The indexes of calls of which nobody knows what they did. */
function unknownIn({ results }: WaveResult): Set<number> {
	const unknown = results.filter(({ outcome }) => !outcome.ok && outcome.error.details?.reason === "CRASHED");
	return new Set(unknown.map(({ index }) => index));
}

/**
 * The lines of a run, without what the calls had made of which nobody knows what they did, and without those calls' outcomes:
 * the uncut run has all of it, the recovered one what was left.
 */
function knownLines(entries: readonly Entry[], unknown: ReadonlySet<number>): string[] {
	const known: Entry[] = [];
	const open: number[] = [];
	for (const entry of entries) {
		const { kind, data } = entry;
		if (kind === "tool_called") open.push(data.index as number);
		const isUnknown = open.length > 0 && unknown.has(open[0] ?? -1);
		if (kind === "tool_result") open.pop();
		const isOwn = open.length === 0 || (kind === "tool_called" && open.length === 1);
		if (!isUnknown) known.push(entry);
		else if (isOwn) known.push(kind === "tool_result" ? { ...entry, data: { index: data.index ?? null } } : entry);
	}
	return canonicalLines(known);
}

function expectOnce(lives: readonly Life[]): void {
	const writes = lives.flatMap(({ acted }) => acted).filter(isWrite);
	expect(writes.filter((what, place) => writes.indexOf(what) !== place)).toEqual([]);
}

interface Cut {
	readonly fate: Fate;
	readonly second: readonly number[];
	readonly cutBefore: number;
	readonly seed: number;
}

async function expectSame(wave: PauseCase, uncut: UncutRun, { fate, second, cutBefore, seed }: Cut): Promise<void> {
	const path = join(folder(), "l");
	let promised: readonly string[] = [];
	let isFirst = true;
	const { lives, disk } = await liveThrough(
		wave,
		{
			first: new SimulatedDisk(cutBefore),
			path,
			cuts: { steps: second, fate, pick: picksFrom(seed) },
		},
		async (found, life) => {
			const lines = canonicalLines(await entriesOn(found, path));
			if (isFirst) expect(lines).toEqual(canonicalLines(uncut.entries).slice(0, lines.length));
			isFirst = false;
			if (life.promised.length > promised.length) ({ promised } = life);
			// Whatever a barrier has promised is there in every life after it.
			expect(lines.slice(0, promised.length)).toEqual(promised);
		},
	);
	const result = lives.at(-1)?.result;
	if (result === undefined) throw new Error("the last life came to no end");
	const unknown = unknownIn(result);
	expectOnce(lives);
	if (wave.stopOnError && unknown.size > 0) return;
	expect(knownLines(await entriesOn(disk, path), unknown)).toEqual(knownLines(uncut.entries, unknown));
	expect([result.status, result.steers]).toEqual([uncut.result.status, uncut.result.steers]);
	for (const { index, outcome } of result.results) {
		const other = uncut.result.results[index]?.outcome;
		if (other !== undefined && !unknown.has(index)) expect(outcomeData(outcome)).toEqual(outcomeData(other));
	}
}

describe("Law 8: a run whose process is cut off before any step of its disk, recovered and resumed", () => {
	const fates: readonly Fate[] = ["lost", "kept", "torn", "reordered"];
	for (const fate of fates) {
		for (const nested of [false, true]) {
			const words = nested ? "with calls that call" : "with policies that count";
			it(
				`RV1: writes nothing twice and ends with the uncut run's lines, the rest ${fate}, ${words}`,
				async () => {
					const same = fc.asyncProperty(pauseCases(nested), fc.nat(), async (wave, seed) => {
						const uncut = await liveUncut(wave, new SimulatedDisk(), join(folder(), "l"));
						for (let cutBefore = 0; cutBefore <= uncut.steps; cutBefore += 1) {
							const pick = picksFrom(seed + cutBefore);
							await expectSame(wave, uncut, { fate, second: [], cutBefore, seed });
							await expectSame(wave, uncut, { fate, second: [pick(8), pick(8)], cutBefore, seed: seed + cutBefore });
						}
					});
					await fc.assert(same, { numRuns: WAVES });
				},
				300_000 * SOAK,
			);
		}
	}
});
