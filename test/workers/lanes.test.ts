// Tools beside one another on few threads: whose turn it is, whose thread is lent, and what one tool can never take.

import { describe, expect, it } from "vitest";
import { settled } from "../support/manual-clock.js";
import { ScriptedPool, type ScriptedThread } from "./scripted-threads.js";
import { gist, RealPool, type StartedCall, startCall, threadWork } from "./thread-kit.js";

const WAITS = threadWork("plain/untilAborted");
const COMPUTES = threadWork("plain/spin");

interface Running {
	readonly thread: ScriptedThread;
	readonly cell: number;
	readonly name: string;
}

/** Opens what was started, and begins what was handed; says what. */
async function beginAll(pool: ScriptedPool): Promise<Running[]> {
	const begun: Running[] = [];
	await settled();
	for (const thread of pool.threads) {
		await thread.open();
		for (const { cell, exportName } of thread.handed()) {
			if (await thread.begin(cell)) begun.push({ thread, cell, name: exportName });
		}
	}
	return begun;
}

/** Lets so much time pass, in which the event loops of these threads were busy. */
async function pass(pool: ScriptedPool, ms: number, busy: readonly Running[] = []): Promise<void> {
	for (let step = 0; step < ms; step += 10) {
		for (const { thread } of busy) thread.loopBusyMs += 10;
		await pool.clock.pass(10);
	}
}

const calls = (pool: ScriptedPool, work: typeof WAITS, count: number): StartedCall[] =>
	Array.from({ length: count }, () => startCall(pool.executor, work));

const names = (running: readonly Running[]): string[] => running.map(({ name }) => name);

describe("a call that merely waits on its thread", () => {
	it("lends it to another tool's call, which runs beside it", async () => {
		const pool = new ScriptedPool();
		calls(pool, WAITS, 1);
		await beginAll(pool);
		calls(pool, COMPUTES, 2);
		await pass(pool, 100);
		expect(names(await beginAll(pool))).toEqual(["spin"]);
		expect(pool.threads).toHaveLength(2);
	});

	it("lends nothing to its own tool, however many of its calls wait", async () => {
		const pool = new ScriptedPool();
		calls(pool, WAITS, 20);
		await beginAll(pool);
		await pass(pool, 10_000);
		expect(pool.threads).toHaveLength(1);
		calls(pool, COMPUTES, 2);
		await pass(pool, 100);
		expect(names(await beginAll(pool))).toEqual(["spin"]);
	});

	it("lends nothing once it computes again", async () => {
		const pool = new ScriptedPool();
		const [, first] = [calls(pool, WAITS, 1), await beginAll(pool)];
		calls(pool, COMPUTES, 2);
		await pass(pool, 100);
		const [spin] = await beginAll(pool);
		if (spin === undefined) throw new Error("nothing was lent");
		await pass(pool, 100, [...first, spin]);
		await spin.thread.answer(spin.cell, 1);
		expect(await beginAll(pool)).toEqual([]);
		await pass(pool, 100, []);
		expect(names(await beginAll(pool))).toEqual(["spin"]);
	});

	it("leaves one thread where there were two, a while after it is back", async () => {
		const pool = new ScriptedPool();
		const [, first] = [calls(pool, WAITS, 1), await beginAll(pool)];
		calls(pool, COMPUTES, 1);
		await pass(pool, 100);
		for (const { thread, cell } of [...first, ...(await beginAll(pool))]) await thread.answer(cell, 1);
		await pool.clock.pass(900);
		expect(pool.threads.map(({ isEnded }) => isEnded)).toEqual([false, false]);
		await pool.clock.pass(1_200);
		expect(pool.threads.filter(({ isEnded }) => isEnded)).toHaveLength(1);
	});
});

it("a call that computes lends nothing, whoever waits", async () => {
	const pool = new ScriptedPool();
	const [, first] = [calls(pool, COMPUTES, 1), await beginAll(pool)];
	calls(pool, WAITS, 1);
	await pass(pool, 1_000, first);
	expect(pool.threads).toHaveLength(1);
});

it("a flood of one tool's calls costs another tool's call one turn", async () => {
	const pool = new ScriptedPool();
	calls(pool, COMPUTES, 10);
	calls(pool, WAITS, 1);
	const [first] = await beginAll(pool);
	await first?.thread.answer(first.cell, 1);
	expect(names(await beginAll(pool))).toEqual(["untilAborted"]);
});

it("a thread that leaves a call untouched is ended, and the call runs on another", async () => {
	const pool = new ScriptedPool();
	const [call] = calls(pool, COMPUTES, 1);
	const thread = await pool.openLast();
	expect(thread.handed()).toHaveLength(1);
	await pool.clock.pass(9_999);
	expect(thread.isEnded).toBe(false);
	await pool.clock.pass(10_001);
	expect(thread.isEnded).toBe(true);
	await thread.exit(1);
	expect(pool.events.at(-1)).toMatchObject({ kind: "thread_ended", reason: "silent" });
	expect(names(await beginAll(pool))).toEqual(["spin"]);
	expect(call?.begins()).toBe(1);
});

describe("a real thread", () => {
	it("whose call waits is lent", async () => {
		const pool = new RealPool({ max: 1 });
		const waits = pool.start("plain/untilAborted");
		await waits.began;
		expect(gist(await pool.run("plain/echo", "beside it"))).toBe("beside it");
		waits.stop(60_000);
		expect(gist(await waits.ended)).toBe("AbortError");
		await pool.executor.close(0);
	});

	it("whose call holds it is not, however long another waits", async () => {
		const pool = new RealPool({ max: 1 });
		const holds = pool.start("plain/reportInLoop", { args: { count: 5 } });
		const behind = pool.start("plain/echo", { args: "after it" });
		expect([gist(await holds.ended), gist(await behind.ended)]).toEqual([5, "after it"]);
		expect(pool.count("thread_started")).toBe(1);
		await pool.executor.close(0);
	});
});
