// Calls that a call makes: their lines, their keys, what they may do.

import { describe, expect, it } from "vitest";
import { NESTED_DEPTH_MAX } from "../../engine/core/limits.js";
import { type Engine, KeyedLock, ToolCallError } from "../../engine/index.js";
import { HeldWork } from "../support/held-work.js";
import { benchOf, callsOf, entriesOf, shorts, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";

const lineages = async (ledger: Parameters<typeof entriesOf>[0]): Promise<string[]> =>
	(await entriesOf(ledger)).map(({ kind, data }) =>
		data.lineage === undefined ? kind : `${kind} ${(data.lineage as number[]).join(".")}`,
	);

/** A write of one key that says when it has begun and ends when it is let go. */
function heldSave(held: HeldWork, entered: number[]) {
	return toolOf(
		"save",
		async ({ n = 0 }) => {
			entered.push(n);
			await held.hold(`save ${n}`);
		},
		{ effect: "write", lockKeys: () => ["note"] },
	);
}

describe("nested calls", () => {
	it("are made at once in any number, and nothing warns of a leak", async () => {
		const warned: string[] = [];
		const hear = ({ name }: Error): void => void warned.push(name);
		process.on("warning", hear);
		const inner = toolOf("inner", ({ n = 0 }) => n);
		const outer = toolOf("outer", async (_args, { invokeTool }) => {
			const all = await Promise.all(Array.from({ length: 40 }, (_one, n) => invokeTool("inner", { n })));
			return all.length;
		});
		const { engine } = benchOf({ tools: [inner, outer] });
		expect(shorts(await engine.executeWave(callsOf("outer")))).toEqual(["40"]);
		await settled();
		process.off("warning", hear);
		expect(warned).toEqual([]);
	});

	it("NC1: stand between their parent's two lines in the order they were made, whichever ends first", async () => {
		const held = new HeldWork();
		const inner = toolOf("inner", async ({ n = 0 }) => {
			await held.hold(`inner ${n}`);
			return n;
		});
		const outer = toolOf("outer", async (_args, { invokeTool }) =>
			Promise.all([invokeTool("inner", { n: 1 }), invokeTool("inner", { n: 2 })]),
		);
		const { engine, ledger } = benchOf({ tools: [inner, outer] });
		const wave = engine.executeWave(callsOf("outer", "inner 3"));
		await settled();
		for (const label of ["inner 3", "inner 2", "inner 1"]) {
			held.release(label);
			await settled();
		}
		expect(shorts(await wave)).toEqual(["[1,2]", "3"]);
		expect(await lineages(ledger)).toEqual([
			"model_returned",
			"tool_called 0",
			"tool_called 0.0",
			"tool_result",
			"tool_called 0.1",
			"tool_result",
			"tool_result",
			"tool_called 1",
			"tool_result",
		]);
	});

	it("NC2: that are no reads are refused under a parent that only reads, by the rule read-parent", async () => {
		const acted: string[] = [];
		const change = toolOf("change", () => void acted.push("change"), { effect: "write" });
		const look = toolOf("look", (_args, { invokeTool }) => invokeTool("change", {}));
		const { engine } = benchOf({ tools: [change, look] });
		const { results } = await engine.executeWave(callsOf("look"));
		expect(results[0]?.outcome).toMatchObject({ error: { code: "DENIED" } });
		expect(acted).toEqual([]);
	});

	it("complete under a cap of one, to any depth", async () => {
		const down = toolOf("down", async ({ n = 0 }, { invokeTool }) =>
			n === 0 ? "bottom" : invokeTool("down", { n: n - 1 }),
		);
		const { engine } = benchOf({ tools: [down], maxParallelToolCalls: 1 });
		expect(shorts(await engine.executeWave(callsOf("down 5", "down 0")))).toEqual(['"bottom"', '"bottom"']);
	});

	it("take again what their parent holds, without waiting, through the context and through the engine", async () => {
		const locks = new KeyedLock();
		const save = toolOf("save", () => "saved", { effect: "write", lockKeys: () => ["note"] });
		let engine: Engine | undefined;
		const both = toolOf(
			"both",
			async (_args, { invokeTool }) => [await invokeTool("save", {}), await engine?.invokeTool("save", {})],
			{ effect: "write", lockKeys: () => ["note"] },
		);
		const bench = benchOf({ tools: [save, both], locks });
		engine = bench.engine;
		expect(shorts(await engine.executeWave(callsOf("both")))).toEqual(['["saved","saved"]']);
		expect(locks.size).toBe(0);
	});

	it("wait like any other once their parent has let its keys go, though it left them running", async () => {
		const locks = new KeyedLock();
		const held = new HeldWork();
		const entered: number[] = [];
		const save = heldSave(held, entered);
		let engine: Engine | undefined;
		let left: Promise<unknown> = Promise.resolve();
		const leaves = toolOf(
			"leaves",
			() => {
				left = held.hold("left").then(() => engine?.invokeTool("save", { n: 2 }));
			},
			{ effect: "write", lockKeys: () => ["note"] },
		);
		engine = benchOf({ tools: [save, leaves], locks }).engine;
		await engine.executeWave(callsOf("leaves"));
		const other = engine.invokeTool("save", { n: 1 });
		await settled();
		held.release("left");
		await settled();
		expect(entered).toEqual([1]);
		held.release("save 1");
		await settled();
		expect(entered).toEqual([1, 2]);
		held.releaseAll();
		await Promise.all([other, left]);
		expect(locks.size).toBe(0);
	});

	it("fail with the outcome's code for whoever made them, and the parent may go on", async () => {
		const caught: unknown[] = [];
		const careful = toolOf("careful", async (_args, { invokeTool }) => {
			await invokeTool("missing", {}).catch((error: unknown) => caught.push(error));
			return "went on";
		});
		const { engine } = benchOf({ tools: [careful] });
		expect(shorts(await engine.executeWave(callsOf("careful")))).toEqual(['"went on"']);
		expect(caught[0]).toBeInstanceOf(ToolCallError);
		expect(caught[0]).toMatchObject({ code: "UNKNOWN_TOOL", errorCode: "UNKNOWN_TOOL" });
	});

	it("that would close a circle fail at once with TOOL_LOCK_CYCLE, and the other goes on", async () => {
		const locks = new KeyedLock();
		const held = new HeldWork();
		const take = toolOf("take", () => "taken", {
			effect: "write",
			lockKeys: (args) => [`k${(args as { n: number }).n}`],
		});
		const cross = toolOf(
			"cross",
			async ({ n = 0 }, { invokeTool }) => {
				await held.hold(`cross ${n}`);
				return invokeTool("take", { n: 1 - n });
			},
			{ effect: "write", isConcurrencySafe: true, lockKeys: (args) => [`k${(args as { n: number }).n}`] },
		);
		const { engine } = benchOf({ tools: [take, cross], locks });
		const wave = engine.executeWave(callsOf("cross 0", "cross 1"));
		await settled();
		held.release("cross 0");
		await settled();
		held.release("cross 1");
		await settled();
		expect(shorts(await wave)).toEqual(['"taken"', "TOOL_LOCK_CYCLE"]);
		expect(locks.size).toBe(0);
	});

	it("stop with their parent, and nothing of them starts afterwards", async () => {
		const controller = new AbortController();
		const held = new HeldWork();
		const seen: string[] = [];
		const inner = toolOf("inner", async (_args, { cancelled }) => {
			await held.hold("inner");
			seen.push(`cancelled ${cancelled()}`);
		});
		const outer = toolOf("outer", async (_args, { invokeTool }) => {
			await invokeTool("inner", {}).catch(() => undefined);
			await invokeTool("inner", {}).catch((error: unknown) => seen.push((error as ToolCallError).code));
		});
		const { engine } = benchOf({ tools: [inner, outer] });
		const wave = engine.executeWave(callsOf("outer"), { signal: controller.signal });
		await settled();
		controller.abort();
		expect(shorts(await wave)).toEqual(["ABORTED"]);
		await settled();
		held.releaseAll();
		await settled();
		expect(seen).toEqual(["ABORTED_BEFORE_DISPATCH", "cancelled true"]);
		expect(held.waiting).toEqual([]);
	});

	it("give up an early start: the call runs again once it is admitted", async () => {
		let runs = 0;
		const inner = toolOf("inner", () => "in");
		const outer = toolOf("outer", async (_args, { invokeTool }) => {
			runs += 1;
			return invokeTool("inner", {});
		});
		const { engine, events } = benchOf({ tools: [inner, outer] });
		const step = engine.openStep();
		for (const call of callsOf("outer")) step.offer(call);
		await settled();
		expect(events.map(({ kind }) => kind)).toContain("ahead_discarded");
		expect(shorts(await step.settle())).toEqual(['"in"']);
		expect(runs).toBe(2);
	});
});

describe("a tool by itself", () => {
	it("is a wave of one call, in the ledger, and gives its value", async () => {
		const { engine, ledger } = benchOf({ tools: [toolOf("plain", ({ n }) => n)] });
		expect(await engine.invokeTool("plain", { n: 7 })).toBe(7);
		expect(await lineages(ledger)).toEqual(["model_returned", "tool_called 0", "tool_result"]);
	});

	it("waits in the queues of the same locks as the calls of waves", async () => {
		const locks = new KeyedLock();
		const held = new HeldWork();
		const entered: number[] = [];
		const save = heldSave(held, entered);
		const { engine } = benchOf({ tools: [save], locks, parallelToolCalls: false });
		const wave = engine.executeWave(callsOf("save 1"));
		await settled();
		const alone = engine.invokeTool("save", { n: 2 });
		await settled();
		expect(entered).toEqual([1]);
		held.releaseAll();
		await settled();
		expect(entered).toEqual([1, 2]);
		held.releaseAll();
		await Promise.all([wave, alone]);
	});
});

describe("keys that a tool takes while it runs", () => {
	it("CC1: are let go when its work ends, if it has not done so itself", async () => {
		const locks = new KeyedLock();
		const grab = toolOf("grab", async (_args, { lock }) => {
			await lock(["kept"]);
			const release = await lock({ read: ["given back"] });
			release();
			return locks.size;
		});
		const { engine } = benchOf({ tools: [grab], locks });
		expect(shorts(await engine.executeWave(callsOf("grab")))).toEqual(["1"]);
		expect(locks.size).toBe(0);
	});

	it("CC1: cannot be asked for once its work has ended", async () => {
		const refusals: string[] = [];
		const late = (asking: () => Promise<unknown>): void => {
			void Promise.resolve()
				.then(asking)
				.catch((error: Error) => refusals.push(error.message));
		};
		const leaves = toolOf("leaves", (_args, { lock, invokeTool }) => {
			late(() => lock(["k"]));
			late(() => invokeTool("read", {}));
			return "gone";
		});
		const { engine } = benchOf({ tools: [leaves], locks: new KeyedLock() });
		await engine.executeWave(callsOf("leaves"));
		await settled();
		expect(refusals).toEqual([
			"Could not take keys: the call leaves has ended.",
			"Could not invoke a tool: the call leaves has ended.",
		]);
	});

	it("is refused where calls are nested too deep, so a tool that invokes itself comes to an end", async () => {
		let deepest = 0;
		const again = toolOf("again", async ({ n = 0 }, { invokeTool }) => {
			deepest = n;
			return invokeTool("again", { n: n + 1 });
		});
		const { engine } = benchOf({ tools: [again] });
		const { results } = await engine.executeWave(callsOf("again 1"));
		expect(results[0]?.outcome).toMatchObject({
			ok: false,
			error: { code: "DENIED", details: { rule: "nesting-depth" } },
		});
		expect(deepest).toBe(NESTED_DEPTH_MAX);
	});
});
