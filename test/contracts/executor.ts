// Executor contract
//
// The suite of every executor (engine/testing/executor-contract.ts) as tests of this repository's runner.
//
// Owns:      that registration.
// Does not:  know a promise or an adapter.

import { describe, it } from "vitest";
import type { Work } from "../../engine/execution/executor.js";
import { type ExecutorUnderTest, executorContract as executorCases } from "../../engine/testing/index.js";

export function executorContract<W extends Work>(name: string, under: ExecutorUnderTest<W>): void {
	describe(`${name} keeps the promises of an executor`, () => {
		for (const { name: promise, run } of executorCases(under)) it(promise, run);
	});
}
