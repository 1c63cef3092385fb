// Ledger
//
// What history costs: barriers of a file ledger beside a bare write and `fdatasync` of the same bytes, both at the end of
// a growing file; the same of an SQLite ledger; reading; and the memory of a ledger that stays open.
//
// Owns:      the lines that are written and read, and the bare writes beside them.
// Does not:  measure what a wave costs around its ledger (inline-calls.ts).

import { fdatasyncSync, mkdtempSync, openSync, readFileSync, realpathSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type EntryDraft, fileLedger, type Ledger, readLedger, recover, sqliteLedger } from "wavetrain";
import { inTurns, type Row, type Subject } from "./harness.js";

/** Entries of about 300 bytes without their hash, as a call with short arguments writes. */
function draftsOf(count: number): EntryDraft[] {
	return Array.from({ length: count }, (_, index) => ({
		kind: "tool_called",
		runId: "run_0123456789",
		at: 1_700_000_000_000 + index,
		data: { index, id: `call_${index}`, name: "look_up", args: "x".repeat(180), lineage: [index], effect: "read" },
	}));
}

const FIFTY = draftsOf(50);
const ONE = draftsOf(1);

/** Barriers that are timed as one, so that a single slow sync is not a median. */
const BARRIERS = 10;

const ENTRIES_A_SECOND_MIN = 200_000;
const ENTRIES_READ = 200_000;

interface Barriers {
	readonly ledger: Ledger;
	readonly bare: () => void;
	readonly drafts: readonly EntryDraft[];
}

/** A ledger's barriers, and a bare file that grows by as many bytes at each. */
async function barriersOf(folder: string, drafts: readonly EntryDraft[]): Promise<Barriers> {
	const path = join(folder, `ledger-${drafts.length}`);
	const ledger = fileLedger(path);
	const sizes: number[] = [];
	for (let barrier = 0; barrier < 2; barrier += 1) {
		ledger.append(drafts);
		await ledger.barrier();
		// Behind the last line an open ledger has space written ahead.
		sizes.push(readFileSync(path).lastIndexOf("\n") + 1);
	}
	const [first = 0, second = 0] = sizes;
	const bytes = Buffer.alloc(second - first, "x");
	const file = openSync(join(folder, `bare-${drafts.length}`), "w");
	const bare = (): void => {
		writeSync(file, bytes);
		fdatasyncSync(file);
	};
	return { ledger, bare, drafts };
}

async function writeTo(ledger: Ledger, drafts: readonly EntryDraft[]): Promise<void> {
	for (let barrier = 0; barrier < BARRIERS; barrier += 1) {
		ledger.append(drafts);
		await ledger.barrier();
	}
}

async function writeBare({ bare }: Barriers): Promise<void> {
	for (let barrier = 0; barrier < BARRIERS; barrier += 1) bare();
}

async function barrierRows(folder: string): Promise<Row[]> {
	const [one, fifty] = [await barriersOf(folder, ONE), await barriersOf(folder, FIFTY)];
	const sqlite = sqliteLedger(join(folder, "ledger.db"));
	const ms = await inTurns(
		{
			one: () => writeTo(one.ledger, ONE),
			oneBare: () => writeBare(one),
			fifty: () => writeTo(fifty.ledger, FIFTY),
			fiftyBare: () => writeBare(fifty),
			sqliteOne: () => writeTo(sqlite, ONE),
			sqliteFifty: () => writeTo(sqlite, FIFTY),
		},
		{ warmUp: 5, measured: 51 },
	);
	await Promise.all([one.ledger.close(), fifty.ledger.close(), sqlite.close()]);
	const row = (what: string, [ours, baseline]: [number, number], atMost: number): Row => ({
		what,
		ours: (ours * 1_000) / BARRIERS,
		baseline: (baseline * 1_000) / BARRIERS,
		unit: "µs a barrier",
		against: "one bare write and fdatasync",
		ratio: ours / baseline,
		target: { atMost },
	});
	return [
		row("1 entry a barrier", [ms.one, ms.oneBare], 1.3),
		row("50 entries a barrier", [ms.fifty, ms.fiftyBare], 1.5),
		row("1 entry a barrier, SQLite", [ms.sqliteOne, ms.oneBare], Number.POSITIVE_INFINITY),
		row("50 entries a barrier, SQLite", [ms.sqliteFifty, ms.fiftyBare], Number.POSITIVE_INFINITY),
	];
}

/** Writes many entries through one open ledger; the heap in use, in megabytes, early and at the end. */
async function grow(ledger: Ledger): Promise<{ readonly earlyMb: number; readonly lateMb: number }> {
	const drafts = draftsOf(2_000);
	let earlyMb = 0;
	for (let written = 0; written < ENTRIES_READ; written += drafts.length) {
		ledger.append(drafts);
		await ledger.barrier();
		if (written === ENTRIES_READ / 10) earlyMb = heapMb();
	}
	return { earlyMb, lateMb: heapMb() };
}

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

function heapMb(): number {
	collectGarbage();
	return process.memoryUsage().heapUsed / 2 ** 20;
}

async function readAll(path: string): Promise<void> {
	let count = 0;
	for await (const _ of readLedger(path)) count += 1;
	if (count !== ENTRIES_READ) throw new Error(`read ${count} entries of ${ENTRIES_READ}`);
}

async function lengthRows(folder: string): Promise<Row[]> {
	const rows: Row[] = [];
	for (const [name, make] of [
		["", fileLedger],
		[", SQLite", sqliteLedger],
	] as const) {
		const path = join(folder, `long${make.name}`);
		const ledger = make(path);
		const { earlyMb, lateMb } = await grow(ledger);
		await ledger.close();
		const { read } = await inTurns({ read: () => readAll(path) }, { warmUp: 1, measured: 5 });
		const rate = (ENTRIES_READ * 1_000) / read;
		const isFile = name === "";
		rows.push(
			{
				what: `reading${name}`,
				ours: rate,
				baseline: ENTRIES_A_SECOND_MIN,
				unit: "entries a second",
				against: "the budget",
				ratio: rate / ENTRIES_A_SECOND_MIN,
				target: isFile ? { atLeast: 1 } : { atMost: Number.POSITIVE_INFINITY },
			},
			{
				what: `heap of an open ledger${name}, ${ENTRIES_READ} entries`,
				ours: lateMb,
				baseline: earlyMb,
				unit: "MB",
				against: "a tenth of them",
				ratio: lateMb / earlyMb,
				target: { atMost: 1.1 },
			},
		);
	}
	return rows;
}

/** Runs of many waves, one after another in one ledger, and one of them recovered. */
async function recoverRow(folder: string, runs: number): Promise<Row> {
	const path = join(folder, `recovered-${runs}`);
	const ledger = fileLedger(path);
	let count = 0;
	for (let step = 0; count < ENTRIES_READ; step += 1) {
		const entries = waveOf(`run_${step % runs}`, step);
		ledger.append(entries);
		count += entries.length;
		await ledger.barrier();
	}
	await ledger.close();
	const { whole } = await inTurns(
		{ whole: async () => void (await recover(path, "run_0")) },
		{ warmUp: 1, measured: 5 },
	);
	const rate = (count * 1_000) / whole;
	return {
		what: runs === 1 ? "recover, the only run" : `recover, one of ${runs} runs`,
		ours: rate,
		baseline: ENTRIES_A_SECOND_MIN,
		unit: "entries a second",
		against: "the budget",
		ratio: rate / ENTRIES_A_SECOND_MIN,
		target: { atLeast: 1 },
	};
}

const WAVE_CALLS = 500;

function waveOf(runId: string, step: number): readonly EntryDraft[] {
	const stamp = { runId, at: 1_700_000_000_000 };
	const asked = Array.from({ length: WAVE_CALLS }, (_, index) => {
		return { id: `call_${index}`, name: "look_up", args: "x".repeat(180) };
	});
	const pairs = asked.flatMap(({ id, name, args }, index): readonly EntryDraft[] => [
		{ kind: "tool_called", ...stamp, data: { index, id, name, args, lineage: [index], effect: "read" } },
		{ kind: "tool_result", ...stamp, data: { index, id, outcome: { ok: true, value: args } } },
	]);
	return [{ kind: "model_returned", ...stamp, data: { step, calls: asked } }, ...pairs];
}

export const ledgers: Subject = {
	name: "ledger",
	notMeasured: "large values beside the ledger, several runs at once, other disks and file systems than this one's",
	async run(): Promise<readonly Row[]> {
		const folder = realpathSync(mkdtempSync(join(tmpdir(), "wavetrain-bench-")));
		try {
			const recovers = [await recoverRow(folder, 10), await recoverRow(folder, 1)];
			return [...(await barrierRows(folder)), ...(await lengthRows(folder)), ...recovers];
		} finally {
			rmSync(folder, { recursive: true });
		}
	},
};
