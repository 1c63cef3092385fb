// Ledger contract
//
// What every ledger promises. A ledger that outlives its process says how it is opened again, one with a disk brings one
// that can be held and broken, and each is then asked for the promises that only such a ledger can break.
//
// Owns:      the promises L1 to L3 of the port as cases.
// Does not:  know an adapter.

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { canonical, type EntryDraft, type Ledger } from "../index.js";
import { type ContractCase, codeOf, collect, type Promised, promised } from "./contract-case.js";
import { OF_STORES, type OnStore } from "./ledger-durability.js";
import { draftOf, intentOf, shapesOf, turn } from "./ledger-kit.js";
import { OF_RECORDS } from "./ledger-records.js";

/**
 * A disk under a ledger, moved by hand.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface LedgerDisk {
	/** How often bytes were made durable since the ledger was made. */
	readonly syncs: number;
	/** The next sync waits; resolves with its release once the ledger has asked for it. */
	holdNextSync(): Promise<() => void>;
	/** The next write, or sync, fails. */
	failNext(operation: "write" | "datasync"): void;
}

/**
 * A fresh ledger with nothing in it, and whatever a suite's options need of it.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface MadeLedger {
	/** The ledger. */
	readonly ledger: Ledger;
	/** Called once the case is over. */
	dispose?(): Promise<void>;
}

/**
 * How a ledger is made for {@link ledgerContract}.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface LedgerUnderTest<Made extends MadeLedger = MadeLedger> {
	/** Called once for each case. */
	make(): Made | Promise<Made>;
	/** Another ledger on the same store, as a later process would open it. Left out: it ends with its process. */
	reopen?(made: Made): Ledger;
	/**
	 * A ledger on what would be left of the store if the process died now: of a copy of its files, for one. The first is
	 * still open, and the new one is only read. Left out: what `reopen` opens, which then must read beside an open one.
	 */
	afterCrash?(made: Made): Ledger | Promise<Ledger>;
	/** Left out: it has no disk that can be held and broken. */
	disk?(made: Made): LedgerDisk;
}

/**
 * The promises of the `Ledger` port as cases, for an adapter of the host's own.
 *
 * @example
 * ```ts
 * for (const { name, run } of ledgerContract({ make: () => ({ ledger: myLedger() }) })) it(name, run);
 * ```
 * @remarks Since 0.1.0.
 * @public
 */
export function ledgerContract<Made extends MadeLedger>(under: LedgerUnderTest<Made>): readonly ContractCase[] {
	const { make, reopen, afterCrash = reopen, disk } = under;
	const on = ({ name, keep }: Promised<Made>): ContractCase => ({
		name,
		async run(): Promise<void> {
			const made = await make();
			try {
				await keep(made);
			} finally {
				await made.dispose?.();
			}
		},
	});
	return [
		...[...OF_ALL, ...OF_RECORDS].map(({ name, keep }) => on({ name, keep: ({ ledger }) => keep(ledger) })),
		...(reopen === undefined || afterCrash === undefined
			? []
			: OF_STORES.map(({ name, keep }) =>
					on({ name, keep: (made) => closingAll((opens) => keep(storeOf(made, { reopen, afterCrash, opens }))) }),
				)),
		...(disk === undefined
			? []
			: OF_DISKS.map(({ name, keep }) =>
					on({ name, keep: (made) => keep({ ledger: made.ledger, disk: disk(made) }) }),
				)),
	];
}

type Opens = (ledger: Ledger) => Ledger;

interface Ways<Made> {
	readonly reopen: (made: Made) => Ledger;
	readonly afterCrash: (made: Made) => Ledger | Promise<Ledger>;
	/** Told of every ledger that is opened. */
	readonly opens: Opens;
}

function storeOf<Made extends MadeLedger>(made: Made, { reopen, afterCrash, opens }: Ways<Made>): OnStore {
	return {
		ledger: made.ledger,
		reopen: () => opens(reopen(made)),
		afterCrash: async () => opens(await afterCrash(made)),
	};
}

/** Also those that were only read: what they hold, such as a connection, would keep their process alive. */
async function closingAll(use: (opens: Opens) => Promise<void>): Promise<void> {
	const opened: Ledger[] = [];
	const opens: Opens = (ledger) => {
		opened.push(ledger);
		return ledger;
	};
	try {
		await use(opens);
	} finally {
		for (const ledger of opened) await ledger.close();
	}
}

const OF_ALL: readonly Promised<Ledger>[] = [
	promised("L1: entries read back in the order they were appended, numbered from 0 without a gap", async (ledger) => {
		ledger.append([draftOf(0), draftOf(1)]);
		await ledger.barrier();
		ledger.append([draftOf(2)]);
		deepStrictEqual(
			await shapesOf(ledger),
			[0, 1, 2].map((index) => [index, index]),
		);
	}),
	promised("an entry reads back with every field it was appended with", async (ledger) => {
		const data = { text: 'ä "\n\u2028\ud800', list: [1, -0.5, null, { __proto__x: true }], "": {} };
		ledger.append([draftOf(7, data)]);
		const before = await collect(ledger.entries());
		await ledger.barrier();
		const after = await collect(ledger.entries());
		deepStrictEqual(before, [{ seq: 0, ...draftOf(7, data) }]);
		deepStrictEqual(after, before);
		deepStrictEqual(after.map(canonical), [canonical(draftOf(7, data))]);
	}),
	promised("entries that are only held are read as well", async (ledger) => {
		ledger.append([draftOf(0)]);
		deepStrictEqual(await shapesOf(ledger), [[0, 0]]);
	}),
	promised("an intent takes no number and is no entry", async (ledger) => {
		ledger.append([draftOf(0), intentOf(1), draftOf(2)]);
		await ledger.barrier();
		ledger.append([intentOf(3), draftOf(4)]);
		const expected = [0, 2, 4].map((index, seq) => [seq, index]);
		deepStrictEqual(await shapesOf(ledger), expected);
		deepStrictEqual(await collect(ledger.intents()), [intentOf(1), intentOf(3)]);
	}),
	promised("entries and intents read back together in the order they were appended", async (ledger) => {
		ledger.append([draftOf(0), intentOf(1)]);
		await ledger.barrier();
		ledger.append([intentOf(2), draftOf(3)]);
		const expected = [{ seq: 0, ...draftOf(0) }, intentOf(1), intentOf(2), { seq: 1, ...draftOf(3) }];
		deepStrictEqual(await collect(ledger.records()), expected);
	}),
	promised("what entries() returned can be iterated twice, and each time from the first", async (ledger) => {
		ledger.append([draftOf(0), draftOf(1)]);
		const entries = ledger.entries();
		deepStrictEqual(await collect(entries), await collect(entries));
	}),
	promised("a barrier with nothing held resolves, on a ledger that was never used too", async (ledger) => {
		await ledger.barrier();
		deepStrictEqual(await collect(ledger.entries()), []);
	}),
	promised("close makes durable what is held, and may be called twice", async (ledger) => {
		ledger.append([draftOf(0)]);
		await Promise.all([ledger.close(), ledger.close()]);
		await ledger.close();
		deepStrictEqual(await shapesOf(ledger), [[0, 0]]);
	}),
	promised("a closed ledger takes nothing more", (ledger) => takesNothing(ledger, [draftOf(0)])),
	promised("a ledger that was closed unused takes nothing more", (ledger) => takesNothing(ledger, [])),
];

async function takesNothing(ledger: Ledger, records: readonly EntryDraft[]): Promise<void> {
	if (records.length > 0) ledger.append(records);
	await ledger.close();
	strictEqual(await codeOf(() => ledger.append([draftOf(1)])), "LEDGER_FAILED");
	strictEqual(await codeOf(() => ledger.barrier()), "LEDGER_FAILED");
}

interface OnDisk {
	readonly ledger: Ledger;
	readonly disk: LedgerDisk;
}

const OF_DISKS: readonly Promised<OnDisk>[] = [
	promised("L2: a barrier resolves only once its sync is done", async ({ ledger, disk }) => {
		ledger.append([draftOf(0)]);
		const reached = disk.holdNextSync();
		let isResolved = false;
		const barrier = ledger.barrier().then(() => {
			isResolved = true;
		});
		const release = await reached;
		for (let turns = 0; turns < 5; turns += 1) await turn();
		strictEqual(isResolved, false);
		release();
		await barrier;
	}),
	promised("L3: barriers asked for while one is under way share the next one", sharesBarriers),
	...(["write", "datasync"] as const).map((operation) =>
		promised(`L2: after a ${operation} failed, no append, barrier, reading or close pretends`, (made: OnDisk) =>
			pretendsNothing(made, operation),
		),
	),
	promised("L2: a barrier that waits behind a failing one fails as well", failsBehind),
];

async function sharesBarriers({ ledger, disk }: OnDisk): Promise<void> {
	ledger.append([draftOf(0)]);
	const reached = disk.holdNextSync();
	const first = ledger.barrier();
	const release = await reached;
	const before = disk.syncs;
	const later = [1, 2, 3].map((index) => {
		ledger.append([draftOf(index)]);
		return ledger.barrier();
	});
	// What is appended once the first of them knows is not waited for by the others.
	void later[0]?.then(() => ledger.append([draftOf(4)]));
	deepStrictEqual(
		await shapesOf(ledger),
		[0, 1, 2, 3].map((index) => [index, index]),
	);
	release();
	await Promise.all([first, ...later]);
	strictEqual(disk.syncs - before, 2);
	deepStrictEqual(
		await shapesOf(ledger),
		[0, 1, 2, 3, 4].map((index) => [index, index]),
	);
}

async function pretendsNothing({ ledger, disk }: OnDisk, operation: "write" | "datasync"): Promise<void> {
	ledger.append([draftOf(0)]);
	await ledger.barrier();
	disk.failNext(operation);
	ledger.append([draftOf(1)]);
	const failing = ledger.barrier();
	const sharing = ledger.barrier();
	const codes = [
		await codeOf(() => failing),
		await codeOf(() => sharing),
		await codeOf(() => ledger.append([draftOf(2)])),
		await codeOf(() => ledger.barrier()),
		await codeOf(() => collect(ledger.entries())),
		await codeOf(() => ledger.close()),
	];
	deepStrictEqual(
		codes,
		codes.map(() => "LEDGER_FAILED"),
	);
}

async function failsBehind({ ledger, disk }: OnDisk): Promise<void> {
	ledger.append([draftOf(0)]);
	disk.failNext("datasync");
	const reached = disk.holdNextSync();
	const failing = ledger.barrier();
	const release = await reached;
	ledger.append([draftOf(1)]);
	const behind = ledger.barrier();
	release();
	deepStrictEqual([await codeOf(() => failing), await codeOf(() => behind)], ["LEDGER_FAILED", "LEDGER_FAILED"]);
}
