// A tool's context on a thread has what it has inline, and what the host hears of it comes before the answer.

import { afterAll, beforeAll, expect, it } from "vitest";
import { INVOKED_ON_THREAD, type InvokedCall, type ServesThreads } from "../../engine/core/invoked-on-thread.js";
import type { JsonValue } from "../../engine/core/json-value.js";
import { settled } from "../support/manual-clock.js";
import { gist, RealPool } from "./thread-kit.js";

let pool: RealPool;
beforeAll(() => {
	pool = new RealPool();
});
afterAll(async () => {
	await pool.executor.close(0);
});

async function reported(what: string, args: unknown): Promise<{ updates: JsonValue[]; answer: unknown }> {
	const updates: JsonValue[] = [];
	const progress = (update: JsonValue): void => void updates.push(update);
	const answer = gist(await pool.start(what, { args, context: { progress } }).ended);
	return { updates, answer };
}

it("names the call", async () => {
	const context = { callId: "call_1", runId: "run-9", index: 4, idempotencyKey: "run-9/0/4" };
	const value = gist(await pool.start("plain/describeContext", { context }).ended);
	expect(value).toEqual({ ...context, cancelled: false, aborted: false });
});

it("delivers the first report and the last before the answer, however close together they come", async () => {
	expect(await reported("plain/report", { updates: [1, 2, 3, 4, 5] })).toEqual({ updates: [1, 5], answer: 5 });
	expect(await reported("plain/report", { updates: ["only"] })).toEqual({ updates: ["only"], answer: 1 });
	expect(await reported("plain/report", { updates: [] })).toEqual({ updates: [], answer: 0 });
});

it("delivers a report that was held back once the shortest time has passed, while the tool runs", async () => {
	const updates: JsonValue[] = [];
	let onSecond: () => void = () => undefined;
	const second = new Promise<void>((resolve) => {
		onSecond = resolve;
	});
	const progress = (update: JsonValue): void => {
		updates.push(update);
		if (updates.length === 2) onSecond();
	};
	const call = pool.start("plain/reportAndWait", { args: { updates: ["a", "b", "c"] }, context: { progress } });
	await second;
	expect(updates).toEqual(["a", "c"]);
	call.stop(60_000);
	expect(gist(await call.ended)).toBe("AbortError");
});

it("delivers what a tool reports from a loop that never yields", async () => {
	const { updates, answer } = await reported("plain/reportInLoop", { count: 3 });
	expect(updates).toEqual([1, 2, 3]);
	expect(answer).toBe(3);
});

it("delivers what was reported right before the thread ended", async () => {
	const { updates, answer } = await reported("faults/reportAndExit", {});
	expect(updates).toEqual(["last words"]);
	expect(answer).toBe("WORKER_LOST exit");
});

it("throws at the tool that reports what is no data, naming the path", async () => {
	const outcome = await pool.run("faults/reportFunction");
	expect(outcome).toMatchObject({
		error: { code: "TOOL_FAILED", message: "A progress update is not data at $.bad: a function is not data." },
	});
});

it("hears nothing of a report that comes after the answer", async () => {
	const { updates } = await reported("faults/reportAfterAnswer", { whileBusy: true });
	await pool.run("faults/behave");
	expect(updates).toEqual([]);
});

it("survives a host whose watcher throws", async () => {
	const progress = (): never => {
		throw new Error("the watcher failed");
	};
	const call = pool.start("plain/report", { args: { updates: [1] }, context: { progress } });
	expect(gist(await call.ended)).toBe(1);
	expect(pool.count("stray_error")).toBe(0);
});

it("says with each call that the tool makes which ones it had no answer of, also where that is on its way", async () => {
	const memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
	const heard: InvokedCall[] = [];
	const context: ServesThreads = {
		async [INVOKED_ON_THREAD](call) {
			heard.push(call);
			if (call.name === "second") void settled().then(letGo);
			return call.name;
		},
	};
	// The answer has been posted by then, and the thread has not come to look.
	const letGo = (): void => {
		const cell = new Int32Array(memory);
		Atomics.store(cell, 0, 1);
		Atomics.notify(cell, 0);
	};
	const answer = gist(await pool.start("nests/crosses", { args: { memory }, context }).ended);
	expect(answer).toEqual(["first", "second", "third", "fourth"]);
	expect(heard.map(({ name, onThread }) => [name, onThread?.number, onThread?.open])).toEqual([
		["first", 0, []],
		["second", 1, []],
		["third", 2, [[1, 1]]],
		["fourth", 3, []],
	]);
});
