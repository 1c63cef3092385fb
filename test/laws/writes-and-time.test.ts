// Laws 8 and 10: a write that gave no answer is unknown and never repeated, and waiting is not running.

import { describe, expect, it } from "vitest";
import type { ToolContext } from "../../engine/core/tool-context.js";
import { KeyedLock } from "../../engine/index.js";
import { HeldWork } from "../support/held-work.js";
import { benchOf, callsOf, linesOf, shorts, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";

describe("Law 8: a write is never repeated by itself", () => {
	it("a write over its time is unknown because it timed out; a read merely timed out", async () => {
		const { engine, clock, entered } = benchOf({ timeouts: { toolMs: 100 } });
		const running = engine.executeWave(callsOf("read 0", "write 1"));
		await clock.pass(100);
		await clock.pass(100);
		const wave = await running;
		expect(shorts(wave)).toEqual(["TIMED_OUT", "OUTCOME_UNKNOWN"]);
		expect(wave.results[1]?.outcome).toMatchObject({ error: { details: { reason: "TIMED_OUT" } } });
		expect(entered).toEqual(["read 0", "write 1"]);
	});

	it("a write aborted while it runs is unknown because it was aborted; a read is aborted", async () => {
		const { engine, entered } = benchOf();
		const host = new AbortController();
		const running = engine.executeWave(callsOf("read 0", "note 1"), { signal: host.signal });
		await settled();
		host.abort();
		const wave = await running;
		expect(shorts(wave)).toEqual(["ABORTED", "OUTCOME_UNKNOWN"]);
		expect(wave.results[1]?.outcome).toMatchObject({ error: { details: { reason: "ABORTED" } } });
		expect(entered).toEqual(["read 0", "note 1"]);
	});

	it("a write that throws has failed, for it gave its answer", async () => {
		const throws = toolOf("throws", () => Promise.reject(new Error("no room")), { effect: "write" });
		const { engine } = benchOf({ tools: [throws] });
		expect(shorts(await engine.executeWave(callsOf("throws")))).toEqual(["TOOL_FAILED"]);
	});

	it("a settlement after the answer is an event, and nothing else", async () => {
		const work = new HeldWork();
		const tardy = toolOf("tardy", async () => {
			await work.hold("tardy");
			throw new Error("too late");
		});
		const { engine, clock, events } = benchOf({ tools: [tardy], timeouts: { toolMs: 50 } });
		const running = engine.executeWave(callsOf("tardy"));
		await clock.pass(50);
		expect(shorts(await running)).toEqual(["TIMED_OUT"]);
		work.release("tardy");
		await settled();
		expect(events.filter(({ kind }) => kind === "call_ended_late")).toMatchObject([
			{ index: 0, outcome: { ok: false, error: { message: "too late" } } },
		]);
	});
});

describe("Law 10: waiting is not running", () => {
	it("three calls of 80 ms through one slot all keep a limit of 100 ms", async () => {
		const { engine, clock, held } = benchOf({ maxParallelToolCalls: 1, timeouts: { toolMs: 100 } });
		const running = engine.executeWave(callsOf("read 0", "read 1", "read 2"));
		for (const index of [0, 1, 2]) {
			await clock.pass(80);
			held.release(`read ${index}`);
		}
		const wave = await running;
		expect(shorts(wave)).toEqual(["0", "1", "2"]);
		expect(wave.results.map(({ timing }) => timing.ranMs)).toEqual([80, 80, 80]);
		expect(wave.results.map(({ timing }) => timing.gateMs + timing.slotMs)).toEqual([0, 80, 160]);
	});

	it("a call behind a barrier counts from its own beginning", async () => {
		const { engine, clock, held } = benchOf({ timeouts: { toolMs: 100 } });
		const running = engine.executeWave(callsOf("write 0", "read 1"));
		await clock.pass(90);
		held.release("write 0");
		await clock.pass(90);
		held.release("read 1");
		expect(shorts(await running)).toEqual(["0", "1"]);
	});

	it("time a policy takes counts for no tool", async () => {
		const policyWork = new HeldWork();
		const slow = { name: "slow", admit: () => policyWork.hold("policy").then(() => "clear" as const) };
		const { engine, clock, held } = benchOf({ timeouts: { toolMs: 100 }, policies: [slow] });
		const running = engine.executeWave(callsOf("read 0"));
		await clock.pass(500);
		policyWork.release("policy");
		await clock.pass(99);
		held.release("read 0");
		expect(shorts(await running)).toEqual(["0"]);
	});

	it("the tool's own limit wins over the engine's", async () => {
		const quick = toolOf("quick", () => new Promise(() => undefined), { timeout: 10 });
		const { engine, clock, held } = benchOf({ tools: [quick], timeouts: { toolMs: 1000 } });
		const running = engine.executeWave(callsOf("quick", "read 1"));
		await clock.pass(10);
		held.release("read 1");
		expect(shorts(await running)).toEqual(["TIMED_OUT", "1"]);
	});

	it.each([
		["keys that it takes while it runs", ({ lock }: ToolContext) => lock(["k"])],
		["the keys of a call that it makes", ({ invokeTool }: ToolContext) => invokeTool("save", {})],
	] as const)("a wait for %s, and for a slot after that, counts toward no limit of it", async (_what, wait) => {
		const locks = new KeyedLock();
		const acts = toolOf("acts", async (_args, context) => {
			await bench.held.hold("before");
			await wait(context);
			await bench.held.hold("after");
			return "done";
		});
		const save = toolOf("save", () => 1, { lockKeys: () => ["k"] });
		const slow = toolOf("slow", () => bench.held.hold("slow"), { timeout: 10_000 });
		const timeouts = { toolMs: 100 };
		const bench = benchOf({ tools: [acts, save, slow], locks, maxParallelToolCalls: 1, timeouts });
		const release = await locks.acquire(["k"]);
		const running = bench.engine.executeWave(callsOf("acts", "slow"));
		for (const [label, ms] of [
			["before", 50],
			["k", 1_000],
			["slow", 1_000],
			["after", 49],
		] as const) {
			await bench.clock.pass(ms);
			if (label === "k") release();
			else bench.held.release(label);
		}
		const { results } = await running;
		expect(shorts({ results })).toEqual(['"done"', "nothing"]);
		expect(results[0]?.timing).toMatchObject({ ranMs: 99, lockMs: 2_000 });
	});

	it("a wait for keys is no silence", async () => {
		const locks = new KeyedLock();
		const acts = toolOf("acts", async (_args, { lock }) => {
			await bench.held.hold("before");
			await lock(["k"]);
			await bench.held.hold("after");
		});
		const bench = benchOf({ tools: [acts], locks, timeouts: { idleMs: 100 } });
		const release = await locks.acquire(["k"]);
		const running = bench.engine.executeWave(callsOf("acts"));
		await bench.clock.pass(50);
		bench.held.release("before");
		await bench.clock.pass(1_000);
		release();
		await bench.clock.pass(49);
		expect(await linesOf(bench.ledger)).toEqual(["model_returned"]);
		await bench.clock.pass(1);
		expect(shorts(await running)).toEqual(["TIMED_OUT"]);
	});

	it("progress restarts the idle limit, and silence reaches it", async () => {
		const busy: { progress?: (update: string) => void } = {};
		const talks = toolOf("talks", (_args, context) => {
			busy.progress = (update) => context.progress(update);
			return new Promise(() => undefined);
		});
		const { engine, clock, ledger } = benchOf({ tools: [talks], timeouts: { idleMs: 50 } });
		const running = engine.executeWave(callsOf("talks"));
		await clock.pass(40);
		busy.progress?.("still here");
		await clock.pass(49);
		expect(await linesOf(ledger)).toEqual(["model_returned"]);
		await clock.pass(1);
		expect(shorts(await running)).toEqual(["TIMED_OUT"]);
	});

	it("the limit of a whole wave counts everything", async () => {
		const { engine, clock, held } = benchOf({ timeouts: { totalMs: 150 } });
		const running = engine.executeWave(callsOf("write 0", "write 1", "read 2"));
		await clock.pass(100);
		held.release("write 0");
		await clock.pass(50);
		expect(shorts(await running)).toEqual(["0", "OUTCOME_UNKNOWN", "ABORTED_BEFORE_DISPATCH"]);
	});
});
