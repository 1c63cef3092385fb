// What a tool on a thread asks its host: keys and nested calls. The answers and the refusals cross whole, and waiting for
// them never keeps the thread from whoever must run first.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EngineError } from "../../engine/core/errors.js";
import { failed } from "../../engine/core/outcome.js";
import { ToolCallError } from "../../engine/core/tool-call-error.js";
import type { ToolContext, ToolValue } from "../../engine/core/tool-context.js";
import { LockCycleError } from "../../engine/locks/lock-cycle.js";
import { settled } from "../support/manual-clock.js";
import { gist, RealPool } from "./thread-kit.js";

let pool: RealPool;
beforeEach(() => {
	pool = new RealPool({ max: 1 });
});
afterEach(async () => {
	expect(await pool.executor.close(0)).toEqual({ abandoned: 0 });
});

describe("keys", () => {
	it("are taken and let go once, whatever the tool does twice", async () => {
		const log: string[] = [];
		const context: Partial<ToolContext> = {
			async lock(keys) {
				log.push(`lock ${JSON.stringify(keys)}`);
				return () => void log.push("let go");
			},
			async invokeTool(name, args) {
				log.push(`invoke ${name} ${JSON.stringify(args)}`);
				return "answered";
			},
		};
		const call = pool.start("plain/lockAndInvoke", { args: { name: "other", args: { x: 1 } }, context });
		expect(gist(await call.ended)).toBe("answered");
		// The second letting go comes, if it comes, before the answer of a later call.
		await pool.run("plain/echo");
		expect(log).toEqual(['lock {"write":["a","b"]}', 'invoke other {"x":1}', "let go"]);
	});
});

describe("an answer that is waited for", () => {
	it("comes, however often memory is collected on the host meanwhile", async () => {
		setFlagsFromString("--expose-gc");
		const collect = runInNewContext("gc") as () => void;
		const given: ((value: string) => void)[] = [];
		const context = {
			lock: () => Promise.resolve(() => undefined),
			invokeTool: () => new Promise<ToolValue>((resolve) => void given.push(resolve)),
		};
		const ended = pool.start("plain/lockAndInvoke", { args: { name: "any", args: {} }, context }).ended;
		while (given.length === 0) await settled();
		for (let time = 0; time < 5; time += 1) {
			collect();
			await settled();
		}
		for (const give of given) give("still here");
		expect(gist(await ended)).toBe("still here");
	});
});

describe("a nested call", () => {
	const nest = (depth: number): Promise<ToolValue> => {
		const context: Partial<ToolContext> = {
			invokeTool: async () => (depth === 0 ? "the innermost" : nest(depth - 1)),
		};
		const { ended } = pool.start("plain/lockAndInvoke", { args: { name: "nested", args: {} }, context });
		return ended.then((outcome) => gist(outcome) as ToolValue);
	};

	it("on the only thread there may be runs while its parent waits, at any depth, and the pool shrinks again", async () => {
		expect(await nest(3)).toBe("the innermost");
		await pool.saw("thread_ended", 3);
		expect(pool.count("thread_started")).toBe(4);
		expect(pool.threads).toBe(1);
	});

	it("does not wait behind a call that was there before its parent", async () => {
		const outcomes = await Promise.all([nest(1), nest(1), ...[1, 2, 3].map((name) => pool.run("plain/echo", name))]);
		expect(outcomes.slice(0, 2)).toEqual(["the innermost", "the innermost"]);
	});
});

describe("a refusal of the host", () => {
	const refuse = (error: unknown): Partial<ToolContext> => ({
		invokeTool: async () => {
			throw error;
		},
	});

	it("keeps its name, code, recovery and outcome, and is known for what it is", async () => {
		const { error } = failed("DENIED", { message: "Not today.", details: { rule: "calendar" } }) as {
			error: ConstructorParameters<typeof ToolCallError>[1];
		};
		const refused = new ToolCallError("any", error);
		const value = gist(await pool.start("plain/describeRefusal", { context: refuse(refused) }).ended);
		const { name, message, code, recovery, outcome } = refused;
		expect(value).toEqual({ name, message, code, recovery, outcome, known: true, isError: true });
	});

	it("for a circle of locks says on the thread, and in the outcome of a tool that lets it through, who waits for whom", async () => {
		const refused = new LockCycleError('a waits for "k" of b, b waits for "l" of a');
		const { name, message, code, recovery, circle } = refused;
		const value = gist(await pool.start("plain/describeRefusal", { context: refuse(refused) }).ended);
		expect(value).toEqual({ name, message, code, recovery, circle, known: true, isError: true });
		const call = pool.start("plain/lockAndInvoke", { args: { name: "any", args: {} }, context: refuse(refused) });
		expect(await call.ended).toMatchObject({ error: { code: "TOOL_LOCK_CYCLE", details: { circle } } });
	});

	it("of another kind keeps its name and its own code", async () => {
		const refused = Object.assign(new RangeError("too far"), { code: "E_FAR" });
		const value = gist(await pool.start("plain/describeRefusal", { context: refuse(refused) }).ended);
		expect(value).toMatchObject({ name: "RangeError", message: "too far", code: "E_FAR", known: false, isError: true });
	});

	it("that the tool does not catch is the call's own outcome, with the code", async () => {
		const refused = new EngineError("TOOL_LOCK_CYCLE", {
			action: "wait for the lock keys",
			problem: "it would never end",
		});
		const call = pool.start("plain/lockAndInvoke", { args: { name: "any", args: {} }, context: refuse(refused) });
		expect(await call.ended).toMatchObject({ error: { code: "TOOL_LOCK_CYCLE", message: refused.message } });
	});

	it("comes too late for a call that is over", async () => {
		const value = gist(await pool.run("faults/lockAfterAnswer", { whileBusy: true }));
		expect(value).toBe("answered");
		expect(gist(await pool.run("faults/behave"))).toBe("behaved");
		expect(pool.events.filter(({ kind }) => kind === "stray_error")).toMatchObject([
			{ message: "Error: Could not take keys: the call has ended." },
		]);
	});
});
