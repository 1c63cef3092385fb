// Every kind of waiting against every time limit: what limits a call does not run meanwhile, what limits a run does.

import { describe, expect, it } from "vitest";
import {
	type EngineOptions,
	scriptedModel,
	type Timeouts,
	type ToolContext,
	type ToolDefinition,
} from "../../engine/index.js";
import { HeldWork } from "../support/held-work.js";
import { benchOf, short, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";
import { asking } from "../support/pause-kit.js";

const held = new HeldWork();
const key = () => ["the key"];

/** `first` is in the way of `late`, and says something all the time, so that no limit of its own ends it. */
function first(rest: Partial<ToolDefinition>) {
	let say = (): void => undefined;
	const tool = toolOf(
		"first",
		(_args, { progress }) => {
			say = () => progress("still there");
			return held.hold("wait");
		},
		{ timeout: Number.POSITIVE_INFINITY, ...rest },
	);
	return { tool, say: () => say() };
}

interface Waiting {
	/** What `first` is, where it is in the way. */
	readonly first?: Partial<ToolDefinition>;
	readonly late: Partial<ToolDefinition>;
	/** What `late` does before its work. */
	readonly before?: (context: ToolContext) => unknown;
	readonly options?: Partial<EngineOptions>;
}

const person: Partial<EngineOptions> = { asker: () => held.hold("wait").then(() => true) };
const safeWrite = { effect: "write", isConcurrencySafe: true } as const;

const WAITS: Readonly<Record<string, Waiting>> = {
	"for a slot": { first: {}, late: {}, options: { maxParallelToolCalls: 1 } },
	"for its keys": { first: { ...safeWrite, lockKeys: key }, late: { ...safeWrite, lockKeys: key } },
	"for keys that it asks for while it runs": {
		first: { ...safeWrite, lockKeys: key },
		late: safeWrite,
		before: ({ lock }) => lock(key()),
	},
	"for its turn": { first: {}, late: { effect: "write" } },
	"for the gate of its step": {
		first: {},
		late: {},
		// The call is made another that must have the step alone.
		options: { middleware: [{ name: "more", wrapToolCall: (call, next) => next({ ...call, args: { n: 1 } }) }] },
	},
	"for a person's approval": { late: { requiresApproval: true }, options: person },
	"for a person's answer": { late: { mayAsk: true }, before: ({ interrupt }) => interrupt("?"), options: person },
};

const LIMIT_MS = 50;
const WAITED_MS = 20 * LIMIT_MS;
const WORK_MS = LIMIT_MS - 10;

const LIMITS: Readonly<
	Record<string, { readonly timeouts: Partial<Timeouts>; readonly own?: Partial<ToolDefinition> }>
> = {
	toolMs: { timeouts: { toolMs: LIMIT_MS } },
	"its own timeout": { timeouts: {}, own: { timeout: LIMIT_MS } },
	idleMs: { timeouts: { idleMs: LIMIT_MS } },
};

const rows = Object.keys(WAITS).flatMap((waits) => Object.keys(LIMITS).map((limit) => [limit, waits] as const));

function benchFor(waits: string, timeouts: Partial<Timeouts>, own: Partial<ToolDefinition> = {}) {
	const waiting = WAITS[waits];
	if (waiting === undefined) throw new Error(`there is no wait ${waits}`);
	const isGate = waits === "for the gate of its step";
	const blocker = first(waiting.first ?? {});
	const late = toolOf(
		"late",
		async (_args, context) => {
			await waiting.before?.(context);
			await held.hold("work");
			return "did it";
		},
		{
			...waiting.late,
			...own,
			...(isGate && { isConcurrencySafe: (args: unknown) => (args as { n?: number }).n !== 1 }),
		},
	);
	const tools = waiting.first === undefined ? [late] : [blocker.tool, late];
	const bench = benchOf({ ...waiting.options, tools, timeouts });
	return { ...bench, say: blocker.say, calls: tools.map(({ name }) => ({ name, args: {} })) };
}

async function passWaiting({ clock, say }: ReturnType<typeof benchFor>, ms: number): Promise<void> {
	await settled();
	for (let passed = 0; passed < ms; passed += 10) {
		say();
		await clock.pass(10);
	}
}

describe("Law 10: waiting is not running", () => {
	it.each(rows)("%s does not run while a call waits %s", async (limit, waits) => {
		const bench = benchFor(waits, LIMITS[limit]?.timeouts ?? {}, LIMITS[limit]?.own);
		const model = scriptedModel([{ calls: bench.calls }, "done"]);
		const running = bench.engine.run({ model, input: "x" });
		await passWaiting(bench, WAITED_MS);
		expect(held.waiting).toEqual(["wait"]);
		held.release("wait");
		await settled();
		expect(held.waiting).toEqual(["work"]);
		// It has the whole of its limit yet.
		await bench.clock.pass(WORK_MS);
		held.release("work");
		const { messages } = await running;
		const last = messages.findLast((message) => message.role === "tool");
		expect(last?.role === "tool" && short(last.outcome)).toBe('"did it"');
	});

	it.each(Object.keys(WAITS))("totalMs runs while a call waits %s", async (waits) => {
		const bench = benchFor(waits, { totalMs: WAITED_MS });
		const model = scriptedModel([{ calls: bench.calls }, "done"]);
		const running = bench.engine.run({ model, input: "x" });
		await passWaiting(bench, WAITED_MS - 10);
		expect(held.waiting).toEqual(["wait"]);
		await bench.clock.pass(10);
		const run = await running;
		held.releaseAll();
		expect(run).toMatchObject({ status: "limit", limit: "totalMs" });
		expect(run.messages.findLast((message) => message.role === "tool")).toMatchObject({ outcome: { ok: false } });
	});

	it("a run that pauses for a person counts none of the time until it is resumed", async () => {
		const { tool } = asking("ask", 1);
		const { engine, clock } = benchOf({ tools: [tool], timeouts: { totalMs: WAITED_MS } });
		const model = scriptedModel([{ calls: [{ name: "ask", args: {} }] }, "done"]);
		const paused = await engine.run({ model, input: "x", runId: "r" });
		await clock.pass(2 * WAITED_MS);
		if (paused.status !== "paused") throw new Error(`the run is ${paused.status}`);
		const rest = await engine.resume(paused.checkpoint, { model, answers: { "r/0/0/1": 1 } });
		expect(rest.status).toBe("done");
	});
});
