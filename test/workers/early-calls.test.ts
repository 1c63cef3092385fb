// Early starts on threads: behind the admitted calls, on no more threads than they may have, and in nobody's way.

import { describe, expect, it } from "vitest";
import type { Execution } from "../../engine/core/invocable.js";
import { settled } from "../support/manual-clock.js";
import { quietContext } from "../support/quiet-context.js";
import { ScriptedPool, type ScriptedThread } from "./scripted-threads.js";
import { threadWork } from "./thread-kit.js";

const ECHO = threadWork("plain/echo");

function start(pool: ScriptedPool, name: string, ahead: boolean): Execution {
	const job = { work: ECHO, args: { name }, context: quietContext(), ahead, hooks: { onBegan: () => undefined } };
	return pool.executor.start(job);
}

/** Opens every thread that was started, and begins what each was handed; says what that was. */
async function begun(pool: ScriptedPool): Promise<string[]> {
	await settled();
	const names: string[] = [];
	for (const thread of pool.threads) await thread.open();
	for (const thread of pool.threads) names.push(...(await begin(thread)));
	return names;
}

async function begin(thread: ScriptedThread): Promise<string[]> {
	const wires = thread.handed();
	for (const { cell } of wires) await thread.begin(cell);
	return wires.map(({ args }) => (args as { name: string }).name);
}

describe("early starts on threads", () => {
	it("J6: are at work on no more threads than they may have, and leave the others to admitted calls", async () => {
		const pool = new ScriptedPool({ threadsMax: 2, earlyMax: 1 });
		start(pool, "early 0", true);
		start(pool, "early 1", true);
		expect(await begun(pool)).toEqual(["early 0"]);
		start(pool, "admitted", false);
		expect(await begun(pool)).toEqual(["admitted"]);
		await pool.threads[1]?.answer(0, 1);
		expect(await begun(pool)).toEqual([]);
		await pool.threads[0]?.answer(0, 1);
		expect(await begun(pool)).toEqual(["early 1"]);
	});

	it("hold no admitted call up: where they are on every thread, another is started, and it goes again", async () => {
		const pool = new ScriptedPool({ threadsMax: 1 });
		start(pool, "early", true);
		expect(await begun(pool)).toEqual(["early"]);
		start(pool, "admitted", false);
		expect(await begun(pool)).toEqual(["admitted"]);
		expect(pool.threads).toHaveLength(2);
		const early = start(pool, "early too", true);
		await pool.threads[1]?.answer(0, 1);
		expect(await begun(pool)).toEqual([]);
		early.stop(0);
		await pool.clock.pass(2_000);
		expect(pool.threads.map(({ isEnded }) => isEnded)).toEqual([false, true]);
	});

	it("become admitted calls where they stand: before what was given later", async () => {
		const pool = new ScriptedPool({ threadsMax: 1 });
		start(pool, "running", false);
		expect(await begun(pool)).toEqual(["running"]);
		const early = start(pool, "early", true);
		start(pool, "admitted", false);
		early.admitted?.();
		early.admitted?.();
		await pool.threads[0]?.answer(0, 1);
		expect(await begun(pool)).toEqual(["early"]);
	});

	it("that were admitted while they run no longer lend their thread", async () => {
		const pool = new ScriptedPool({ threadsMax: 1 });
		const early = start(pool, "early", true);
		expect(await begun(pool)).toEqual(["early"]);
		early.admitted?.();
		start(pool, "admitted", false);
		expect(await begun(pool)).toEqual([]);
		expect(pool.threads).toHaveLength(1);
	});
});
