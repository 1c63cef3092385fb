// Law 5 as one property: whatever a reply does while it streams, whoever changes the world meanwhile and however long the
// tools run, what started early is never seen in what the model and the ledger are shown.
//
// A failure prints its seed and path. `{ seed, path }` passed to `fc.assert` shows it again.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aheadCases } from "../support/ahead-arbitrary.js";
import { runAhead } from "../support/ahead-driver.js";

const REPLIES = 1_500;

/** Cases below which the property proves too little of a class. */
const LEAST: Readonly<Record<string, number>> = {
	"used an early start": 300,
	"threw one away: keys were granted": 40,
	"threw one away: what it read moved": 40,
	"threw one away: needs admission": 40,
	"threw one away: not the admitted call": 10,
	"threw one away: restarted": 40,
	"threw one away: length": 5,
	"threw one away: failed": 10,
	"changed something": 120,
};

describe("Law 5: ahead is not an event", () => {
	const seen = new Map<string, number>();
	const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);

	it("so results and ledger are those of a run that starts nothing early, whatever happens meanwhile", async () => {
		const same = fc.asyncProperty(aheadCases, async (one) => {
			const plain = await runAhead(one, false);
			const early = await runAhead(one, "any");
			expect(early.shown).toEqual(plain.shown);
			expect([...early.changes].sort()).toEqual([...plain.changes].sort());
			expect(early.changes.filter((change) => change.endsWith("before the end"))).toEqual([]);
			expect(early.keysLeft).toBe(0);
			expect(early.timersLeft).toBe(plain.timersLeft);
			const kinds = new Set<string>();
			for (const event of early.events) {
				if (event.kind === "ahead_used") kinds.add("used an early start");
				if (event.kind === "ahead_discarded") kinds.add(`threw one away: ${event.reason}`);
			}
			if (early.changes.length > 0) kinds.add("changed something");
			for (const kind of kinds) count(kind);
		});
		await fc.assert(same, { numRuns: REPLIES });
	}, 240_000);

	it("and the cases hold enough of every class to prove it", () => {
		const rare = Object.entries(LEAST).filter(([what, least]) => (seen.get(what) ?? 0) < least);
		expect(rare.map(([what, least]) => `${what}: ${seen.get(what) ?? 0} of ${least}`)).toEqual([]);
	});
});
