// Ledger contract
//
// The suite of every ledger (engine/testing/ledger-contract.ts) as tests of this repository's runner, and the records that
// its tests are written with.
//
// Owns:      that registration.
// Does not:  know a promise or an adapter.

import { describe, it } from "vitest";
import type { EntryDraft, Intent } from "../../engine/ledger/entry.js";
import { type LedgerUnderTest, ledgerContract as ledgerCases, type MadeLedger } from "../../engine/testing/index.js";

export { codeOf, collect } from "../../engine/testing/contract-case.js";
export type { LedgerDisk } from "../../engine/testing/index.js";

export function draftOf(index: number, data: EntryDraft["data"] = { index }): EntryDraft {
	return { kind: "tool_called", runId: "run", at: 1_000 + index, data };
}

export function intentOf(index: number): Intent {
	return { kind: "intent", runId: "run", at: 1_000 + index, data: { index } };
}

export function ledgerContract<Made extends MadeLedger>(name: string, under: LedgerUnderTest<Made>): void {
	describe(`${name} keeps the promises of every ledger`, () => {
		for (const { name: promise, run } of ledgerCases(under)) it(promise, run);
	});
}
