// Law 1 under an abort: wherever it falls, each call ends as what it was doing then says, and nothing starts after it.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { benchOf, callsOf, linesOf, shorts } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";
import { Picks } from "../support/picks.js";

const cases = fc.record({
	names: fc.array(fc.constantFrom("read", "fetch", "write", "note"), { minLength: 1, maxLength: 8 }),
	schedule: fc.constantFrom("serial", "leading-reads", "barriers"),
	maxParallelToolCalls: fc.integer({ min: 1, max: 4 }),
	onError: fc.constantFrom("continue", "stop"),
	picks: fc.array(fc.nat(15), { minLength: 1, maxLength: 8 }),
	/** How many picks are played before the abort. */
	playedFirst: fc.nat(10),
});

describe("Law 1: every call gets exactly one outcome", () => {
	it("wherever an abort falls, under every schedule and cap", async () => {
		const ends = fc.asyncProperty(cases, async ({ names, picks, playedFirst, ...options }) => {
			const { engine, held, entered, ledger } = benchOf(options);
			const calls = callsOf(...names.map((name, index) => `${name} ${index}`));
			const host = new AbortController();
			const running = engine.executeWave(calls, { signal: host.signal });
			const order = new Picks(picks, held);
			for (let played = 0; played < playedFirst; played += 1) await order.once();
			await settled();
			const began = new Set(entered);
			const waits = new Set(held.waiting);
			host.abort();
			const wave = await running;
			const expected = names.map((name, index) => {
				const label = `${name} ${index}`;
				if (!began.has(label)) return "ABORTED_BEFORE_DISPATCH";
				if (!waits.has(label)) return String(index);
				return name === "read" || name === "fetch" ? "ABORTED" : "OUTCOME_UNKNOWN";
			});
			expect(shorts(wave)).toEqual(expected);
			const pairs = names.flatMap((_, index) => [`tool_called ${index}`, `tool_result ${index}`]);
			expect(await linesOf(ledger)).toEqual(["model_returned", ...pairs]);
			held.releaseAll();
			await settled();
			expect(new Set(entered)).toEqual(began);
		});
		await fc.assert(ends, { numRuns: 300 });
	});
});
