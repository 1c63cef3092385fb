// Law 7: before a call that is not a read acts, its intent and every earlier entry are durable, for at most one barrier
// a segment.

import { describe, expect, it } from "vitest";
import { type EngineOptions, memoryLedger, type Tool } from "../../engine/index.js";
import { HeldWork } from "../support/held-work.js";
import { benchOf, callsOf, entriesOf, shorts, toolOf } from "../support/law-kit.js";
import { LedgerSpy } from "../support/ledger-spy.js";
import { settled } from "../support/manual-clock.js";
import { passesOn } from "../support/nesting-plans.js";

const SCHEDULES = ["serial", "leading-reads", "barriers"] as const;

function spiedBench(
	schedule: (typeof SCHEDULES)[number] = "barriers",
	options: Partial<EngineOptions> = {},
	others: Tool[] = [],
) {
	const spy = new LedgerSpy(memoryLedger());
	const acts = (name: string) => (args: { n?: number | undefined }) => void spy.log.push(`${name} ${args.n} acts`);
	const tools = [
		toolOf("read", acts("read")),
		toolOf("write", acts("write"), { effect: "write" }),
		toolOf("note", acts("note"), { effect: "write", isConcurrencySafe: true }),
		...others,
	];
	return { spy, ...benchOf({ ...options, tools, ledger: spy, schedule }) };
}

describe("Law 7: intent before effect", () => {
	it("the intent and every earlier entry are behind a barrier when the write acts", async () => {
		const { spy, engine } = spiedBench();
		await engine.executeWave(callsOf("read 0", "write 1", "read 2"));
		const acted = spy.log.indexOf("write 1 acts");
		const before = spy.log.slice(0, acted);
		const barrier = before.findLastIndex((line) => line.startsWith("barrier"));
		expect(before.slice(0, barrier)).toEqual([
			"model_returned",
			"read 0 acts",
			"tool_called 0",
			"tool_result 0",
			"intent 1",
		]);
		expect(before.slice(barrier + 1)).toEqual([]);
	});

	it("a write waits for as long as its barrier does", async () => {
		const gate = new HeldWork();
		const { engine, held, entered } = benchOf({ ledger: new LedgerSpy(memoryLedger(), gate.hold) });
		const running = engine.executeWave(callsOf("write 0"));
		await settled();
		expect([gate.waiting, entered]).toEqual([["barrier 1"], []]);
		gate.release("barrier 1");
		await settled();
		expect(entered).toEqual(["write 0"]);
		held.release("write 0");
		await settled();
		gate.releaseAll();
		expect(shorts(await running)).toEqual(["0"]);
	});

	it("the writes of one segment share one barrier, each with its own intent", async () => {
		const { spy, engine } = spiedBench();
		await engine.executeWave(callsOf("note 0", "read 1", "note 2", "note 3"));
		const firstAct = spy.log.findIndex((line) => line.startsWith("note"));
		expect(spy.log.slice(0, firstAct).filter((line) => line.startsWith("intent"))).toEqual([
			"intent 0",
			"intent 2",
			"intent 3",
		]);
		expect(spy.barriers).toBeLessThanOrEqual(2);
	});

	it("a step pays at most one barrier more than it has segments that write", async () => {
		const { spy, engine } = spiedBench();
		await engine.executeWave(callsOf("read 0", "write 1", "read 2", "read 3", "write 4", "note 5", "note 6", "read 7"));
		expect(spy.barriers).toBeLessThanOrEqual(1 + 3);
		const alone = spiedBench();
		await alone.engine.executeWave(callsOf("read 0", "read 1", "read 2"));
		expect(alone.spy.barriers).toBeLessThanOrEqual(1);
	});

	it("safe writes that a stop on errors runs one at a time share one barrier too, behind which each has its intent", async () => {
		for (const middleware of [[], [passesOn]]) {
			const { spy, engine } = spiedBench("barriers", { onError: "stop", middleware });
			await engine.executeWave(callsOf("note 0", "read 1", "note 2", "note 3", "write 4", "note 5", "note 6"));
			const firstAct = spy.log.findIndex((line) => line.endsWith("acts"));
			expect(spy.log.slice(0, firstAct)).toEqual(["model_returned", "intent 0", "intent 2", "intent 3", "barrier 1"]);
			expect(spy.log.filter((line) => line.startsWith("intent"))).toHaveLength(6);
			expect(spy.barriers).toBe(1 + 3);
		}
	});

	it.each(["serial", "leading-reads"] as const)(
		"safe writes of a serial schedule have a barrier each (%s)",
		async (schedule) => {
			const { spy, engine } = spiedBench(schedule);
			await engine.executeWave(callsOf("note 0", "note 1", "note 2"));
			expect(spy.barriers).toBe(1 + 3);
		},
	);

	it("the intents of writes that a stop on errors kept from acting are closed by their lines", async () => {
		const fails = toolOf("fails", () => Promise.reject(new Error("no")), { effect: "write", isConcurrencySafe: true });
		const { spy, engine } = spiedBench("barriers", { onError: "stop" }, [fails]);
		const wave = await engine.executeWave(callsOf("fails 0", "note 1", "note 2"));
		expect(shorts(wave)).toEqual(["TOOL_FAILED", "STOPPED_BY_ERROR", "STOPPED_BY_ERROR"]);
		expect(spy.log.filter((line) => !line.startsWith("barrier"))).toEqual([
			"model_returned",
			...["intent 0", "intent 1", "intent 2"],
			...[0, 1, 2].flatMap((index) => [`tool_called ${index}`, `tool_result ${index}`]),
		]);
	});

	it.each(SCHEDULES)(
		"each write of a serial rest has its intent behind a barrier of its own (%s)",
		async (schedule) => {
			const { spy, engine } = spiedBench(schedule);
			await engine.executeWave(callsOf("read 0", "write 1", "write 2"));
			for (const index of [1, 2]) {
				const intent = spy.log.indexOf(`intent ${index}`);
				const acted = spy.log.indexOf(`write ${index} acts`);
				const between = spy.log.slice(intent, acted).filter((line) => line.startsWith("barrier"));
				expect(between).toHaveLength(1);
			}
		},
	);

	it("a refused write has no intent, and a read has none", async () => {
		const refuse = { name: "refuse", admit: () => ({ deny: { rule: "r", violation: "v", alternative: "a" } }) };
		const spy = new LedgerSpy(memoryLedger());
		const { engine } = benchOf({ ledger: spy, policies: [refuse] });
		await engine.executeWave(callsOf("write 0", "read 1"));
		expect(spy.log.filter((line) => line.startsWith("intent"))).toEqual([]);
	});

	it("a write whose barrier fails never acts", async () => {
		class Failing extends LedgerSpy {
			override barrier(): Promise<void> {
				return Promise.reject(new Error("the disk is full"));
			}
		}
		const { engine, entered } = benchOf({ ledger: new Failing(memoryLedger()) });
		await expect(engine.executeWave(callsOf("write 0"))).rejects.toThrow("the disk is full");
		expect(entered).toEqual([]);
	});

	it("the first barrier makes the calls of the whole reply durable too", async () => {
		const { spy, engine, ledger } = spiedBench();
		await engine.executeWave(callsOf("write 0", "read 1"));
		expect(spy.log.slice(0, 3)).toEqual(["model_returned", "intent 0", "barrier 1"]);
		const [returned] = await entriesOf(ledger);
		expect(returned?.data).toEqual({ step: 0, calls: callsOf("write 0", "read 1").map((call) => ({ ...call })) });
	});
});
