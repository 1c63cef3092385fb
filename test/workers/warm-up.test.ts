// Threads that are there before the first call, and what they have loaded by then.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { onThread, type ThreadRef } from "../../engine/core/thread-ref.js";
import { createEngine, tool } from "../../engine/index.js";
import { threadTools } from "../support/build-workers.js";
import { callsOf, shorts } from "../support/law-kit.js";
import { gist, RealPool, startCall, threadWork } from "./thread-kit.js";

let folder: string;
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "wavetrain-warm-"));
});
afterAll(async () => {
	await rm(folder, { recursive: true });
});

let pool: RealPool;
afterEach(async () => {
	expect(await pool.executor.close(0)).toEqual({ abandoned: 0 });
});

async function written(name: string, text: string): Promise<ThreadRef> {
	await writeFile(join(folder, name), text);
	return onThread(pathToFileURL(join(folder, name)), "run");
}

describe("the fewest threads", () => {
	it("are started without a call, and are those that the first calls run on", async () => {
		pool = new RealPool({ min: 2, max: 2 });
		expect(pool.count("thread_started")).toBe(2);
		await Promise.all([pool.run("plain/echoLater"), pool.run("plain/echoLater")]);
		expect(pool.count("thread_started")).toBe(2);
	});

	it("load the tools' modules before any call asks for them", async () => {
		const marks = await written("marks.mjs", "globalThis.wasLoaded = true; export const run = () => 1;");
		const looks = await written("looks.mjs", "export const run = () => globalThis.wasLoaded === true;");
		pool = new RealPool({ min: 1, max: 1 }, [marks]);
		const look = async (): Promise<unknown> => gist(await startCall(pool.executor, looks).ended);
		while (!(await look()));
		expect(await look()).toBe(true);
	});

	it("are none the worse for modules that do not load, whose own calls alone are told", async () => {
		const bad = ["never-loads/run", "throws-on-load/run", "plain/missing"].map(threadWork);
		pool = new RealPool({ min: 1, max: 1 }, bad);
		expect(gist(await pool.run("plain/echo", "answered"))).toBe("answered");
		expect(gist(await pool.run("throws-on-load/run"))).toBe("TOOL_NOT_LOADED");
		expect(pool.count("thread_started")).toBe(1);
	});
});

it("an engine starts its fewest threads when it is made", async () => {
	pool = new RealPool();
	const echo = tool({
		name: "echo",
		parameters: z.object({ n: z.number() }),
		effect: "read",
		execute: onThread(threadTools("plain"), "echo"),
	});
	const engine = createEngine({ tools: [echo], threads: { min: 1, max: 1 } });
	const started: string[] = [];
	engine.subscribe(({ kind }) => kind === "thread_started" && started.push(kind));
	expect(shorts(await engine.executeWave(callsOf("echo 0", "echo 1")))).toEqual(['{"n":0}', '{"n":1}']);
	expect(started).toEqual([]);
	await engine.close();
});
