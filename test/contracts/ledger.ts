// Ledger contract
//
// What every ledger promises, run against each adapter. An adapter that has a disk passes one that can be held and
// broken, and is then asked for the promises that only a disk can break.
//
// Owns:      the promises of the port.
// Does not:  know an adapter.

import { afterEach, describe, expect, it } from "vitest";
import { isEngineError } from "../../engine/core/errors.js";
import { canonical, type Entry, type EntryDraft, type Intent } from "../../engine/ledger/entry.js";
import type { Ledger } from "../../engine/ledger/ledger.js";

/** A disk under a ledger, moved by hand. */
export interface LedgerDisk {
	/** How often bytes were made durable since the ledger was made. */
	readonly syncs: number;
	/** The next sync waits; resolves with its release once the ledger has asked for it. */
	holdNextSync(): Promise<() => void>;
	failNext(operation: "write" | "datasync"): void;
}

export interface LedgerSubject {
	readonly ledger: Ledger;
	readonly disk?: LedgerDisk;
	/** Another ledger on the same store, as a later process would open it. */
	reopen?(): Ledger;
	dispose(): Promise<void>;
}

export function draftOf(index: number, data: EntryDraft["data"] = { index }): EntryDraft {
	return { kind: "tool_called", runId: "run", at: 1_000 + index, data };
}

export function intentOf(index: number): Intent {
	return { kind: "intent", runId: "run", at: 1_000 + index, data: { index } };
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
	const all: Item[] = [];
	for await (const item of items) all.push(item);
	return all;
}

export async function codeOf(action: () => unknown): Promise<string> {
	try {
		await action();
	} catch (error) {
		return isEngineError(error) ? error.code : `not an EngineError: ${String(error)}`;
	}
	return "nothing was thrown";
}

const shapes = (entries: readonly Entry[]): unknown[] => entries.map(({ seq, data }) => [seq, data.index]);

export function ledgerContract(name: string, make: () => Promise<LedgerSubject>): void {
	const made: LedgerSubject[] = [];
	const open = async (): Promise<LedgerSubject> => {
		const subject = await make();
		made.push(subject);
		return subject;
	};
	afterEach(async () => {
		for (const subject of made.splice(0)) await subject.dispose();
	});

	describe(`${name}: what every ledger promises`, () => promisesOfAll(open));
	describe(`${name}: what a ledger on a disk promises`, () => promisesOfDisks(open));
	describe(`${name}: what a ledger on a broken disk promises`, () => promisesOfBrokenDisks(open));
	describe(`${name}: what an end of a ledger means`, () => promisesOfEnds(open));
}

function promisesOfAll(open: () => Promise<LedgerSubject>): void {
	it("L1: entries read back in the order they were appended, numbered from 0 without a gap", async () => {
		const { ledger } = await open();
		ledger.append([draftOf(0), draftOf(1)]);
		await ledger.barrier();
		ledger.append([draftOf(2)]);
		expect(shapes(await collect(ledger.entries()))).toEqual([0, 1, 2].map((index) => [index, index]));
	});

	it("an entry reads back with every field it was appended with", async () => {
		const { ledger } = await open();
		const data = { text: 'ä "\n\u2028\ud800', list: [1, -0.5, null, { __proto__x: true }], "": {} };
		ledger.append([draftOf(7, data)]);
		const before = await collect(ledger.entries());
		await ledger.barrier();
		const after = await collect(ledger.entries());
		expect(before).toEqual([{ seq: 0, ...draftOf(7, data) }]);
		expect(after).toEqual(before);
		expect(after.map(canonical)).toEqual([canonical(draftOf(7, data))]);
	});

	it("entries that are only held are read as well", async () => {
		const { ledger } = await open();
		ledger.append([draftOf(0)]);
		expect(shapes(await collect(ledger.entries()))).toEqual([[0, 0]]);
	});

	it("an intent takes no number and is no entry", async () => {
		const { ledger } = await open();
		ledger.append([draftOf(0), intentOf(1), draftOf(2)]);
		await ledger.barrier();
		ledger.append([intentOf(3), draftOf(4)]);
		expect(shapes(await collect(ledger.entries()))).toEqual([
			[0, 0],
			[1, 2],
			[2, 4],
		]);
		expect(await collect(ledger.intents())).toEqual([intentOf(1), intentOf(3)]);
	});

	it("entries and intents read back together in the order they were appended", async () => {
		const { ledger } = await open();
		ledger.append([draftOf(0), intentOf(1)]);
		await ledger.barrier();
		ledger.append([intentOf(2), draftOf(3)]);
		const expected = [{ seq: 0, ...draftOf(0) }, intentOf(1), intentOf(2), { seq: 1, ...draftOf(3) }];
		expect(await collect(ledger.records())).toEqual(expected);
	});

	it("entries can be read twice, and each time from the first", async () => {
		const { ledger } = await open();
		ledger.append([draftOf(0), draftOf(1)]);
		const entries = ledger.entries();
		expect(await collect(entries)).toEqual(await collect(entries));
	});

	it("a barrier with nothing held resolves, on a ledger that was never used too", async () => {
		const { ledger } = await open();
		await ledger.barrier();
		expect(await collect(ledger.entries())).toEqual([]);
	});
}

function promisesOfDisks(open: () => Promise<LedgerSubject>): void {
	it("L2: what a barrier made durable is there for the next process, numbered on from there", async ({ skip }) => {
		const { ledger, reopen } = await open();
		if (reopen === undefined) return skip("this ledger does not outlive its process");
		ledger.append([draftOf(0), intentOf(1), draftOf(2)]);
		await ledger.barrier();
		await ledger.close();
		const next = reopen();
		next.append([draftOf(3)]);
		await next.barrier();
		await next.close();
		expect(shapes(await collect(reopen().entries()))).toEqual([
			[0, 0],
			[1, 2],
			[2, 3],
		]);
	});

	it("L3: barriers asked for while one is under way share the next one", async ({ skip }) => {
		const { ledger, disk } = await open();
		if (disk === undefined) return skip("this ledger has no disk");
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
		expect(shapes(await collect(ledger.entries()))).toEqual([0, 1, 2, 3].map((index) => [index, index]));
		release();
		await Promise.all([first, ...later]);
		expect(disk.syncs - before).toBe(2);
		expect(shapes(await collect(ledger.entries()))).toEqual([0, 1, 2, 3, 4].map((index) => [index, index]));
	});
}

function promisesOfBrokenDisks(open: () => Promise<LedgerSubject>): void {
	for (const operation of ["write", "datasync"] as const) {
		it(`L2: after a ${operation} failed, no append, barrier, reading or close pretends`, async ({ skip }) => {
			const { ledger, disk } = await open();
			if (disk === undefined) return skip("this ledger has no disk");
			ledger.append([draftOf(0)]);
			await ledger.barrier();
			disk.failNext(operation);
			ledger.append([draftOf(1)]);
			const failing = ledger.barrier();
			const sharing = ledger.barrier();
			expect(await codeOf(() => failing)).toBe("LEDGER_FAILED");
			expect(await codeOf(() => sharing)).toBe("LEDGER_FAILED");
			expect(await codeOf(() => ledger.append([draftOf(2)]))).toBe("LEDGER_FAILED");
			expect(await codeOf(() => ledger.barrier())).toBe("LEDGER_FAILED");
			expect(await codeOf(() => collect(ledger.entries()))).toBe("LEDGER_FAILED");
			expect(await codeOf(() => ledger.close())).toBe("LEDGER_FAILED");
		});
	}

	it("L2: a barrier that waits behind a failing one fails as well", async ({ skip }) => {
		const { ledger, disk } = await open();
		if (disk === undefined) return skip("this ledger has no disk");
		ledger.append([draftOf(0)]);
		disk.failNext("datasync");
		const reached = disk.holdNextSync();
		const failing = ledger.barrier();
		const release = await reached;
		ledger.append([draftOf(1)]);
		const behind = ledger.barrier();
		release();
		expect([await codeOf(() => failing), await codeOf(() => behind)]).toEqual(["LEDGER_FAILED", "LEDGER_FAILED"]);
	});
}

function promisesOfEnds(open: () => Promise<LedgerSubject>): void {
	it("close makes durable what is held, and may be called twice", async () => {
		const { ledger } = await open();
		ledger.append([draftOf(0)]);
		await Promise.all([ledger.close(), ledger.close()]);
		await ledger.close();
		expect(shapes(await collect(ledger.entries()))).toEqual([[0, 0]]);
	});

	it("a closed ledger takes nothing more, whether it was used or not", async () => {
		for (const records of [[], [draftOf(0)]]) {
			const { ledger } = await open();
			if (records.length > 0) ledger.append(records);
			await ledger.close();
			expect(await codeOf(() => ledger.append([draftOf(1)]))).toBe("LEDGER_FAILED");
			expect(await codeOf(() => ledger.barrier())).toBe("LEDGER_FAILED");
		}
	});
}
