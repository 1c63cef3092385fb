// What a call on a thread holds is let go when its thread is seen dead, however early the call was answered.

import { afterEach, expect, it } from "vitest";
import { z } from "zod";
import { createEngine, type Engine, type EngineEvent, KeyedLock, onThread, tool } from "../../engine/index.js";
import { threadTools } from "../support/build-workers.js";
import { callsOf, shorts } from "../support/law-kit.js";

const parameters = z.object({ n: z.number() });
const loops = onThread(threadTools("faults"), "loopForEver");
const lockKeys = () => ["the one key"];
const locks = new KeyedLock();

const tools = [
	tool({ name: "loops", parameters, effect: "read", timeout: 30, execute: loops }),
	tool({ name: "writes_on", parameters, effect: "write", timeout: 30, lockKeys, execute: loops }),
	tool({ name: "echo", parameters, effect: "read", execute: onThread(threadTools("plain"), "echo") }),
	tool({ name: "write", parameters, effect: "write", lockKeys, execute: ({ n }) => n }),
];

let engine: Engine;
afterEach(async () => {
	expect(await engine.close()).toEqual({ abandoned: 0 });
});

function heardOf(maxParallelToolCalls: number): string[] {
	engine = createEngine({
		tools,
		locks,
		threads: { min: 2, max: 2 },
		maxParallelToolCalls,
		timeouts: { graceMs: 300 },
	});
	const heard: string[] = [];
	const told: readonly EngineEvent["kind"][] = ["call_began", "call_settled", "thread_ended", "call_released_keys"];
	engine.subscribe((event) => {
		if (!told.includes(event.kind)) return;
		heard.push("index" in event ? `${event.kind} ${event.index}` : event.kind);
	});
	return heard;
}

it("the slot: the next call begins after the exit, though another thread was free", async () => {
	const heard = heardOf(1);
	// So that the other thread is there.
	await engine.executeWave(callsOf("echo 0", "echo 1"));
	heard.length = 0;
	const wave = await engine.executeWave(callsOf("loops 0", "echo 1"));
	expect(shorts(wave)).toEqual(["TIMED_OUT", '{"n":1}']);
	expect(heard).toEqual(["call_began 0", "call_settled 0", "thread_ended", "call_began 1", "call_settled 1"]);
});

it("the keys: the next write begins after the exit", async () => {
	const heard = heardOf(10);
	const wave = await engine.executeWave(callsOf("writes_on 0", "write 1"));
	expect(shorts(wave)).toEqual(["OUTCOME_UNKNOWN", "1"]);
	const untilIt = heard.slice(0, heard.indexOf("call_began 1"));
	expect(untilIt).toEqual(["call_began 0", "call_settled 0", "thread_ended", "call_released_keys 0"]);
});
