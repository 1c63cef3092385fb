// The engine as a whole: its options, its end.

import { describe, expect, it } from "vitest";
import { CLOSE_MS_MAX, GRACE_MS_DEFAULT } from "../engine/core/limits.js";
import {
	createEngine,
	type EngineOptions,
	memoryLedger,
	type ToolCallError,
	tool,
	type WaveCheckpoint,
	type WaveResult,
} from "../engine/index.js";
import { benchOf, callsOf, linesOf, shorts, toolOf } from "./support/law-kit.js";
import { settled } from "./support/manual-clock.js";

describe("closing an engine", () => {
	it("Z1: aborts what runs, writes its last lines, and then closes the ledger", async () => {
		const order: string[] = [];
		const memory = memoryLedger();
		const ledger = Object.assign(memory, {
			append: ((records) => {
				order.push(...records.map(({ kind }) => kind));
			}) as typeof memory.append,
			close: async () => void order.push("closed"),
		});
		const { engine, entered, clock } = benchOf({ ledger });
		const wave = engine.executeWave(callsOf("read 0", "read 1"));
		await settled();
		const closing = engine.close();
		await clock.pass(GRACE_MS_DEFAULT + CLOSE_MS_MAX);
		const report = await closing;
		expect(shorts(await wave)).toEqual(["ABORTED", "ABORTED"]);
		expect(entered).toEqual(["read 0", "read 1"]);
		expect(order.at(-1)).toBe("closed");
		expect(order.filter((kind) => kind === "tool_result")).toHaveLength(2);
		expect(report).toMatchObject({ abandoned: 2 });
	});

	it.each([
		["is not planned yet", undefined],
		["waits for a schema", new Promise<never>(() => undefined)],
		["has its schema's answer in the same turn", Promise.resolve({ value: {} })],
	])("PN1: aborts a wave that %s: nothing of it runs, and it has its lines", async (_stands, validated) => {
		for (const open of ["wave", "step", "call"] as const) {
			const validate = () => validated ?? { value: {} };
			const parameters = { "~standard": { version: 1, vendor: "test", validate } } as const;
			const ran: string[] = [];
			const slow = tool({ name: "slow", parameters, effect: "write", execute: () => void ran.push("slow") });
			const ledger = memoryLedger();
			const { engine, clock } = benchOf({ tools: [slow], ledger });
			const step = engine.openStep();
			step.offer({ id: "", name: "slow", args: {} });
			const wave =
				open === "wave"
					? engine.executeWave(callsOf("slow"))
					: open === "step"
						? step.settle()
						: engine.invokeTool("slow", {}).catch((error: ToolCallError) => error.code);
			const closing = engine.close();
			await clock.pass(GRACE_MS_DEFAULT + CLOSE_MS_MAX);
			expect(await closing).toEqual({ abandoned: 0 });
			const ended = await wave;
			if (open !== "call") {
				const { status, results } = ended as WaveResult;
				expect([status, shorts({ results })]).toEqual(["aborted", ["ABORTED_BEFORE_DISPATCH"]]);
			} else expect(ended).toBe("ABORTED_BEFORE_DISPATCH");
			expect(await linesOf(ledger)).toEqual(["model_returned", "tool_called 0", "tool_result 0"]);
			expect(ran).toEqual([]);
		}
	});

	it("refuses to go on with a wave whose checkpoint was still being read", async () => {
		const asks = toolOf("asks", (_args, { interrupt }) => interrupt("well?"), { mayAsk: true });
		const { engine } = benchOf({ tools: [asks] });
		const { checkpoint } = await engine.executeWave(callsOf("asks"));
		const resuming = engine.resume(checkpoint as WaveCheckpoint);
		const refused = expect(resuming).rejects.toMatchObject({ code: "ENGINE_CLOSED" });
		await engine.close();
		await refused;
	});

	it("may be done twice, and gives the same report", async () => {
		const { engine } = benchOf();
		expect(await engine.close()).toBe(await engine.close());
	});

	it("refuses what comes after it, saying so", async () => {
		const { engine } = benchOf();
		await engine.close();
		await expect(engine.executeWave(callsOf("read 0"))).rejects.toMatchObject({ code: "ENGINE_CLOSED" });
		expect(() => engine.openStep()).toThrow(/the engine was closed/);
	});

	it("ends a step that still streams, whose early starts are thrown away", async () => {
		const { engine, events, clock } = benchOf();
		const step = engine.openStep();
		for (const call of callsOf("read 0")) step.offer(call);
		await settled();
		const closing = engine.close();
		await clock.pass(GRACE_MS_DEFAULT + CLOSE_MS_MAX);
		await closing;
		expect(events.map(({ kind }) => kind)).toContain("ahead_discarded");
		await expect(step.settle()).rejects.toMatchObject({ code: "STEP_CLOSED" });
	});

	it("says that the ledger failed at its end, and resolves all the same", async () => {
		const ledger = Object.assign(memoryLedger(), { close: () => Promise.reject(new Error("disk full")) });
		const { engine } = benchOf({ ledger });
		expect(await engine.close()).toMatchObject({ ledgerFailure: { message: "disk full" } });
	});
});

describe("the options of an engine", () => {
	const refused: readonly (readonly [string, unknown, string])[] = [
		["an option that does not exist", { schedul: "serial" }, '"schedul" is not known; perhaps "schedule" is meant'],
		["no tools", { tools: undefined }, "tools is undefined, not a list"],
		["a tool that tool() did not make", { tools: [{ name: "x" }] }, "tools[0] was not made by tool()"],
		["two tools of one name", { tools: [toolOf("a", () => 1), toolOf("a", () => 2)] }, 'two tools are named "a"'],
		["a schedule that does not exist", { schedule: "fast" }, '"fast"'],
		[
			"a serial schedule that is to be parallel",
			{ schedule: "serial", parallelToolCalls: true },
			"parallelToolCalls is true",
		],
		["a barrier schedule that is not to be parallel", { schedule: "barriers", parallelToolCalls: false }, '"barriers"'],
		["no room for any call", { maxParallelToolCalls: 0 }, "maxParallelToolCalls is 0"],
		["a time limit that is no time", { timeouts: { toolMs: -1 } }, "timeouts.toolMs is -1"],
		[
			"a time limit that does not exist",
			{ timeouts: { tool: 5 } },
			'"timeouts.tool" is not known; perhaps "toolMs" is meant',
		],
		["a policy without a name", { policies: [{}] }, "policies[0] is no policy: its name is undefined"],
		["an ahead that does not exist", { ahead: true }, "ahead is true"],
		["an onError that does not exist", { onError: "panic" }, '"panic"'],
		["an ahead that has no JSON", { ahead: 1n }, "ahead is 1n"],
		["policies that are no list", { policies: {} }, "policies is {}"],
		["a ledger that is a path", { ledger: "run.jsonl" }, 'ledger is "run.jsonl", which has no append()'],
		["time limits that are one number", { timeouts: 5 }, "timeouts is 5"],
		["no thread at all", { threads: { max: 0 } }, "threads.max is 0, not a whole number from 1"],
		["more threads kept than there may be", { threads: { min: 3, max: 2 } }, "threads.max is 2 and threads.min is 3"],
		["half a thread", { threads: { min: 0.5 } }, "threads.min is 0.5"],
		[
			"an option of threads that does not exist",
			{ threads: { most: 2 } },
			'"threads.most" is not known; there are min, max',
		],
		[
			"a heap limit that does not exist",
			{ threads: { resourceLimits: { maxOldGenerationSize: 64 } } },
			'"threads.resourceLimits.maxOldGenerationSize" is not known; perhaps "maxOldGenerationSizeMb"',
		],
		["threads kept for less than nothing", { threads: { idleMs: -1 } }, "threads.idleMs is -1"],
	];
	it.each(refused)("with %s are refused with what was wrong", (_what, options, said) => {
		const given = { tools: [], ...(options as object) } as EngineOptions;
		expect(() => createEngine(given)).toThrow(said);
	});

	it("nearest win: a wave's own over its engine's", async () => {
		const { engine, entered, held } = benchOf({ parallelToolCalls: false });
		const wave = engine.executeWave(callsOf("read 0", "read 1"), { parallelToolCalls: true });
		await settled();
		expect(entered).toEqual(["read 0", "read 1"]);
		held.releaseAll();
		await wave;
	});
});
