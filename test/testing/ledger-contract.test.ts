// The contract suite for ledgers finds each way of being a bad one, and asks no ledger for what it cannot have.

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileLedger, type Ledger, memoryLedger } from "../../engine/index.js";
import { type LedgerUnderTest, ledgerContract } from "../../engine/testing/index.js";
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
		]);
		const lasting = wrong(() => ({ close: () => Promise.resolve() }));
		expect(await brokenBy(lasting)).toEqual([
			"a closed ledger takes nothing more",
			"a ledger that was closed unused takes nothing more",
		]);
	});

	it("finds a ledger that does not outlive its process though it says so", async () => {
		const under = { make: () => ({ ledger: memoryLedger() }), reopen: () => memoryLedger() };
		expect(await brokenBy(under)).toEqual([
			"L2: what a barrier made durable is there for the next process, numbered on from there",
		]);
	});

	it("asks for what a disk can break only where there is one", () => {
		const names = (under: LedgerUnderTest) => ledgerContract(under).filter(({ name }) => /^L[23]/.test(name)).length;
		const make = () => ({ ledger: memoryLedger() });
		expect(names({ make })).toBe(0);
		expect(names({ make, reopen: () => memoryLedger() })).toBe(1);
		expect(names({ make, disk: () => ({ syncs: 0 }) as never })).toBe(4);
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
		expect([ends, closed]).toEqual([broken, [true, true]]);
	});
});
