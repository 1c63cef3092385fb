// Every way a tool can end its thread costs exactly its own call, and the pool is as large afterwards as before.

import { afterEach, describe, expect, it } from "vitest";
import { gist, RealPool } from "./thread-kit.js";

const HEAP = { maxOldGenerationSizeMb: 48, maxYoungGenerationSizeMb: 8 };

let pool: RealPool;
afterEach(async () => {
	expect(await pool.executor.close(0)).toEqual({ abandoned: 0 });
	expect(pool.threads).toBe(0);
});

describe("a fault", () => {
	it.each([
		["exitNow", { code: 0 }, "exit", { exitCode: 0 }],
		["exitNow", { code: 1 }, "exit", { exitCode: 1 }],
		["exitLater", { code: 7 }, "exit", { exitCode: 7 }],
		["uncaught", {}, "uncaught", { exitCode: 1 }],
		["rejectUnhandled", {}, "uncaught", { exitCode: 1 }],
		["exhaustHeap", {}, "memory", { exitCode: 1, limitMb: 48 }],
	])("of its own, %s(%j), is WORKER_LOST because of %s", async (name, args, reason, details) => {
		pool = new RealPool({ max: 1, resourceLimits: HEAP });
		const call = pool.start(`faults/${name}`, { args });
		expect(await call.ended).toMatchObject({
			ok: false,
			error: { code: "WORKER_LOST", details: { reason, ...details } },
		});
		expect(call.begins()).toBe(1);
		expect(gist(await pool.run("plain/echo", { after: name }))).toEqual({ after: name });
	});

	it("that nothing caught is kept with its name, code and message", async () => {
		pool = new RealPool();
		expect(await pool.run("faults/uncaught")).toMatchObject({
			error: { cause: { name: "OwnError", code: "E_OWN", message: "nobody caught this" } },
		});
	});

	it("that only overflows the stack is a throw, and the thread goes on", async () => {
		pool = new RealPool();
		const thread = gist(await pool.run("plain/whichThread"));
		expect(await pool.run("faults/overflowStack")).toMatchObject({
			error: { code: "TOOL_FAILED", cause: { name: "RangeError" } },
		});
		expect(gist(await pool.run("plain/whichThread"))).toBe(thread);
	});
});

describe("a pool of two threads", () => {
	it("has two threads after fifty exits, and every call between them is answered", async () => {
		pool = new RealPool({ max: 2 });
		for (let round = 0; round < 25; round += 1) {
			const outcomes = await Promise.all([
				pool.run("faults/exitNow", { code: round % 3 }),
				pool.run("faults/exitLater", { code: round % 3 }),
				pool.run("plain/echo", { round }),
				pool.run("plain/echoLater", { round }),
			]);
			expect(outcomes.map(gist)).toEqual(["WORKER_LOST exit", "WORKER_LOST exit", { round }, { round }]);
		}
		await Promise.all([pool.run("faults/exitNow", { code: 0 }), pool.run("faults/exitNow", { code: 1 })]);
		expect(pool.count("thread_ended")).toBe(52);
		expect(pool.threads).toBe(2);
	});

	it("runs what waits when both threads run out of memory at once", async () => {
		pool = new RealPool({ max: 2, resourceLimits: HEAP });
		const outcomes = await Promise.all([
			pool.run("faults/exhaustHeap"),
			pool.run("faults/exhaustHeap"),
			...[1, 2, 3, 4].map((name) => pool.run("plain/echo", { name })),
		]);
		const echoes = [1, 2, 3, 4].map((name) => ({ name }));
		expect(outcomes.map(gist)).toEqual(["WORKER_LOST memory", "WORKER_LOST memory", ...echoes]);
		expect(pool.threads).toBe(2);
	});
});

it("starts no thread before the first call", async () => {
	pool = new RealPool({ max: 2 });
	expect(pool.events).toEqual([]);
	await pool.run("plain/echo");
	expect(pool.count("thread_started")).toBe(1);
});

it("answers what waits when no thread can be started", async () => {
	pool = new RealPool({ max: 2, execArgv: ["--import", "./there-is-no-such-module.mjs"] });
	const outcomes = await Promise.all([pool.run("plain/echo"), pool.run("plain/echo")]);
	expect(outcomes.map(gist)).toEqual(["TOOL_NOT_LOADED start", "TOOL_NOT_LOADED start"]);
	expect(outcomes[0]).toMatchObject({ error: { message: expect.stringContaining("there-is-no-such-module") } });
	expect(gist(await pool.run("plain/echo"))).toBe("TOOL_NOT_LOADED start");
});
