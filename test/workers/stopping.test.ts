// Asked first, ended after the grace, over only when the thread is seen dead; and no other call pays for it.

import { afterEach, expect, it } from "vitest";
import { gist, RealPool, type StartedCall } from "./thread-kit.js";

let pool: RealPool;
afterEach(async () => {
	expect(await pool.executor.close(0)).toEqual({ abandoned: 0 });
});

/** Resolves with the call once its tool has reported progress, which it does when it runs. */
function startReporting(what: string): Promise<StartedCall> {
	return new Promise((resolve) => {
		const call: StartedCall = pool.start(what, { context: { progress: () => resolve(call) } });
	});
}

it("a loop that never yields sees cancelled() and keeps its thread", async () => {
	pool = new RealPool();
	const call = await startReporting("plain/untilCancelled");
	call.stop(60_000);
	expect(gist(await call.ended)).toBe("stopped");
	await pool.run("plain/echo");
	expect(pool.count("thread_started")).toBe(1);
});

it("a waiting tool sees its signal abort and keeps its thread", async () => {
	pool = new RealPool();
	const call = await startReporting("plain/untilAborted");
	call.stop(60_000);
	expect(gist(await call.ended)).toBe("AbortError");
	await pool.run("plain/echo");
	expect(pool.count("thread_started")).toBe(1);
});

it.each(["faults/loopForEver", "faults/never"])("%s is ended with its thread, twenty-five times over", async (what) => {
	pool = new RealPool();
	for (let repeat = 0; repeat < 25; repeat += 1) {
		const call = pool.start(what);
		await call.began;
		call.stop(0);
		call.stop(0);
		expect(gist(await call.ended)).toBe("WORKER_LOST terminated");
		expect(pool.count("thread_ended")).toBe(repeat + 1);
	}
	expect(gist(await pool.run("plain/echo", { still: "there" }))).toEqual({ still: "there" });
	expect(pool.threads).toBe(1);
});

it("a call that was handed early to a thread that is ended runs elsewhere", async () => {
	pool = new RealPool();
	// Short reads teach the pool that calls of this thread are short, so that the next ones are handed early.
	await Promise.all([1, 2, 3, 4].map(() => pool.start("plain/nothing", { read: true }).ended));
	const looping = pool.start("faults/loopForEver", { read: true });
	const behind = [1, 2, 3].map((name) => pool.start("plain/echo", { args: { name }, read: true }));
	await looping.began;
	looping.stop(0);
	expect(gist(await looping.ended)).toBe("WORKER_LOST terminated");
	const outcomes = await Promise.all(behind.map(({ ended }) => ended));
	expect(outcomes.map(gist)).toEqual([{ name: 1 }, { name: 2 }, { name: 3 }]);
	expect(behind.map((call) => call.begins())).toEqual([1, 1, 1]);
});

it("J1: reads that were handed early run one at a time", async () => {
	pool = new RealPool();
	await Promise.all([1, 2, 3].map(() => pool.start("plain/nothing", { read: true }).ended));
	const calls = Array.from({ length: 40 }, () => pool.start("plain/countRunning", { read: true }));
	expect((await Promise.all(calls.map(({ ended }) => ended))).map(gist)).toEqual(calls.map(() => 1));
});

it("a short read behind a long call moves to the thread that is free", async () => {
	pool = new RealPool({ max: 2 });
	const memory = new SharedArrayBuffer(4);
	await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => pool.start("plain/nothing", { read: true }).ended));
	const long = pool.start("plain/untilSet", { args: { memory }, read: true });
	const behind = [1, 2, 3, 4].map((name) => pool.start("plain/echo", { args: { name }, read: true }));
	expect((await Promise.all(behind.map(({ ended }) => ended))).map(gist)).toEqual(
		[1, 2, 3, 4].map((name) => ({ name })),
	);
	Atomics.store(new Int32Array(memory), 0, 1);
	Atomics.notify(new Int32Array(memory), 0);
	expect(gist(await long.ended)).toBe("set");
});

it("a close stops what runs, refuses what waits, and leaves nothing", async () => {
	pool = new RealPool();
	const running = pool.start("faults/loopForEver");
	const waiting = pool.start("plain/echo");
	await running.began;
	expect(await pool.executor.close(0)).toEqual({ abandoned: 0 });
	expect(gist(await running.ended)).toBe("WORKER_LOST terminated");
	expect(gist(await waiting.ended)).toBe("ABORTED_BEFORE_DISPATCH");
	expect(pool.threads).toBe(0);
});
