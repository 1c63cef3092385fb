// A wave that pauses, is saved, loaded and resumed, against the same wave whose questions are answered at once.
//
// A failure prints its seed and path. `{ seed, path }` passed to `fc.assert` shows it again.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pauseCases } from "../support/pause-case.js";
import { readPaused, readStraight, readUnbroken } from "../support/pause-driver.js";

const WAVES = 1_000;
const NESTED_WAVES = 300;

/** Each thing that was done, once; a call that is declared once more is a repeat and does nothing. */
function twice(acted: readonly string[]): string[] {
	return acted.filter((what, place) => acted.indexOf(what) !== place);
}

describe("Law 4: a paused and resumed wave reads as an unbroken one", () => {
	it("TU1, PQ1: under every schedule, cap, order of answers and reload, and as the serial reference reads it", async () => {
		let pauses = 0;
		const same = fc.asyncProperty(pauseCases(false), async (wave) => {
			const [straight, unbroken, paused] = [await readStraight(wave), await readUnbroken(wave), await readPaused(wave)];
			expect(unbroken.reading).toEqual(straight);
			expect(paused.reading).toEqual(straight);
			expect(twice(paused.acted)).toEqual([]);
			expect(paused.timersLeft).toBe(0);
			pauses += paused.pauses;
		});
		await fc.assert(same, { numRuns: WAVES });
		expect(pauses).toBeGreaterThan(WAVES);
	}, 120_000);

	it("and with calls that call, whose questions travel", async () => {
		const same = fc.asyncProperty(pauseCases(true), async (wave) => {
			const unbroken = await readUnbroken(wave);
			const paused = await readPaused(wave);
			expect(paused.reading).toEqual(unbroken.reading);
			expect(twice(paused.acted)).toEqual(twice(unbroken.acted));
			expect(paused.timersLeft).toBe(0);
		});
		await fc.assert(same, { numRuns: NESTED_WAVES });
	}, 120_000);
});
