// A tool that holds the host's thread holds its own limit's timer: its answer stands, and that it overran is told.

import { expect, it } from "vitest";
import { benchOf, callsOf, shorts, toolOf } from "../support/law-kit.js";
import type { ManualClock } from "../support/manual-clock.js";

const host: { clock?: ManualClock } = {};
const holds = toolOf("holds", ({ n = 0 }) => {
	host.clock?.leap(n);
	return n;
});
const holdsLater = toolOf("holds_later", async ({ n = 0 }) => {
	await null;
	host.clock?.leap(n);
	return n;
});

it.each(["holds", "holds_later"])(
	"%s keeps its answer, and the result and an event say what was measured",
	async (name) => {
		const { engine, clock, events } = benchOf({ tools: [holds, holdsLater], timeouts: { toolMs: 200 } });
		host.clock = clock;
		const wave = await engine.executeWave(callsOf(`${name} 5600`, `${name} 200`), { schedule: "serial" });
		expect(shorts(wave)).toEqual(["5600", "200"]);
		const overran = { limit: "toolMs", limitMs: 200, ranMs: 5_600, note: expect.stringContaining("onThread()") };
		expect(wave.results.map(({ timing }) => timing.overran)).toEqual([overran, undefined]);
		const told = events.filter(({ kind }) => kind === "call_overran");
		expect(told).toMatchObject([{ index: 0, name, ...overran }]);
	},
);

it("a limit that comes late because the host's thread was held still answers, and is told as well", async () => {
	const waits = toolOf("waits", () => new Promise(() => undefined));
	const { engine, clock, events } = benchOf({ tools: [waits, holds], timeouts: { toolMs: 200 } });
	host.clock = clock;
	const running = engine.executeWave(callsOf("waits 0", "holds 900"));
	await clock.pass(0);
	const wave = await running;
	expect(shorts(wave)).toEqual(["TIMED_OUT", "900"]);
	expect(wave.results[0]?.outcome).toMatchObject({ error: { details: { limitMs: 200, ranMs: 900 } } });
	expect(events.filter(({ kind }) => kind === "call_overran")).toMatchObject([{ index: 1 }, { index: 0, ranMs: 900 }]);
});
