// Locks
//
// What holding keys costs a call that nobody is in the way of, beside two well-kept libraries that do less; and that
// neither the number of keys alive, nor of waiters, nor the look for circles shows in it.
//
// A peer's section is a function of its own that waits for nothing, as ours is the code between acquire and release.

import AsyncLock from "async-lock";
import { Mutex } from "async-mutex";
import { KeyedLock } from "../engine/locks/keyed-lock.js";
import { newLineage } from "../engine/locks/lineage.js";
import { inTurns, median, type Row, type Subject, timed } from "./harness.js";

const OPERATIONS = 20_000;
const ROUNDS = { warmUp: 5, measured: 21 };
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
	return Array.from({ length: count }, (_, at) => `file:/work/notes/${at}.md`);
}

async function uncontended(keys: string[], what: string): Promise<Row[]> {
	const [lock, peer, mutexes] = [new KeyedLock(), new AsyncLock(), new Map<string, Mutex>()];
	// A list of one takes async-lock's slower way.
	const [only, ...others] = keys;
	const asked = only !== undefined && others.length === 0 ? only : keys;
	const ms = await inTurns(
		{
			ours: () => acquireAndRelease(lock, keys),
			asyncLock: async () => {
				for (let time = 0; time < OPERATIONS; time += 1) await peer.acquire(asked, async () => time);
			},
			asyncMutex: async () => {
				for (let time = 0; time < OPERATIONS; time += 1) {
					const releases: (() => void)[] = [];
					for (const key of keys) releases.push(await mutexOf(mutexes, key).acquire());
					for (const release of releases) release();
				}
			},
		},
		ROUNDS,
	);
	const row = (baselineMs: number, against: string): Row => ({
		what: `acquire and release ${what}`,
		ours: perOperation(ms.ours),
		baseline: perOperation(baselineMs),
		unit: UNIT,
		against,
		ratio: baselineMs / ms.ours,
		target: { atLeast: 3 },
	});
	return [row(ms.asyncLock, "async-lock"), row(ms.asyncMutex, "a Map of async-mutex mutexes")];
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
	const ask = async (lock: KeyedLock, ofCalls: boolean): Promise<void> => {
		for (let time = 0; time < OPERATIONS; time += 1) {
			const grant = lock.request(["k"], optionsOf(ofCalls));
			if (grant.kind === "granted") grant.release();
		}
	};
	const waitInTurn = async (lock: KeyedLock, ofCalls: boolean): Promise<void> => {
		const asked = Array.from({ length: OPERATIONS }, () => lock.request(["k"], optionsOf(ofCalls)));
		for (const one of asked) {
			const grant = one.kind === "granted" ? one : await one.granted;
			grant.release();
		}
	};
	const rows: Row[] = [];
	for (const [what, work] of [["free keys", ask] as const, ["keys waited for", waitInTurn] as const]) {
		const lock = new KeyedLock();
		const ms = await inTurns({ calls: () => work(lock, true), others: () => work(lock, false) }, ROUNDS);
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

// The baseline makes a lineage as well and throws it away, so that only what the lock does with it differs.
function optionsOf(ofCalls: boolean): { readonly lineage?: ReturnType<typeof newLineage> } {
	const lineage = newLineage();
	return ofCalls ? { lineage } : {};
}
