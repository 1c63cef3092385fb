// Faults of every kind at random among calls that behave: one outcome a call, the right one, and nothing left.

import fc from "fast-check";
import { expect, it } from "vitest";
import { settled } from "../support/manual-clock.js";
import { gist, RealPool } from "./thread-kit.js";

interface Case {
	readonly what: string;
	readonly args?: unknown;
	/** Stopped, without grace, once it has begun. */
	readonly stop?: true;
	readonly gist: unknown;
}

const GOOD: readonly Case[] = [
	{ what: "plain/echo", args: { name: "echo" }, gist: { name: "echo" } },
	{ what: "plain/echoLater", args: [1, 2], gist: [1, 2] },
	{ what: "plain/nothing", gist: undefined },
	{ what: "plain/report", args: { updates: [1, 2, 3] }, gist: 3 },
	{ what: "faults/behave", gist: "behaved" },
];

const BAD: readonly Case[] = [
	{ what: "faults/exitNow", args: { code: 0 }, gist: "WORKER_LOST exit" },
	{ what: "faults/exitLater", args: { code: 1 }, gist: "WORKER_LOST exit" },
	{ what: "faults/exitUnsaid", args: { code: 9 }, gist: "WORKER_LOST exit" },
	{ what: "faults/uncaught", gist: "WORKER_LOST uncaught" },
	{ what: "faults/rejectUnhandled", gist: "WORKER_LOST uncaught" },
	{ what: "faults/exhaustHeap", gist: "WORKER_LOST memory" },
	{ what: "faults/loopForEver", stop: true, gist: "WORKER_LOST terminated" },
	{ what: "faults/never", stop: true, gist: "WORKER_LOST terminated" },
	{ what: "faults/exitAfterAnswer", args: { code: 1, whileBusy: true }, gist: "answered" },
	{ what: "faults/exitAfterAnswer", args: { code: 0, whileBusy: false }, gist: "answered" },
	{ what: "faults/uncaughtAfterAnswer", args: { whileBusy: true }, gist: "answered" },
	{ what: "faults/rejectAfterAnswer", args: { whileBusy: false }, gist: "answered" },
	{ what: "faults/throwInMicrotask", gist: "answered" },
	{ what: "faults/throwOwn", gist: "TOOL_FAILED" },
	{ what: "faults/overflowStack", gist: "TOOL_FAILED" },
	{ what: "faults/answerFunction", gist: "NOT_CLONEABLE" },
	{ what: "faults/answerHuge", gist: "OUTPUT_TOO_LARGE" },
	{ what: "throws-on-load/run", gist: "TOOL_NOT_LOADED" },
	{ what: "exits-on-load/run", gist: "TOOL_NOT_LOADED exit" },
];

const storm = fc.array(
	fc.record({
		one: fc.oneof(
			{ weight: 4, arbitrary: fc.constantFrom(...GOOD) },
			{ weight: 1, arbitrary: fc.constantFrom(...BAD) },
		),
		read: fc.boolean(),
		ahead: fc.boolean(),
	}),
	{ minLength: 50, maxLength: 50 },
);

it("costs exactly its own calls, in waves of fifty on two threads, and leaves no port, thread or timer", async () => {
	const before = process.getActiveResourcesInfo();
	const pool = new RealPool({ max: 2, resourceLimits: { maxOldGenerationSizeMb: 48, maxYoungGenerationSizeMb: 8 } });
	await fc.assert(
		fc.asyncProperty(storm, async (wave) => {
			const calls = wave.map(({ one, read, ahead }) => {
				const call = pool.start(one.what, { args: one.args ?? {}, read, ahead });
				if (one.stop) void call.began.then(() => call.stop(0));
				return call;
			});
			const outcomes = await Promise.all(calls.map(({ ended }) => ended));
			expect(outcomes.map(gist)).toEqual(wave.map(({ one }) => one.gist));
			const neverBegins = (what: string): boolean => what.includes("-on-load");
			expect(calls.map((call) => call.begins())).toEqual(wave.map(({ one }) => (neverBegins(one.what) ? 0 : 1)));
			// One more may stay for a while, if early starts lent theirs.
			expect(pool.threads).toBeGreaterThanOrEqual(2);
		}),
		{ numRuns: 12, endOnFailure: true },
	);
	while (pool.threads > 2) await pool.saw("thread_ended", pool.count("thread_ended") + 1);
	expect(pool.threads).toBe(2);
	expect(await pool.executor.close(0)).toEqual({ abandoned: 0 });
	expect(pool.threads).toBe(0);
	// A closed port is gone a turn later.
	await settled();
	const left = process.getActiveResourcesInfo().filter((kind) => !take(before, kind));
	expect(left).toEqual([]);
}, 120_000);

function take(from: string[], kind: string): boolean {
	const at = from.indexOf(kind);
	if (at !== -1) from.splice(at, 1);
	return at !== -1;
}
