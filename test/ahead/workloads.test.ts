// The four workloads on a virtual clock: the figures are the same on every machine, so they are held here.

import { describe, expect, it } from "vitest";
import { met } from "../../bench/harness.js";
import { workloads } from "../../bench/workloads.js";

describe("the waiting after a reply", () => {
	it("is within its distance of the bound on every workload, and less than with barriers alone", async () => {
		const rows = await workloads.run();
		expect(rows.length).toBeGreaterThan(0);
		const missed = rows.filter((row) => !met(row));
		expect(missed.map(({ what, against, ratio }) => `${what} against ${against}: ${ratio}`)).toEqual([]);
	}, 60_000);
});
