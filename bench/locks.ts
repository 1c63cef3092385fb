// Locks
//
// What holding keys costs a call that nobody is in the way of, beside two well-kept libraries that do less; and that
// neither the number of keys alive, nor of waiters, nor the look for circles shows in it.
//
// A peer's section is a function of its own that waits for nothing, as ours is the code between acquire and release.
//
// Owns:      the sections, and the two peers beside them.
// Does not:  measure what waiting for keys costs a reply (workloads.ts).

import AsyncLock from "async-lock";
import { Mutex } from "async-mutex";
import { KeyedLock, type Lineage, type LockOptions } from "wavetrain";
import { inTurns, median, type Row, type Subject, timed, type Work } from "./harness.js";

const OPERATIONS = 20_000;
const ROUNDS = { warmUp: 5, measured: 21 };
/** A row whose target is a twentieth off takes more rounds than one whose target is a multiple. */
const CLOSE_ROUNDS = { warmUp: 5, measured: 101 };
const WAITERS = 10_000;
const UNIT = "µs a time";

const perOperation = (ms: number): number => (ms * 1_000) / OPERATIONS;

export const locks: Subject = {
	name: "locks",
	notMeasured: "contention between threads or processes, which share no lock",
	async run(): Promise<readonly Row[]> {
		return [
			...(await uncontended(["k"], "1 key")),
			...(await uncontended(keysOf(8), "8 keys")),
			await besideOthers(),
			await handOver(),
			...(await besideLineage()),
		];
	},
};

function keysOf(count: number): string[] {
	return Array.from({ length: count }, (_, at) => `file:/notes/${at}.md`);
}

async function uncontended(keys: string[], what: string): Promise<Row[]> {
	const [peer, mutexes] = [new AsyncLock(), new Map<string, Mutex>()];
	// A list of one takes async-lock's slower way.
	const [only, ...others] = keys;
	const asked = only !== undefined && others.length === 0 ? only : keys;
	const asyncLock = async (): Promise<void> => {
		for (let time = 0; time < OPERATIONS; time += 1) await peer.acquire(asked, async () => time);
	};
	const asyncMutex = async (): Promise<void> => {
		for (let time = 0; time < OPERATIONS; time += 1) {
			const releases: (() => void)[] = [];
			for (const key of keys) releases.push(await mutexOf(mutexes, key).acquire());
			for (const release of releases) release();
		}
	};
	return [
		await besidePeer(keys, what, { against: "async-lock", work: asyncLock }),
		await besidePeer(keys, what, { against: "a Map of async-mutex mutexes", work: asyncMutex }),
	];
}

// One peer at a time: what one leaves to the garbage collector would be counted against the next.
async function besidePeer(keys: string[], what: string, peer: { against: string; work: Work }): Promise<Row> {
	const lock = new KeyedLock();
	const ms = await inTurns({ ours: () => acquireAndRelease(lock, keys), peer: peer.work }, ROUNDS);
	return {
		what: `acquire and release ${what}`,
		ours: perOperation(ms.ours),
		baseline: perOperation(ms.peer),
		unit: UNIT,
		against: peer.against,
		ratio: ms.peer / ms.ours,
		target: { atLeast: 3 },
	};
}

async function acquireAndRelease(lock: KeyedLock, keys: readonly string[]): Promise<void> {
	for (let time = 0; time < OPERATIONS; time += 1) {
		const release = await lock.acquire(keys);
		release();
	}
}

function mutexOf(mutexes: Map<string, Mutex>, key: string): Mutex {
	let mutex = mutexes.get(key);
	if (mutex === undefined) {
		mutex = new Mutex();
		mutexes.set(key, mutex);
	}
	return mutex;
}

async function besideOthers(): Promise<Row> {
	const lockBeside = (count: number): KeyedLock => {
		const lock = new KeyedLock();
		for (let at = 0; at < count; at += 1) lock.request([`held/${at}`]);
		return lock;
	};
	const [few, many] = [lockBeside(1_000), lockBeside(1_000_000)];
	const keys = keysOf(1);
	const ms = await inTurns(
		{ few: () => acquireAndRelease(few, keys), many: () => acquireAndRelease(many, keys) },
		ROUNDS,
	);
	return {
		what: "1 key beside 1,000,000 held ones",
		ours: perOperation(ms.many),
		baseline: perOperation(ms.few),
		unit: UNIT,
		against: "beside 1,000",
		ratio: ms.many / ms.few,
		target: { atMost: 1.5 },
	};
}

/** Times the hand-overs from waiter to waiter by tenths: the last tenth beside the second, the first pays for warming up. */
async function handOver(): Promise<Row> {
	const tenths: number[][] = [[], []];
	for (let round = 0; round < ROUNDS.measured; round += 1) {
		const lock = new KeyedLock();
		const first = await lock.acquire(["k"]);
		const waiting = Array.from({ length: WAITERS }, () => lock.acquire(["k"]));
		let release = first;
		const handOn = async (from: number): Promise<void> => {
			for (const next of waiting.slice(from, from + WAITERS / 10)) {
				release();
				release = await next;
			}
		};
		for (let tenth = 0; tenth < 10; tenth += 1) {
			const elapsedMs = await timed(() => handOn((tenth * WAITERS) / 10));
			if (tenth === 1) tenths[0]?.push(elapsedMs);
			if (tenth === 9) tenths[1]?.push(elapsedMs);
		}
		release();
	}
	const [early, late] = tenths.map((samples) => (median(samples) * 1_000) / (WAITERS / 10));
	return {
		what: `hand-over, the last of ${WAITERS} waiters`,
		ours: late ?? Number.NaN,
		baseline: early ?? Number.NaN,
		unit: UNIT,
		against: "the first",
		ratio: (late ?? Number.NaN) / (early ?? Number.NaN),
		target: { atMost: 1.2 },
	};
}

/** Calls that do not nest: each with a lineage of its own, so circles are looked for, beside calls without one. */
async function besideLineage(): Promise<Row[]> {
	// Made before and kept by both: a call has its lineage anyway.
	const lineages = Array.from(
		{ length: OPERATIONS },
		(): Lineage => ({ parent: undefined, held: 0, waiting: undefined, call: undefined }),
	);
	const askInTurn = async (optionsOf: (lineage: Lineage) => LockOptions): Promise<void> => {
		const lock = new KeyedLock();
		for (const lineage of lineages) {
			const grant = lock.request(["k"], optionsOf(lineage));
			if (grant.kind === "granted") grant.release();
		}
	};
	const waitInTurn = async (optionsOf: (lineage: Lineage) => LockOptions): Promise<void> => {
		const lock = new KeyedLock();
		const asked = lineages.map((lineage) => lock.request(["k"], optionsOf(lineage)));
		for (const one of asked) (one.kind === "granted" ? one : await one.granted).release();
	};
	const rows: Row[] = [];
	for (const [what, work] of [["free keys", askInTurn] as const, ["keys waited for", waitInTurn] as const]) {
		const works = {
			calls: () => work((lineage) => ({ lineage })),
			others: () => work(() => ({ lineage: undefined })),
		};
		const ms = await inTurns(works, CLOSE_ROUNDS);
		rows.push({
			what: `${what}, looking for circles`,
			ours: perOperation(ms.calls),
			baseline: perOperation(ms.others),
			unit: UNIT,
			against: "not looking",
			ratio: ms.calls / ms.others,
			target: { atMost: 1.05 },
		});
	}
	return rows;
}
