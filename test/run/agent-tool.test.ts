// An agent as a tool: a run below a call, with that call's lineage, abort, ledger place and questions.

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { AGENT_DEPTH_MAX } from "../../engine/core/limits.js";
import {
	type AgentDefinition,
	agentTool,
	createEngine,
	isEngineError,
	KeyedLock,
	type Model,
	memoryLedger,
	type ScriptedReply,
	scriptedModel,
	type Tool,
} from "../../engine/index.js";
import { HeldWork } from "../support/held-work.js";
import { anything, benchOf, callsOf, canonicalOf, entriesOf, shorts, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";
import { asking, idsOf, lasting, reloaded } from "../support/pause-kit.js";

const asks = (...names: string[]) => ({ calls: names.map((name, n) => ({ name, args: { n } })) });
const double = toolOf("double", ({ n = 0 }) => n * 2);

function agent(name: string, model: Model, rest: Partial<AgentDefinition> = {}): Tool {
	return agentTool({ name, parameters: anything, model, ...rest } as never);
}

describe("an agent as a tool", () => {
	it("answers with the text of its last reply, and its lines stand between its call's two", async () => {
		const ledger = memoryLedger();
		const model = scriptedModel([{ text: "hm", ...asks("double", "double") }, "it is 2"]);
		const { engine } = benchOf({ tools: [double, agent("helper", model)], ledger });
		const wave = await engine.executeWave(callsOf("double 1", "helper 7", "double 2"));
		expect(shorts(wave)).toEqual(["2", '"it is 2"', "4"]);
		expect(model.requests[0]?.messages).toEqual([{ role: "user", text: '{"n":7}' }]);
		const entries = await entriesOf(ledger);
		expect(entries.map(({ kind, data }) => [kind, String(data.lineage ?? "")])).toEqual([
			["model_returned", ""],
			["tool_called", "0"],
			["tool_result", ""],
			["tool_called", "1"],
			["run_started", "1"],
			["model_called", "1"],
			["model_returned", "1"],
			["tool_called", "1,0"],
			["tool_result", ""],
			["tool_called", "1,1"],
			["tool_result", ""],
			["model_called", "1"],
			["model_returned", "1"],
			["run_finished", "1"],
			["tool_result", ""],
			["tool_called", "2"],
			["tool_result", ""],
		]);
	});

	it("and the calls of its model take again the keys that its call holds, and leave none", async () => {
		const locks = new KeyedLock();
		const keyed = { effect: "write", lockKeys: () => ["note"] } as const;
		const save = toolOf("save", ({ n = 0 }) => n, keyed);
		const { engine } = benchOf({
			tools: [save, agent("helper", scriptedModel([asks("save"), "saved"]), keyed)],
			locks,
		});
		expect(shorts(await engine.executeWave(callsOf("helper 1")))).toEqual(['"saved"']);
		expect(locks.size).toBe(0);
	});

	it("runs the reads of its reply at once, and under a cap of one still completes", async () => {
		const model = scriptedModel([asks("read", "read"), "done"]);
		const helper = agent("helper", model);
		const { engine, held, entered } = benchOf({ tools: [helper] });
		const running = engine.executeWave(callsOf("helper"));
		await settled();
		expect(entered).toEqual(["read 0", "read 1"]);
		held.releaseAll();
		expect(shorts(await running)).toEqual(['"done"']);
		const capped = benchOf({ tools: [helper], maxParallelToolCalls: 1 });
		const serial = capped.engine.executeWave(callsOf("helper"));
		await settled();
		expect(capped.entered).toEqual(["read 0"]);
		capped.held.releaseAll();
		await settled();
		capped.held.releaseAll();
		expect(shorts(await serial)).toEqual(['"done"']);
	});

	it("is told of the tools it is offered and can call no other; of all but agents where it names none", async () => {
		const told: string[][] = [];
		const watched = (script: ScriptedReply[]): Model => {
			const model = scriptedModel(script);
			return {
				stream(request) {
					told.push(request.tools.map(({ name }) => name));
					return model.stream(request);
				},
			};
		};
		const some = agent("some", watched([asks("double", "write", "all"), "done"]), { tools: ["double"] });
		const all = agent("all", watched(["done"]));
		const ledger = memoryLedger();
		const { engine, entered } = benchOf({ tools: [double, some, all], ledger });
		await engine.executeWave(callsOf("some", "all"));
		expect(told).toEqual([["double"], ["double"], ["read", "fetch", "write", "note", "double"]]);
		expect(entered).toEqual([]);
		const results = (await entriesOf(ledger)).filter(({ kind, data }) => kind === "tool_result" && data.id !== "id-0");
		expect(JSON.stringify(results)).toContain('No tool is named \\"write\\"');
	});

	it("AG2: whose list names a tool that its engine has not is refused when the engine is made", () => {
		const search = toolOf("search", () => 1);
		const made = (tools: readonly Tool[]) => {
			try {
				createEngine({ tools });
				return "it was made";
			} catch (error) {
				return isEngineError(error) ? `${error.code}: ${error.message}` : String(error);
			}
		};
		const lists = (...tools: string[]) => agent("helper", scriptedModel([]), { tools });
		expect(made([search, lists("search", "serach")])).toMatch(
			/^INVALID_TOOL: .+the agent "helper" is to use "serach", which the engine does not have; perhaps "search" is meant\. /,
		);
		expect(made([lists("x"), search, double])).toMatch(
			/"x", which the engine does not have; there are helper, search, double\. /,
		);
		expect(made([lists("__proto__")])).toMatch(/^INVALID_TOOL: /);
	});

	it("that declares that it reads makes nothing but reads", async () => {
		const model = scriptedModel([asks("write", "double"), ({ messages }) => JSON.stringify(messages.slice(2))]);
		const { engine, entered } = benchOf({ tools: [double, agent("reader", model, { effect: "read" })] });
		const [result] = (await engine.executeWave(callsOf("reader"))).results;
		expect(JSON.stringify(result?.outcome)).toContain("read-parent");
		expect(entered).toEqual([]);
	});

	it.each<[string, ScriptedReply[], string]>([
		["came to its limit", [asks("double"), asks("double"), "never"], "came to its limit (maxSteps)"],
		["was cut short", [{ text: "ha", cut: "length" }], "was cut short (length)"],
		["has a model that failed", [], "The model of helper failed"],
	])("that %s is a call that failed, and says why", async (_how, script, message) => {
		const { engine } = benchOf({ tools: [double, agent("helper", scriptedModel(script), { maxSteps: 2 })] });
		const { results } = await engine.executeWave(callsOf("helper"));
		expect(results[0]?.outcome).toMatchObject({ ok: false, error: { code: "TOOL_FAILED" } });
		expect(JSON.stringify(results[0]?.outcome)).toContain(message);
	});

	it("that offers itself comes to a bound of depth, which the deepest one reads as a call that failed", async () => {
		const model = scriptedModel([asks("helper"), ({ messages }) => JSON.stringify(messages.at(-1))]);
		const { engine } = benchOf({ tools: [agent("helper", model, { tools: ["helper"] })] });
		const { results } = await engine.executeWave(callsOf("helper"));
		expect(results[0]?.outcome.ok).toBe(true);
		expect(JSON.stringify(results[0]?.outcome)).toContain(`nested more than ${AGENT_DEPTH_MAX} calls deep`);
		expect(model.requests).toHaveLength(2 * AGENT_DEPTH_MAX);
	});

	it("reads that the calls of a reply that was cut did not run", async () => {
		const model = scriptedModel([
			{ ...asks("write"), cut: "filtered" },
			({ messages }) => JSON.stringify(messages.at(-1)),
		]);
		const { engine, entered } = benchOf({ tools: [agent("helper", model)] });
		const { results } = await engine.executeWave(callsOf("helper"));
		expect(JSON.stringify(results[0]?.outcome)).toContain("RESPONSE_INCOMPLETE");
		expect(entered).toEqual([]);
	});

	it("is aborted with its call, its model and its calls too", async () => {
		let signal: AbortSignal | undefined;
		const script = scriptedModel([asks("read", "write"), "never"]);
		const model: Model = {
			stream(request) {
				signal = request.signal;
				return script.stream(request);
			},
		};
		const controller = new AbortController();
		const { engine, entered, events, held } = benchOf({ tools: [agent("helper", model)] });
		const running = engine.executeWave(callsOf("helper"), { signal: controller.signal });
		await settled();
		controller.abort(new Error("enough"));
		expect(shorts(await running)).toEqual(["OUTCOME_UNKNOWN"]);
		expect(signal?.aborted).toBe(true);
		held.releaseAll();
		await settled();
		expect(entered).toEqual(["read 0"]);
		expect(script.requests).toHaveLength(1);
		expect(events.filter(({ kind }) => kind === "call_began")).toHaveLength(2);
	});

	it("refuses what it cannot be, when it is declared", () => {
		expect(() => agent("helper", {} as Model)).toThrow(expect.objectContaining({ code: "INVALID_OPTIONS" }));
		const model = scriptedModel([]);
		for (const rest of [{ tools: "double" }, { tools: [7] }, { input: "look around" }, { maxSteps: 0 }]) {
			const [[option = ""] = []] = Object.entries(rest);
			const refused = { code: "INVALID_OPTIONS", message: expect.stringContaining(option) };
			expect(() => agent("helper", model, rest as never), option).toThrow(expect.objectContaining(refused));
		}
		expect(() => agentTool({ name: "", parameters: z.object({}), model })).toThrow(
			expect.objectContaining({ code: "INVALID_TOOL" }),
		);
	});
});

/** An agent that puts, asks, lets another agent ask, and puts again. */
function family() {
	const did: string[] = [];
	const put = toolOf("put", ({ n = 0 }) => void did.push(`put ${n}`), { effect: "write" });
	const { tool: ask } = asking("ask", 2);
	const models = {
		outer: scriptedModel([asks("put", "ask"), asks("inner", "put"), "outer is done"]),
		inner: scriptedModel([asks("put", "ask", "double"), "inner is done"]),
	};
	const tools = [
		put,
		ask,
		double,
		agent("outer", models.outer, { tools: ["put", "ask", "inner"] }),
		agent("inner", models.inner),
	];
	return { did, models, tools };
}

describe("a question of an agent's call", () => {
	it("AG1: travels up and its answer down, and no model is asked again and no call made again", async () => {
		const ledger = memoryLedger();
		const { did, models, tools } = family();
		const first = benchOf({ tools, ledger: lasting(ledger) });
		let wave = await first.engine.executeWave(callsOf("outer", "double 3"), { runId: "r" });
		const ids: string[] = [];
		while (wave.status === "paused") {
			ids.push(...idsOf(wave));
			const answers = Object.fromEntries(wave.questions.map(({ id }) => [id, `to ${id}`]));
			const next = benchOf({ tools, ledger: lasting(ledger) });
			wave = await next.engine.resume(reloaded(wave.checkpoint), { answers });
		}
		expect(ids).toEqual(["r/0/0.1/1", "r/0/0.1/2", "r/0/0.2.1/1", "r/0/0.2.1/2"]);
		expect(shorts(wave)).toEqual(['"outer is done"', "6"]);
		expect(did).toEqual(["put 0", "put 0", "put 1"]);
		expect(models.outer.requests).toHaveLength(3);
		expect(models.inner.requests).toHaveLength(2);
		const reference = memoryLedger();
		const unbroken = benchOf({ tools: family().tools, ledger: reference, asker: ({ id }) => `to ${id}` });
		await unbroken.engine.executeWave(callsOf("outer", "double 3"), { runId: "r" });
		const written = (lines: string[]) => lines.filter((line) => line !== "");
		expect(written(await canonicalOf(ledger))).toEqual(written(await canonicalOf(reference)));
	});

	it("is denied where nobody can be asked, and the agent reads why", async () => {
		const model = scriptedModel([asks("ask"), ({ messages }) => JSON.stringify(messages.at(-1))]);
		const { engine } = benchOf({ tools: [asking("ask", 1).tool, agent("helper", model)], asker: "none" });
		const { results } = await engine.executeWave(callsOf("helper"));
		expect(JSON.stringify(results[0]?.outcome)).toContain("no-asker");
	});

	it("of a run pauses the run, which goes on through the agent to its end", async () => {
		const { did, tools } = family();
		const { engine } = benchOf({ tools });
		const model = scriptedModel([asks("outer"), "all is done"]);
		let run = await engine.run({ model, input: "x", runId: "r" });
		let pauses = 0;
		for (; run.status === "paused"; pauses += 1) {
			const answers = Object.fromEntries(run.questions.map(({ id }) => [id, id]));
			run = await engine.resume(JSON.parse(JSON.stringify(run.checkpoint)), { model, answers });
		}
		expect([pauses, run.status, run.text]).toEqual([4, "done", "all is done"]);
		expect(did).toEqual(["put 0", "put 0", "put 1"]);
	});

	it("is never silent: how long its model takes is not the idle limit of its call", async () => {
		const slow: Model = {
			async *stream() {
				await held.hold("model");
				yield* scriptedModel(["done at last"]).stream({
					messages: [],
					tools: [],
					signal: new AbortController().signal,
				});
			},
		};
		const held = new HeldWork();
		const { engine, clock } = benchOf({ tools: [agent("helper", slow)], timeouts: { idleMs: 50 } });
		const wave = engine.executeWave(callsOf("helper"));
		await clock.pass(500);
		held.release("model");
		expect(shorts(await wave)).toEqual(['"done at last"']);
	});
});
