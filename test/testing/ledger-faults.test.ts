// The contract suite for ledgers finds every fault of a ledger that outlives its process, and nothing against one that has none.

import { describe, expect, it } from "vitest";
import { type LedgerUnderTest, ledgerContract, type MadeLedger } from "../../engine/testing/index.js";
import { BARRIER_FAULTS } from "./barrier-faults.js";
import { PlainLedger, storedUnder } from "./plain-ledger.js";
import { READING_FAULTS } from "./reading-faults.js";
import { REOPENING_FAULTS } from "./reopening-faults.js";

/** A promise that is broken. The last first: those of the time after a ledger are most of what is looked for here. */
async function brokenBy<Made extends MadeLedger>(under: LedgerUnderTest<Made>): Promise<string | undefined> {
	for (const { name, run } of [...ledgerContract(under)].reverse()) {
		try {
			await run();
		} catch (error) {
			// A fault that broke the suite itself would be found by anything.
			expect(error).toHaveProperty("code", expect.stringMatching(/^(ERR_ASSERTION|LEDGER_FAILED)$/));
			return name;
		}
	}
	return undefined;
}

describe("the contract of ledgers", () => {
	it("has nothing against a plain ledger on a store", async () => {
		expect(await brokenBy(storedUnder(PlainLedger))).toBe(undefined);
	});

	it.each(Object.entries(BARRIER_FAULTS))("finds a ledger that %s", async (_what, Kind) => {
		expect(await brokenBy(storedUnder(Kind))).not.toBe(undefined);
	});

	it.each(Object.entries(REOPENING_FAULTS))("finds a ledger that %s", async (_what, Kind) => {
		expect(await brokenBy(storedUnder(Kind))).not.toBe(undefined);
	});

	it.each(Object.entries(READING_FAULTS))("finds a ledger that %s", async (_what, Kind) => {
		expect(await brokenBy(storedUnder(Kind))).not.toBe(undefined);
	});
});
