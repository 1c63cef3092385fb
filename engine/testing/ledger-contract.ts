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
import { draftOf, intentOf, OF_RECORDS, shapesOf } from "./ledger-records.js";

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
	const { make, reopen, disk } = under;
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
		...(reopen === undefined ? [] : [on(outlives(reopen))]),
		...(disk === undefined
			? []
			: OF_DISKS.map(({ name, keep }) =>
					on({ name, keep: (made) => keep({ ledger: made.ledger, disk: disk(made) }) }),
				)),
	];
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

function outlives<Made extends MadeLedger>(reopen: (made: Made) => Ledger): Promised<Made> {
	return promised(
		"L2: what a barrier made durable is there for the next process, numbered on from there",
		async (made) => {
			made.ledger.append([draftOf(0), intentOf(1), draftOf(2)]);
			await made.ledger.barrier();
			await made.ledger.close();
			await closedAfter(reopen(made), (next) => {
				next.append([draftOf(3)]);
				return next.barrier();
			});
			const expected = [0, 2, 3].map((index, seq) => [seq, index]);
			await closedAfter(reopen(made), async (last) => deepStrictEqual(await shapesOf(last), expected));
		},
	);
}

/** Also one that was only read: what it holds, such as a connection, would keep its process alive. */
async function closedAfter(ledger: Ledger, use: (ledger: Ledger) => Promise<void>): Promise<void> {
	try {
		await use(ledger);
	} finally {
		await ledger.close();
	}
}

interface OnDisk {
	readonly ledger: Ledger;
	readonly disk: LedgerDisk;
}

const OF_DISKS: readonly Promised<OnDisk>[] = [
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
