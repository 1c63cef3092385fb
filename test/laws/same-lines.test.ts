// Law 4, by example: the same lines in the same order, whatever finished first. The property that compares random waves
// with a serial reference is in ../serial-equivalence.test.ts.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Policy } from "../../engine/policy/policy.js";
import { benchOf, callsOf, canonicalOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";

const CALLS = [
	...callsOf("read 0", "read 1", "missing", "read 3", "write 4", "note 5", "note 6", "read 7", "fetch 8", "read 1"),
	{ id: "cut", name: "read", args: '{"n": 10' },
	{ id: "refused", name: "write", args: { n: "eleven" } },
	{ id: "id-1", name: "read", args: { n: 1 } },
];

const judges: Policy = {
	name: "judges",
	admit(call, { index }) {
		if (call.name === "fetch") throw new Error("cannot judge what reaches outside");
		if (index !== 6) return "clear";
		return { deny: { rule: "one note", violation: "There is one note already.", alternative: "Write it there." } };
	},
	account(_call, _outcome, { index }) {
		if (index === 7) throw new TypeError("cannot account the seventh");
	},
};

interface Manner {
	readonly schedule: "serial" | "leading-reads" | "barriers";
	readonly maxParallelToolCalls: number;
	readonly runId: string;
	readonly onError: "continue" | "stop";
	readonly picks: readonly number[];
}

async function linesWith(manner: Manner): Promise<string[]> {
	const { runId, picks, ...options } = manner;
	const { engine, held, ledger, clock } = benchOf({ policies: [judges], ...options });
	await clock.pass(picks.length * 1000);
	let done = false;
	const running = engine.executeWave(CALLS, { runId });
	void running.then(() => {
		done = true;
	});
	for (let turn = 0; !done; turn += 1) {
		await settled(1);
		held.releaseAt(picks[turn % picks.length] ?? 0);
		await clock.pass(7);
	}
	return canonicalOf(ledger);
}

describe("Law 4: same lines, same order", () => {
	it.each(["continue", "stop"] as const)(
		"whatever finishes first, runs beside what, and whenever it is (%s on errors)",
		async (onError) => {
			const serial = { schedule: "serial", maxParallelToolCalls: 1 } as const;
			const plain = await linesWith({ ...serial, runId: "one", onError, picks: [0] });
			const manners = fc.record({
				schedule: fc.constantFrom("serial", "leading-reads", "barriers"),
				maxParallelToolCalls: fc.integer({ min: 1, max: 8 }),
				runId: fc.constantFrom("one", "two"),
				picks: fc.array(fc.nat(7), { minLength: 1, maxLength: 8 }),
			});
			const same = fc.asyncProperty(manners, async (manner) => {
				expect(await linesWith({ ...manner, onError })).toEqual(plain);
			});
			await fc.assert(same, { numRuns: 50 });
			expect(plain).toHaveLength(1 + 2 * CALLS.length);
		},
	);

	it("and no line names the run, the time, or how long anything took", async () => {
		const lines = await linesWith({
			schedule: "barriers",
			maxParallelToolCalls: 4,
			runId: "a-run-id",
			onError: "continue",
			picks: [1],
		});
		const text = lines.join("\n");
		expect(text).not.toContain("a-run-id");
		expect(text).not.toMatch(/17000000\d+|"at"|Ms"|thread/);
	});
});
