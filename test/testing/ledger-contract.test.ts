// The contract suite for ledgers finds each way of being a bad one, and asks no ledger for what it cannot have.

import { createHash } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileLedger, type JsonObject, type Ledger, memoryLedger } from "../../engine/index.js";
import { type LedgerUnderTest, ledgerContract } from "../../engine/testing/index.js";
import { HeldDisk } from "../ledger/held-disk.js";
import { scratchFolder } from "../support/scratch-folder.js";

async function brokenBy(under: LedgerUnderTest): Promise<string[]> {
	const broken: string[] = [];
	for (const { name, run } of ledgerContract(under)) await run().catch(() => broken.push(name));
	return broken;
}

/** A memory ledger with one member that is wrong. */
function wrong(member: (good: Ledger) => Partial<Ledger>): LedgerUnderTest {
	return {
		make() {
			const good = memoryLedger();
			const ledger: Ledger = {
				append: (records) => good.append(records),
				barrier: () => good.barrier(),
				entries: () => good.entries(),
				intents: () => good.intents(),
				records: () => good.records(),
				close: () => good.close(),
				...member(good),
			};
			return { ledger };
		},
	};
}

/** What is iterated again goes on where it was. */
function once<Item>(items: AsyncIterable<Item>): AsyncIterable<Item> {
	const iterator = items[Symbol.asyncIterator]();
	return { [Symbol.asyncIterator]: () => iterator };
}

function only<Item>(items: AsyncIterable<Item>, isWanted: (item: Item) => boolean): AsyncIterable<Item> {
	return {
		async *[Symbol.asyncIterator]() {
			for await (const item of items) if (isWanted(item)) yield item;
		},
	};
}

const changing =
	(change: (data: JsonObject) => JsonObject) =>
	(good: Ledger): Partial<Ledger> => ({
		append: (records) => good.append(records.map((record) => ({ ...record, data: change(record.data) }))),
	});

type Fault = [what: string, member: (good: Ledger) => Partial<Ledger>, promise: string];

const FAULTS: Fault[] = [
	[
		"gives every entry of a later run the same number",
		(good) => ({
			entries: () => ({
				async *[Symbol.asyncIterator]() {
					for await (const entry of good.entries()) yield entry.runId === "run" ? entry : { ...entry, seq: 0 };
				},
			}),
		}),
		"each run in its order",
	],
	[
		"takes one run an append",
		(good) => ({ append: (all) => good.append(all.filter((one) => one.runId === all[0]?.runId)) }),
		"each run in its order",
	],
	[
		"knows the intents of one run",
		(good) => ({ intents: () => only(good.intents(), ({ runId }) => runId !== "b") }),
		"the intents of every run",
	],
	[
		"finds nothing of a run by its id",
		(good) => ({ records: (runId) => only(good.records(), () => runId === undefined) }),
		"records of one run",
	],
	[
		"finds a run without its intents",
		(good) => ({ records: (runId) => only(good.records(), ({ kind }) => runId === undefined || kind !== "intent") }),
		"records of one run",
	],
	["reads intents once", (good) => ({ intents: () => once(good.intents()) }), "can be iterated twice"],
	["reads records once", (good) => ({ records: () => once(good.records()) }), "can be iterated twice"],
	["cuts large values", changing((data) => (JSON.stringify(data).length > 50_000 ? {} : data)), "however large"],
	["sorts names", changing((data) => Object.fromEntries(Object.entries(data).sort())), "every name and number"],
	["loses names", changing(({ constructor: _lost, ...data }) => data), "every name and number"],
	[
		"throws at an empty list",
		(good) => ({ append: (all) => (all.length === 0 ? failEmpty() : good.append(all)) }),
		"appended at once and one by one",
	],
	[
		"holds a thousand records",
		(good) => {
			let room = 1_000;
			return { append: (all) => good.append(all.filter(() => room-- > 0)) };
		},
		"thousands of entries",
	],
	[
		"names values by their place",
		() => ({
			values: {
				keep: async (all) => all.map((_, place) => String(place)),
				load: async () => ({ bytes: new Uint8Array() }),
			},
		}),
		"by the SHA-256",
	],
	[
		"gives values under any name",
		() => ({
			values: {
				keep: async (all) => all.map((bytes) => createHash("sha256").update(bytes).digest("hex")),
				load: async () => ({ bytes: Buffer.from("a") }),
			},
		}),
		"by the SHA-256",
	],
];

function failEmpty(): never {
	throw new Error("empty");
}

describe("the contract of ledgers", () => {
	it("finds a ledger that turns the order, swallows intents, forgets on reading, or takes lines once closed", async () => {
		const turned = wrong((good) => ({ append: (records) => good.append([...records].reverse()) }));
		expect(await brokenBy(turned)).toContain(
			"L1: entries read back in the order they were appended, numbered from 0 without a gap",
		);
		const swallowing = wrong((good) => ({
			append: (records) => good.append(records.filter(({ kind }) => kind !== "intent")),
		}));
		expect(await brokenBy(swallowing)).toEqual([
			"an intent takes no number and is no entry",
			"entries and intents read back together in the order they were appended",
			"L1: entries of several runs are all there, each run in its order, and so are the intents of every run",
			"records of one run are all there and in order, its intents among them",
			"what intents() and records() returned can be iterated twice, and each time from the first",
			"entries of every kind and of every run are there whole, whichever way they are read",
			"two readers at once, and one that stops early, are in nobody's way",
		]);
		const lasting = wrong(() => ({ close: () => Promise.resolve() }));
		expect(await brokenBy(lasting)).toEqual([
			"a closed ledger takes nothing more",
			"a ledger that was closed unused takes nothing more",
		]);
	});

	it.each(FAULTS)("finds a ledger that %s", async (_what, member, promise) => {
		expect(await brokenBy(wrong(member))).toContainEqual(expect.stringContaining(promise));
	});

	it("finds a ledger that does not outlive its process though it says so", async () => {
		const under = { make: () => ({ ledger: memoryLedger() }), reopen: () => memoryLedger() };
		const after = ledgerContract(under).filter(({ name }) => name.startsWith("L2"));
		expect(await brokenBy(under)).toEqual(after.map(({ name }) => name));
		expect(after.length).toBeGreaterThan(3);
	});

	it("asks for what a disk can break only where there is one", () => {
		const names = (under: LedgerUnderTest) => ledgerContract(under).filter(({ name }) => /^L[23]/.test(name)).length;
		const make = () => ({ ledger: memoryLedger() });
		expect(names({ make })).toBe(0);
		expect(names({ make, reopen: () => memoryLedger() })).toBe(6);
		expect(names({ make, afterCrash: () => memoryLedger() })).toBe(0);
		expect(names({ make, disk: () => ({ syncs: 0 }) as never })).toBe(5);
	});

	it("looks at what a crash leaves where it is told to, and otherwise at what is opened again", async () => {
		const looked: string[] = [];
		const lookedBy = (how: string) => (): Ledger => {
			looked.push(how);
			return memoryLedger();
		};
		const crashes = (under: LedgerUnderTest) =>
			ledgerContract(under).find(({ name }) => name.includes("is there after a crash"));
		const make = () => ({ ledger: memoryLedger() });
		await crashes({ make, reopen: lookedBy("reopen") })
			?.run()
			.catch(() => undefined);
		await crashes({ make, reopen: lookedBy("reopen"), afterCrash: lookedBy("afterCrash") })
			?.run()
			.catch(() => undefined);
		expect(looked).toEqual(["reopen", "afterCrash"]);
	});

	it("finds a ledger whose barrier resolves before its sync is done", async () => {
		const cases = ledgerContract({
			make() {
				const disk = new HeldDisk();
				const ledger = disk.ledgerAt(join(scratchFolder(), "ledger.jsonl"));
				const { barrier } = ledger;
				ledger.barrier = () => {
					barrier.call(ledger).catch(() => undefined);
					return Promise.resolve();
				};
				return { ledger, disk, dispose: () => ledger.close().catch(() => undefined) };
			},
			disk: ({ disk }) => disk,
		});
		const early = cases.find(({ name }) => name === "L2: a barrier resolves only once its sync is done");
		await expect(early?.run()).rejects.toMatchObject({ code: "ERR_ASSERTION" });
	});

	it("lets go of what was made, whether a promise was kept or not", async () => {
		let disposed = 0;
		const dispose = () => {
			disposed += 1;
			return Promise.resolve();
		};
		const made = wrong((good) => ({ append: (records) => good.append([...records].reverse()) }));
		const under: LedgerUnderTest = { make: async () => ({ ...(await made.make()), dispose }) };
		const cases = ledgerContract(under).length;
		await brokenBy(under);
		expect(disposed).toBe(cases);
	});

	it.each([
		["outlives its process", 0],
		["does not", 1],
	])("closes whatever it has opened again, of a ledger that %s", async (_which, broken) => {
		const path = join(scratchFolder(), "ledger.jsonl");
		const closed: boolean[] = [];
		const reopen = (): Ledger => {
			const ledger = broken === 0 ? fileLedger(path) : memoryLedger();
			const place = closed.push(false) - 1;
			const { close } = ledger;
			ledger.close = () => {
				closed[place] = true;
				return close.call(ledger);
			};
			return ledger;
		};
		const [outlives] = ledgerContract({ make: () => ({ ledger: fileLedger(path) }), reopen }).filter(({ name }) =>
			name.startsWith("L2"),
		);
		const ends = await outlives?.run().then(
			() => 0,
			() => 1,
		);
		expect([ends, closed]).toEqual([broken, broken === 0 ? [true, true, true] : [true]]);
	});
});
