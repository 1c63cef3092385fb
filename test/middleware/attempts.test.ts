// Calling next again: when the tool runs again, under which intent, and when the outcome that there is must do.

import { describe, expect, it } from "vitest";
import type { Outcome } from "../../engine/core/outcome.js";
import { memoryLedger } from "../../engine/ledger/memory-ledger.js";
import { HeldWork } from "../support/held-work.js";
import { benchOf, callsOf, entriesOf, short, shorts, toolOf } from "../support/law-kit.js";
import { LedgerSpy } from "../support/ledger-spy.js";
import { settled } from "../support/manual-clock.js";
import { middlewareOf, StandingTools, standingCalls } from "../support/middleware-kit.js";

/** Asks so many times, and answers with what came last. */
const asks = (times: number, outcomes: Outcome[] = []) =>
	middlewareOf(async (_call, next) => {
		for (let time = 1; time < times; time += 1) outcomes.push(await next());
		outcomes.push(await next());
		return outcomes.at(-1) as Outcome;
	});

describe("next, called again", () => {
	it("runs a call that failed, a write each time under an intent and a barrier of its own", async () => {
		const spy = new LedgerSpy(memoryLedger());
		const { tools } = new StandingTools(async () => void spy.log.push("acts"));
		const { engine } = benchOf({ tools, ledger: spy, middleware: [asks(3)] });
		expect(shorts(await engine.executeWave(standingCalls({ effect: "write", fails: 2 })))).toEqual(["0"]);
		const before = spy.log.slice(0, spy.log.lastIndexOf("acts") + 1);
		expect(before).toEqual([
			"model_returned",
			...["intent 0", "barrier 1", "acts", "intent 0", "barrier 2", "acts", "intent 0", "barrier 3", "acts"],
		]);
		expect(spy.log.slice(before.length)).toEqual(["tool_called 0", "tool_result 0", "barrier 4"]);
	});

	it("runs a read again after any end, and writes no intent", async () => {
		const seen = new StandingTools();
		const ledger = memoryLedger();
		const outcomes: Outcome[] = [];
		const { engine } = benchOf({ tools: seen.tools, ledger, middleware: [asks(3, outcomes)] });
		expect(shorts(await engine.executeWave(standingCalls({ fails: 1 })))).toEqual(["0"]);
		expect(outcomes.map(short)).toEqual(["TOOL_FAILED", "0", "0"]);
		expect(seen.began).toEqual(["0", "0", "0"]);
		const intents = [];
		for await (const intent of ledger.intents()) intents.push(intent);
		expect(intents).toEqual([]);
	});

	it("AT2: gives a write that has a value the same outcome again, and with other arguments too", async () => {
		const seen = new StandingTools();
		const twice = middlewareOf(async ({ name, args }, next) => {
			await next();
			return next({ name, args: { ...args, n: 7 } });
		});
		const { engine } = benchOf({ tools: seen.tools, middleware: [twice] });
		expect(shorts(await engine.executeWave(standingCalls({ effect: "write" })))).toEqual(["0"]);
		expect(seen.began).toEqual(["0 as write alone"]);
	});

	it("AT2: gives a write whose outcome is unknown the same outcome again, and still lets it be looked at", async () => {
		const held = new HeldWork();
		const seen = new StandingTools(held.hold);
		const outcomes: Outcome[] = [];
		const looks = middlewareOf(async ({ name, args }, next) => {
			outcomes.push(await next(), await next());
			return next({ name, args: { ...args, effect: "read" } });
		});
		const { engine, clock } = benchOf({ tools: seen.tools, middleware: [looks], timeouts: { toolMs: 50 } });
		const wave = engine.executeWave(standingCalls({ effect: "write" }));
		await clock.pass(50);
		expect(outcomes.map(short)).toEqual(["OUTCOME_UNKNOWN", "OUTCOME_UNKNOWN"]);
		expect(outcomes[1]).toBe(outcomes[0]);
		held.releaseAll();
		expect(shorts(await wave)).toEqual(["0"]);
		expect(seen.began).toEqual(["0 as write alone", "0"]);
	});

	it("AT2: runs a tool that is idempotent again, also where its outcome is unknown", async () => {
		const held = new HeldWork();
		const seen = new StandingTools(held.hold);
		const { engine, clock } = benchOf({ tools: seen.tools, middleware: [asks(2)], timeouts: { toolMs: 50 } });
		const wave = engine.executeWave(standingCalls({ name: "again", effect: "write" }));
		await clock.pass(50);
		expect(held.waiting).toEqual(["do 0", "do 0"]);
		held.releaseAll();
		expect(shorts(await wave)).toEqual(["0"]);
	});

	it("AT2: does not repeat a write whose answer could not be copied", async () => {
		let ran = 0;
		const odd = toolOf(
			"odd",
			() => {
				ran += 1;
				return () => 1;
			},
			{ effect: "write" },
		);
		const { engine } = benchOf({ tools: [odd], middleware: [asks(3)] });
		expect(shorts(await engine.executeWave(callsOf("odd")))).toEqual(["NOT_CLONEABLE"]);
		expect(ran).toBe(1);
	});

	it("AT1: runs no attempt beside another of its call, though both were asked for at once", async () => {
		const held = new HeldWork();
		const seen = new StandingTools(held.hold);
		const both = middlewareOf(async (_call, next) => {
			const [first, second] = await Promise.all([next(), next()]);
			return first.ok ? second : first;
		});
		const { engine } = benchOf({ tools: seen.tools, middleware: [both] });
		const wave = engine.executeWave(standingCalls({}));
		await settled();
		expect(held.waiting).toEqual(["do 0"]);
		held.releaseAll();
		await settled();
		expect(held.waiting).toEqual(["do 0"]);
		held.releaseAll();
		expect(shorts(await wave)).toEqual(["0"]);
	});

	it("counts what all attempts ran as the call's time, and waiting in the middleware as none of it", async () => {
		const held = new HeldWork();
		const seen = new StandingTools(held.hold);
		const waits = middlewareOf(async (_call, next) => {
			await held.hold("before");
			await next();
			await held.hold("between");
			return next();
		});
		const { engine, clock } = benchOf({ tools: seen.tools, middleware: [waits], timeouts: { toolMs: 50 } });
		const wave = engine.executeWave(standingCalls({ fails: 1 }));
		for (const [label, ms] of [
			["before", 100],
			["do 0", 40],
			["between", 100],
			["do 0", 45],
		] as const) {
			await clock.pass(ms);
			held.release(label);
		}
		const { results } = await wave;
		expect(shorts({ results })).toEqual(["0"]);
		expect(results[0]?.timing).toEqual({ gateMs: 0, lockMs: 0, slotMs: 0, personMs: 0, ranMs: 85 });
	});

	it("keeps the lines of the calls that every attempt made, between the one pair, each at an index of its own", async () => {
		let attempts = 0;
		const outer = toolOf("outer", async (_args, { invokeTool }) => {
			attempts += 1;
			await invokeTool("read", { n: attempts });
			if (attempts === 1) throw new Error("once");
			return attempts;
		});
		const ledger = memoryLedger();
		const { engine, held } = benchOf({
			tools: [outer],
			ledger,
			middleware: [
				middlewareOf(({ name }, next) => (name === "outer" ? asks(2).wrapToolCall({} as never, next) : next())),
			],
		});
		const wave = engine.executeWave(callsOf("outer"));
		for (const label of ["read 1", "read 2"]) {
			await settled();
			held.release(label);
		}
		expect(shorts(await wave)).toEqual(["2"]);
		const called = (await entriesOf(ledger)).filter(({ kind }) => kind === "tool_called");
		expect(called.map(({ data }) => data.lineage)).toEqual([[0], [0, 0], [0, 1]]);
	});
});
