// What an ended call leaves on its thread (a timer, a promise, a microtask) fails or exits later. It never costs another
// call anything: not the one that runs by then, nor the one that waits.

import { afterEach, expect, it } from "vitest";
import { gist, RealPool } from "./thread-kit.js";

let pool: RealPool;
afterEach(async () => {
	expect(await pool.executor.close(0)).toEqual({ abandoned: 0 });
});

const LEAVERS = [
	["exitAfterAnswer", "process.exit(1)"],
	["uncaughtAfterAnswer", "left behind"],
	["rejectAfterAnswer", "left behind"],
] as const;

it.each(LEAVERS)("%s leaves the call that runs by then unharmed, and its thread is replaced", async (name, said) => {
	pool = new RealPool();
	for (let repeat = 0; repeat < 10; repeat += 1) {
		expect(gist(await pool.run(`faults/${name}`, { code: 1, whileBusy: true }))).toBe("answered");
		expect(gist(await pool.run("faults/behave"))).toBe("behaved");
	}
	const strays = pool.events.filter((event) => event.kind === "stray_error");
	expect(strays).toHaveLength(10);
	expect(strays[0]?.message).toContain(said);
	// Each of the ten threads was replaced after the innocent call; the next one runs on the eleventh.
	await pool.run("plain/echo");
	expect(pool.count("thread_started")).toBe(11);
	expect(pool.threads).toBe(1);
});

it.each(LEAVERS)("%s on an idle thread costs no later call its answer", async (name) => {
	pool = new RealPool();
	for (let repeat = 0; repeat < 5; repeat += 1) {
		expect(gist(await pool.run(`faults/${name}`, { code: 0, whileBusy: false }))).toBe("answered");
		expect(gist(await pool.run("plain/echo", { repeat }))).toEqual({ repeat });
	}
});

it("a throw in a microtask of an answered call falls on no other call", async () => {
	pool = new RealPool();
	const outcomes = await Promise.all([
		pool.run("faults/throwInMicrotask"),
		...[1, 2, 3].map((name) => pool.run("plain/echoLater", { name })),
	]);
	expect(outcomes.slice(1).map(gist)).toEqual([{ name: 1 }, { name: 2 }, { name: 3 }]);
});

it("a failure that fell on no call is told, also when the thread had been handed one that it never began", async () => {
	pool = new RealPool();
	for (let repeat = 0; repeat < 10; repeat += 1) {
		const [left, next] = [pool.run("faults/throwInMicrotask"), pool.run("plain/echo", { repeat })];
		expect([gist(await left), gist(await next)]).toEqual(["answered", { repeat }]);
	}
	const strays = pool.events.flatMap((event) => (event.kind === "stray_error" ? [event.message] : []));
	expect(strays).toEqual(Array(10).fill("OwnError: a microtask of an ended call"));
});
