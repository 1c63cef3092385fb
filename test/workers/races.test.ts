// The races of the protocol, each played by hand in the order that would hurt.

import { describe, expect, it } from "vitest";
import { settled } from "../support/manual-clock.js";
import { ScriptedPool, type ScriptedThread } from "./scripted-threads.js";
import { type CallOptions, gist, type StartedCall, startCall, threadWork } from "./thread-kit.js";

const ECHO = threadWork("plain/echo");

function start(pool: ScriptedPool, options: CallOptions = {}): StartedCall {
	return startCall(pool.executor, ECHO, options);
}

/** A thread that has begun a read whose last run was short, with three reads handed early behind it. */
async function busyThread(
	pool: ScriptedPool,
): Promise<{ thread: ScriptedThread; calls: StartedCall[]; cells: number[] }> {
	const first = start(pool, { read: true });
	const thread = await pool.openLast();
	const [warm = -1] = thread.handed().map(({ cell }) => cell);
	await thread.begin(warm);
	await thread.answer(warm, 0);
	await first.ended;
	const calls = [1, 2, 3, 4].map(() => start(pool, { read: true }));
	await settled();
	const cells = thread.handed().map(({ cell }) => cell);
	await thread.begin(cells[0] ?? -1);
	return { thread, calls, cells };
}

describe("a stop", () => {
	it("J2: twice, or of a call that is over, changes nothing", async () => {
		const pool = new ScriptedPool();
		const call = start(pool);
		const thread = await pool.openLast();
		const [cell = -1] = thread.handed().map((wire) => wire.cell);
		await thread.begin(cell);
		call.stop(60_000);
		call.stop(0);
		await pool.clock.pass(1_000);
		expect(thread.isEnded).toBe(false);
		await thread.answer(cell, 1);
		call.stop(0);
		await pool.clock.pass(1_000);
		expect(gist(await call.ended)).toBe(1);
		expect([call.begins(), thread.isEnded]).toEqual([1, false]);
	});

	it("of a call that has begun without the host having heard of it reports the beginning before it returns", async () => {
		const pool = new ScriptedPool();
		const call = start(pool);
		const thread = await pool.openLast();
		const [cell = -1] = thread.handed().map((wire) => wire.cell);
		expect(thread.cells.begin(cell)).toBe(true);
		expect(call.begins()).toBe(0);
		call.stop(60_000);
		expect(call.begins()).toBe(1);
		expect(thread.cells.isCancelled(cell)).toBe(true);
		await thread.say(cell);
		await thread.answer(cell, 1);
		expect(gist(await call.ended)).toBe(1);
		expect(call.begins()).toBe(1);
	});

	it("of a call whose module is loading means that it never begins", async () => {
		const pool = new ScriptedPool();
		const call = start(pool);
		const thread = await pool.openLast();
		const [cell = -1] = thread.handed().map((wire) => wire.cell);
		expect(thread.cells.load(cell)).toBe(true);
		await thread.say({ loading: cell });
		call.stop(60_000);
		expect(gist(await call.ended)).toBe("ABORTED_BEFORE_DISPATCH");
		expect(thread.cells.begin(cell)).toBe(false);
		expect(call.begins()).toBe(0);
		// Until the module has loaded the thread is held by it, and takes nothing.
		const next = start(pool);
		await settled();
		expect(thread.handed()).toEqual([]);
		thread.cells.free(cell);
		await thread.say({ kind: "passed", cell });
		expect(thread.handed()).toHaveLength(1);
		next.stop(0);
	});

	it("of a call whose refusal to load is on its way leaves the refusal to speak", async () => {
		const pool = new ScriptedPool();
		const call = start(pool);
		const thread = await pool.openLast();
		const [cell = -1] = thread.handed().map((wire) => wire.cell);
		thread.cells.load(cell);
		await thread.say({ loading: cell });
		expect(thread.cells.refuse(cell)).toBe(true);
		call.stop(60_000);
		await thread.answer(cell, 9);
		expect(gist(await call.ended)).toBe(9);
		expect(call.begins()).toBe(0);
	});

	it("whose grace is over with the answer unread does not end the call that has begun since", async () => {
		const pool = new ScriptedPool();
		const { thread, calls, cells } = await busyThread(pool);
		const [first, second] = calls;
		const [firstCell = -1, secondCell = -1] = cells;
		// The thread has already claimed the second call when the first is stopped.
		expect(thread.cells.begin(secondCell)).toBe(true);
		first?.stop(1);
		void thread.answer(firstCell, 1, secondCell);
		await pool.clock.pass(1_000);
		expect(thread.isEnded).toBe(false);
		await thread.answer(secondCell, 2);
		expect([gist((await first?.ended) ?? { ok: true }), gist((await second?.ended) ?? { ok: true })]).toEqual([1, 2]);
	});

	it("takes what was handed early back, and the stopped thread is handed nothing until the call is over", async () => {
		const pool = new ScriptedPool();
		const { thread, calls, cells } = await busyThread(pool);
		calls[0]?.stop(60_000);
		await settled();
		expect(cells.slice(1).map((cell) => thread.cells.begin(cell))).toEqual([false, false, false]);
		expect(thread.handed()).toEqual([]);
		for (const cell of cells.slice(1)) thread.cells.free(cell);
		await thread.answer(cells[0] ?? -1, 1);
		expect(thread.handed().length).toBeGreaterThan(0);
	});
});

describe("an exit", () => {
	it("Y2: leaves a call whose answer is unread its answer", async () => {
		const pool = new ScriptedPool();
		const call = start(pool);
		const thread = await pool.openLast();
		const [cell = -1] = thread.handed().map((wire) => wire.cell);
		thread.cells.begin(cell);
		void thread.say(cell);
		void thread.answer(cell, 5);
		await thread.exit(0);
		expect(gist(await call.ended)).toBe(5);
	});

	it("Y3: loses the call that had begun, returns those that had not, and they run in order on the next thread", async () => {
		const pool = new ScriptedPool();
		const { thread, calls } = await busyThread(pool);
		await thread.exit(3);
		expect(gist((await calls[0]?.ended) ?? { ok: true })).toBe("WORKER_LOST exit");
		const next = await pool.openLast();
		expect(next).not.toBe(thread);
		const [wire] = next.handed();
		await next.begin(wire?.cell ?? -1);
		expect(calls.map((call) => call.begins())).toEqual([1, 1, 0, 0]);
	});

	it("of a thread that died over a module is not the loss of a call that began", async () => {
		const pool = new ScriptedPool();
		const call = start(pool);
		const thread = await pool.openLast();
		const [cell = -1] = thread.handed().map((wire) => wire.cell);
		thread.cells.load(cell);
		await thread.say({ loading: cell });
		await thread.exit(3);
		expect(gist(await call.ended)).toBe("TOOL_NOT_LOADED exit");
		expect(call.begins()).toBe(0);
	});

	it("is waited for before a call that was ended is over", async () => {
		const pool = new ScriptedPool();
		const call = start(pool);
		const thread = await pool.openLast();
		const [cell = -1] = thread.handed().map((wire) => wire.cell);
		await thread.begin(cell);
		call.stop(10);
		await pool.clock.pass(10);
		expect(thread.isEnded).toBe(true);
		let isOver = false;
		void call.ended.then(() => {
			isOver = true;
		});
		await pool.clock.pass(600_000);
		expect(isOver).toBe(false);
		await thread.exit(1);
		expect(gist(await call.ended)).toBe("WORKER_LOST terminated");
	});
});
