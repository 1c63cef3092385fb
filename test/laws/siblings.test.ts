// Law 13: siblings are isolated, unless the host chose to stop on errors.

import { describe, expect, it } from "vitest";
import type { Policy } from "../../engine/policy/policy.js";
import { benchOf, callsOf, linesOf, shorts, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";

const fails = toolOf("fails", () => Promise.reject(new Error("it broke")));

describe("Law 13: siblings are isolated", () => {
	it("so of twenty calls whose third fails, nineteen have their results", async () => {
		const plain = toolOf("plain", ({ n }) => n);
		const { engine } = benchOf({ tools: [plain, fails] });
		const written = Array.from({ length: 20 }, (_, n) => (n === 2 ? "fails" : `plain ${n}`));
		const wave = await engine.executeWave(callsOf(...written));
		expect(shorts(wave)).toEqual(written.map((one) => (one === "fails" ? "TOOL_FAILED" : one.split(" ")[1])));
	});

	it("so a failing read stops neither the write behind it nor the read beside it", async () => {
		const { engine, held } = benchOf({ tools: [fails] });
		const running = engine.executeWave(callsOf("fails", "read 1", "write 2"));
		await settled();
		held.release("read 1");
		await settled();
		held.release("write 2");
		expect(shorts(await running)).toEqual(["TOOL_FAILED", "1", "2"]);
	});

	it("so one policy's throw for one call leaves the others to their tools", async () => {
		const breaks: Policy = {
			name: "breaks",
			admit(call) {
				if (call.name === "write") throw new Error("cannot judge writes");
				return "clear";
			},
		};
		const { engine, held, entered } = benchOf({ policies: [breaks] });
		const running = engine.executeWave(callsOf("read 0", "write 1", "read 2"));
		await settled();
		held.releaseAll();
		await settled();
		held.releaseAll();
		const wave = await running;
		expect(shorts(wave)).toEqual(["0", "POLICY_FAILED", "2"]);
		expect(wave.results[1]?.outcome).toMatchObject({
			error: { message: "The policy breaks failed: cannot judge writes", details: { policy: "breaks" } },
		});
		expect(entered).toEqual(["read 0", "read 2"]);
	});
});

describe("Law 13: a host that stops on errors", () => {
	it("has every later call say which one stopped it, a read that had already run included", async () => {
		const { engine, held, entered, ledger } = benchOf({ tools: [fails], onError: "stop" });
		const running = engine.executeWave(callsOf("read 0", "fails", "read 2", "write 3"));
		await settled();
		held.release("read 2");
		held.release("read 0");
		const wave = await running;
		expect(shorts(wave)).toEqual(["0", "TOOL_FAILED", "STOPPED_BY_ERROR", "STOPPED_BY_ERROR"]);
		const stoppedBy = wave.results.slice(2).map(({ outcome }) => !outcome.ok && outcome.error.details?.index);
		expect(stoppedBy).toEqual([1, 1]);
		expect(entered).toEqual(["read 0", "read 2"]);
		expect(await linesOf(ledger)).toHaveLength(1 + 2 * 4);
		expect(wave.status).toBe("done");
	});

	it("has safe writes run one at a time, so none acts after the one that failed", async () => {
		const failing = toolOf("failing", () => Promise.reject(new Error("no")), {
			effect: "write",
			isConcurrencySafe: true,
		});
		const { engine, held, entered } = benchOf({ tools: [failing], onError: "stop" });
		const running = engine.executeWave(callsOf("note 0", "note 1", "failing", "note 3"));
		await settled();
		expect(entered).toEqual(["note 0"]);
		held.release("note 0");
		await settled();
		expect(entered).toEqual(["note 0", "note 1"]);
		held.release("note 1");
		expect(shorts(await running)).toEqual(["0", "1", "TOOL_FAILED", "STOPPED_BY_ERROR"]);
		expect(entered).toEqual(["note 0", "note 1"]);
	});

	it("is stopped by a refusal and by an unknown tool as by a failure", async () => {
		const { engine } = benchOf({ onError: "stop" });
		expect(shorts(await engine.executeWave(callsOf("missing", "read 1")))).toEqual([
			"UNKNOWN_TOOL",
			"STOPPED_BY_ERROR",
		]);
		const none: Policy = { name: "none", admit: () => ({ deny: { rule: "r", violation: "v", alternative: "a" } }) };
		const denied = benchOf({ onError: "stop", policies: [none] });
		expect(shorts(await denied.engine.executeWave(callsOf("write 0", "read 1")))).toEqual([
			"DENIED",
			"STOPPED_BY_ERROR",
		]);
	});

	it("ends with its segment when a read fails before others of it could start", async () => {
		const { engine } = benchOf({ tools: [fails], onError: "stop", maxParallelToolCalls: 1 });
		const wave = await engine.executeWave(callsOf("fails", "read 1", "note 2", "write 3"));
		const stopped = "STOPPED_BY_ERROR";
		expect(shorts(wave)).toEqual(["TOOL_FAILED", stopped, stopped, stopped]);
	});

	it("takes with it what a later call had made of calls by then", async () => {
		const slow = toolOf("slow", async () => {
			await held.hold("slow");
			throw new Error("late");
		});
		const asks = toolOf("asks", async (_args, { invokeTool }) => (await invokeTool("plain", {})) ?? null);
		const { engine, held, ledger } = benchOf({ tools: [slow, asks, toolOf("plain", () => 1)], onError: "stop" });
		const running = engine.executeWave(callsOf("slow", "asks 1"));
		await settled();
		held.release("slow");
		expect(shorts(await running)).toEqual(["TOOL_FAILED", "STOPPED_BY_ERROR"]);
		expect((await linesOf(ledger)).slice(3)).toEqual(["tool_called 1", "tool_result 1"]);
	});

	it("is not stopped by a cancel: calls the host took back say so, and name no call", async () => {
		const plain = toolOf("plain", ({ n }) => n);
		const { engine } = benchOf({ tools: [plain], onError: "stop" });
		const stillGoing = (index: number) => (index === 1 ? "cancel" : "go");
		const before = "ABORTED_BEFORE_DISPATCH";
		expect(shorts(await engine.executeWave(callsOf("plain 0", "plain 1", "plain 2"), { stillGoing }))).toEqual([
			"0",
			before,
			before,
		]);
	});

	it("is asked about every later call all the same, and its steers are kept", async () => {
		const { engine } = benchOf({ tools: [fails], onError: "stop" });
		const asked: number[] = [];
		const stillGoing = (index: number) => {
			asked.push(index);
			return index === 2 ? { steer: "look elsewhere" } : "go";
		};
		const wave = await engine.executeWave(callsOf("fails", "write 1", "write 2"), { stillGoing });
		expect(asked).toEqual([0, 1, 2]);
		expect(wave.steers).toEqual(["look elsewhere"]);
		expect(shorts(wave)).toEqual(["TOOL_FAILED", "STOPPED_BY_ERROR", "STOPPED_BY_ERROR"]);
	});

	it("that cancels takes back the calls from there on, also behind one that failed", async () => {
		const { engine, ledger } = benchOf({ tools: [fails], onError: "stop" });
		const stillGoing = (index: number) => (index === 2 ? "cancel" : "go");
		const wave = await engine.executeWave(callsOf("fails", "read 1", "read 2", "write 3"), { stillGoing });
		const before = "ABORTED_BEFORE_DISPATCH";
		expect(shorts(wave)).toEqual(["TOOL_FAILED", "STOPPED_BY_ERROR", before, before]);
		expect((await linesOf(ledger)).slice(5)).toEqual([
			...["cancel_received", "tool_called 2", "tool_result 2", "tool_called 3", "tool_result 3"],
		]);
	});

	it("accounts every ticket of the segment it stopped in, and admits nothing behind it", async () => {
		const log: string[] = [];
		const watches: Policy = {
			name: "watches",
			admit(_call, { index }) {
				log.push(`admit ${index}`);
				return "clear";
			},
			account: (_call, outcome, { index }) =>
				void log.push(`account ${index} ${outcome.ok ? "ok" : outcome.error.code}`),
		};
		const { engine, held } = benchOf({ tools: [fails], policies: [watches], onError: "stop" });
		const running = engine.executeWave(callsOf("fails", "read 1", "write 2"));
		await settled();
		held.releaseAll();
		await running;
		expect(log).toEqual(["admit 0", "admit 1", "account 0 TOOL_FAILED", "account 1 STOPPED_BY_ERROR"]);
	});
});
