// How many threads there are, and what becomes of calls when none can be had; by hand, on a clock that stands still.

import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { settled } from "../support/manual-clock.js";
import { ScriptedPool } from "./scripted-threads.js";
import { gist, type StartedCall, startCall, threadWork } from "./thread-kit.js";

const ECHO = threadWork("plain/echo");

function startCalls(pool: ScriptedPool, count: number): StartedCall[] {
	return Array.from({ length: count }, () => startCall(pool.executor, ECHO));
}

describe("threads", () => {
	it("J5: beyond the fewest are started by calls alone, as many as there are calls and no more than the most", async () => {
		const pool = new ScriptedPool({ threadsMin: 2, threadsMax: 4 });
		await settled();
		expect(pool.threads).toHaveLength(2);
		startCalls(pool, 3);
		await settled();
		expect(pool.threads).toHaveLength(3);
		startCalls(pool, 8);
		await settled();
		expect(pool.threads).toHaveLength(4);
		const lazy = new ScriptedPool();
		await settled();
		expect(lazy.threads).toHaveLength(0);
	});

	it("J4: that die while calls wait are replaced, and the calls are handed to the new one", async () => {
		const pool = new ScriptedPool();
		const calls = startCalls(pool, 2);
		const first = await pool.openLast();
		const [cell = -1] = first.handed().map((wire) => wire.cell);
		await first.begin(cell);
		await first.exit(1);
		expect(gist((await calls[0]?.ended) ?? { ok: true })).toBe("WORKER_LOST terminated");
		const second = await pool.openLast();
		expect(second.handed()).toHaveLength(1);
	});

	it("J7: of the fewest are replaced, also where they never served, until three in a row were for nothing", async () => {
		const pool = new ScriptedPool({ threadsMin: 2, threadsMax: 4 });
		await settled();
		await pool.threads[0]?.open();
		await pool.threads[0]?.exit(1);
		expect(pool.threads).toHaveLength(3);
		await pool.threads[1]?.exit(1);
		expect(pool.threads).toHaveLength(4);
		await pool.threads[2]?.exit(1);
		await pool.threads[3]?.exit(1);
		await settled();
		expect(pool.threads).toHaveLength(4);
		startCalls(pool, 1);
		await settled();
		expect(pool.threads).toHaveLength(6);
	});

	it("are ended once they had nothing to do for long, down to the fewest", async () => {
		const pool = new ScriptedPool({ threadsMin: 1, threadsMax: 3, idleMs: 1_000 });
		startCalls(pool, 3);
		await settled();
		for (const thread of pool.threads) await thread.open();
		for (const thread of pool.threads) {
			const [cell = -1] = thread.handed().map((wire) => wire.cell);
			await thread.begin(cell);
			await thread.answer(cell, 1);
		}
		await pool.clock.pass(999);
		expect(pool.threads.map(({ isEnded }) => isEnded)).toEqual([false, false, false]);
		await pool.clock.pass(2_000);
		expect(pool.threads.map(({ isEnded }) => isEnded)).toEqual([true, true, false]);
	});

	it("that fail to start three times in a row answer whoever waits, and the next call is a new try", async () => {
		const pool = new ScriptedPool();
		const [call] = startCalls(pool, 1);
		for (let tries = 0; tries < 3; tries += 1) {
			await settled();
			expect(pool.threads).toHaveLength(tries + 1);
			await pool.threads[tries]?.refuseToOpen("a bad option");
			expect(pool.threads[tries]?.isEnded).toBe(true);
			await pool.threads[tries]?.exit(1);
		}
		const outcome = await call?.ended;
		expect(outcome).toMatchObject({
			error: { code: "TOOL_NOT_LOADED", message: expect.stringContaining("a bad option") },
		});
		expect(call?.begins()).toBe(0);
		startCalls(pool, 1);
		await settled();
		expect(pool.threads).toHaveLength(4);
	});

	it("that cannot even be made answer at once", async () => {
		const pool = new ScriptedPool({ threadsMax: 2 });
		pool.cannotStart = new Error("no such flag");
		const outcomes = await Promise.all(startCalls(pool, 3).map(({ ended }) => ended));
		expect(outcomes.map(gist)).toEqual(["TOOL_NOT_LOADED start", "TOOL_NOT_LOADED start", "TOOL_NOT_LOADED start"]);
	});

	it("that cannot even be made leave no port open, which would hold the process", async () => {
		const pool = new ScriptedPool({ threadsMax: 2 });
		pool.cannotStart = new Error("no such flag");
		await Promise.all(startCalls(pool, 2).map(({ ended }) => ended));
		expect(pool.unusedPorts).not.toHaveLength(0);
		await Promise.all(pool.unusedPorts.map((port) => once(port, "close")));
	});

	it("that were ended and do not exit make room for others, and their calls are over only at the exit", async () => {
		const pool = new ScriptedPool();
		const [stuck, waiting] = startCalls(pool, 2);
		const thread = await pool.openLast();
		const [cell = -1] = thread.handed().map((wire) => wire.cell);
		await thread.begin(cell);
		stuck?.stop(0);
		await pool.clock.pass(0);
		await pool.clock.pass(4_999);
		expect(pool.threads).toHaveLength(1);
		await pool.clock.pass(1);
		const next = await pool.openLast();
		const [other = -1] = next.handed().map((wire) => wire.cell);
		await next.begin(other);
		await next.answer(other, 2);
		expect(gist((await waiting?.ended) ?? { ok: true })).toBe(2);
		let report: unknown;
		void pool.executor.close(0).then((closed) => {
			report = closed;
		});
		await next.exit(1);
		await pool.clock.pass(5_000);
		expect(report).toEqual({ abandoned: 1 });
		await thread.exit(1);
		expect(gist((await stuck?.ended) ?? { ok: true })).toBe("WORKER_LOST terminated");
	});

	it("that give no sign while they start are ended at the bound", async () => {
		const pool = new ScriptedPool();
		startCalls(pool, 1);
		await settled();
		await pool.clock.pass(29_999);
		expect(pool.threads[0]?.isEnded).toBe(false);
		await pool.clock.pass(1);
		expect(pool.threads[0]?.isEnded).toBe(true);
	});
});

describe("a module that never loads", () => {
	it("ends its thread at the bound, and its call alone pays", async () => {
		const pool = new ScriptedPool();
		const [call, waiting] = startCalls(pool, 2);
		const thread = await pool.openLast();
		const [cell = -1] = thread.handed().map((wire) => wire.cell);
		thread.cells.load(cell);
		await thread.say({ loading: cell });
		await pool.clock.pass(30_000);
		expect(thread.isEnded).toBe(true);
		await thread.exit(1);
		expect(await call?.ended).toMatchObject({
			error: { code: "TOOL_NOT_LOADED", details: { reason: "load", limitMs: 30_000 } },
		});
		const next = await pool.openLast();
		const [other = -1] = next.handed().map((wire) => wire.cell);
		await next.begin(other);
		await next.answer(other, 2);
		expect(gist((await waiting?.ended) ?? { ok: true })).toBe(2);
	});
});

describe("Y1: a close", () => {
	it("hands out nothing more and says what it had to leave", async () => {
		const pool = new ScriptedPool();
		const [running, waiting] = startCalls(pool, 2);
		const thread = await pool.openLast();
		const [cell = -1] = thread.handed().map((wire) => wire.cell);
		await thread.begin(cell);
		let report: unknown;
		void pool.executor.close(100).then((closed) => {
			report = closed;
		});
		expect(gist((await waiting?.ended) ?? { ok: true })).toBe("ABORTED_BEFORE_DISPATCH");
		await pool.clock.pass(100);
		expect(thread.isEnded).toBe(true);
		await pool.clock.pass(5_000);
		expect(report).toEqual({ abandoned: 1 });
		await thread.exit(1);
		expect(gist((await running?.ended) ?? { ok: true })).toBe("WORKER_LOST terminated");
		expect(pool.clock.timersSet).toBe(0);
	});
});
