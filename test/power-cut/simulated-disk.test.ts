// Power cuts on a simulated disk: at every single step of a writer, with the unsynced rest lost, kept, torn or in any
// order, and again while the next writer puts things right.

import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { INLINE_BYTES_MAX } from "../../engine/core/ledger-limits.js";
import type { EntryDraft, Intent } from "../../engine/ledger/entry.js";
import { FileStore } from "../../engine/ledger/file-ledger.js";
import { checkLedger } from "../../engine/ledger/read-ledger.js";
import type { ReadRecord } from "../../engine/ledger/record-text.js";
import { StoredLedger } from "../../engine/ledger/stored-ledger.js";
import { draftOf, intentOf } from "../contracts/ledger.js";
import { temporaryFolders } from "../ledger/temporary-folder.js";
import { SOAK } from "../support/property-seed.js";
import { type Fate, type Pick, SimulatedDisk } from "./simulated-disk.js";

/** How many random scripts are cut at each of their steps. A few dozen take a minute. */
const SCRIPTS = 8 * SOAK;

/** How often each step of a script is cut with a fate that chance has a part in. */
const DRAWS = 4;

const folder = temporaryFolders();

/** The records of each barrier. */
type Script = readonly (readonly (EntryDraft | Intent)[])[];

const filler = fc.oneof(
	{ weight: 6, arbitrary: fc.nat(300) },
	{ weight: 2, arbitrary: fc.integer({ min: 300, max: 4_000 }) },
	{ weight: 1, arbitrary: fc.constant(INLINE_BYTES_MAX + 1) },
);

const scripts: fc.Arbitrary<Script> = fc
	.array(fc.array(fc.tuple(fc.boolean(), filler), { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 })
	.map((barriers) => {
		let index = 0;
		const recordOf = ([isIntent, length]: readonly [boolean, number]): EntryDraft | Intent => {
			index += 1;
			return isIntent ? intentOf(index) : draftOf(index, { index, text: "ä\n".repeat(length / 2) });
		};
		return barriers.map((barrier) => barrier.map(recordOf));
	});

/** As `fc.infiniteStream` would, from one number: the same for the same case. */
function picksFrom(seed: number): Pick {
	let state = seed >>> 0;
	return (bound) => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return Math.floor((state / 2 ** 32) * bound);
	};
}

interface Written {
	/** How many records the barriers that resolved have promised. */
	readonly promised: number;
}

/** Writes a script to its end or to the cut; a barrier a list, and a close when all is written. */
async function write(disk: SimulatedDisk, path: string, script: Script): Promise<Written> {
	const ledger = new StoredLedger(new FileStore(path, disk.files));
	let promised = 0;
	try {
		for (const records of script) {
			ledger.append(records);
			await ledger.barrier();
			promised += records.length;
		}
	} catch (error) {
		if (!disk.isCut) throw error;
	}
	await ledger.close().catch(() => expect(disk.isCut).toBe(true));
	return { promised };
}

async function read(disk: SimulatedDisk, path: string): Promise<ReadRecord[]> {
	const records: ReadRecord[] = [];
	let reader: Awaited<ReturnType<FileStore["read"]>>;
	try {
		reader = await new FileStore(path, disk.files).read();
	} catch {
		// Its name was never synced.
		return records;
	}
	for await (const batch of reader.batches()) records.push(...batch);
	expect(reader.problem).toBe(undefined);
	return records;
}

function numbered(script: Script): ReadRecord[] {
	let seq = 0;
	return script.flat().map((record) => (record.kind === "intent" ? record : { seq: seq++, ...record }));
}

/** The disk found after a cut: holds a beginning of the script, and what was promised. */
async function expectBeginning(disk: SimulatedDisk, path: string, expected: { script: Script; promised: number }) {
	const left = await read(disk, path);
	const whole = numbered(expected.script);
	expect(JSON.stringify(left) === JSON.stringify(whole.slice(0, left.length))).toBe(true);
	expect(left.length).toBeGreaterThanOrEqual(expected.promised);
	return left.length;
}

/** What a writer left behind, and what it had been told. */
interface Crash extends Written {
	readonly script: Script;
	readonly pick: Pick;
	/** What may become of what the next writer leaves. */
	readonly fates: readonly Fate[];
}

/** The next writer, which finds this disk, is cut as well; the one after it must come to the end of the script. */
async function expectRecovery(found: SimulatedDisk, path: string, { script, promised, pick, fates }: Crash) {
	const rest = (count: number): Script => [script.flat().slice(count)].filter((records) => records.length > 0);
	const count = await expectBeginning(found, path, { script, promised });
	const second = await write(found, path, rest(count));
	const last = found.afterCut(fates[pick(fates.length)] ?? "lost", pick);
	const kept = await expectBeginning(last, path, { script, promised: promised + second.promised });
	const end = [draftOf(0, { last: true })];
	await write(last, path, [...rest(kept), end]);
	const records = await read(last, path);
	expect(JSON.stringify(records)).toBe(JSON.stringify(numbered([...script, end])));
	const entries = records.filter(({ kind }) => kind !== "intent").length;
	expect(await checkLedger(path, last.files)).toEqual({ ok: true, entries });
}

async function stepsOf(script: Script, path: string): Promise<number> {
	const disk = new SimulatedDisk();
	await write(disk, path, script);
	return disk.steps;
}

/** For each step of a script: a writer that stops before it, and what is then found, as often as there are draws. */
async function forEachStep(
	{ script, seed, draws, fates }: { script: Script; seed: number; draws: number; fates: readonly Fate[] },
	find: (disk: SimulatedDisk, pick: Pick) => SimulatedDisk,
): Promise<void> {
	const path = join(folder(), "l");
	const steps = await stepsOf(script, path);
	for (let cutBefore = 0; cutBefore <= steps; cutBefore += 1) {
		for (let draw = 0; draw < draws; draw += 1) {
			const disk = new SimulatedDisk(cutBefore);
			const { promised } = await write(disk, path, script);
			const pick = picksFrom(seed + cutBefore * DRAWS + draw);
			await expectRecovery(find(disk, pick), path, { script, promised, pick, fates });
		}
	}
}

/** What may become of what the next writer leaves, which is cut while it mends the end. */
const FATES: readonly Fate[] = ["lost", "kept", "torn", "reordered"];

/** The step before which the next writer is cut: few that find an end to mend take more. */
const nextCut = (pick: Pick): number => pick(12);

describe("a file ledger whose writer stops before any of its steps", () => {
	const cuts: readonly [Fate, number, string][] = [
		["lost", 1, "is lost"],
		["kept", 1, "came through"],
		["torn", DRAWS, "came through up to any byte"],
		["reordered", DRAWS, "came through in any order of sectors"],
	];
	for (const [fate, draws, words] of cuts) {
		it(
			`W1: what a barrier promised is there, and the history is a beginning, when the unsynced rest ${words}`,
			async () => {
				await fc.assert(
					fc.asyncProperty(scripts, fc.nat(), (script, seed) =>
						forEachStep({ script, seed, draws, fates: FATES }, (disk, pick) =>
							disk.afterCut(fate, pick, nextCut(pick)),
						),
					),
					{ numRuns: SCRIPTS },
				);
			},
			300_000 * SOAK,
		);
	}

	it(
		"W3: the next writer vouches for nothing that a killed one had not made durable",
		async () => {
			await fc.assert(
				fc.asyncProperty(scripts, fc.nat(), (script, seed) =>
					forEachStep({ script, seed, draws: 2 * DRAWS, fates: ["reordered"] }, (disk, pick) =>
						// In and around its first barrier: later ones make durable what it found as well.
						disk.afterKill(2 + pick(3)),
					),
				),
				{ numRuns: SCRIPTS },
			);
		},
		300_000 * SOAK,
	);
});
