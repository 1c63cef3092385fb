// What a read is forgotten by when keys are taken in other ways than by one call of `lockKeys`: a world of two values, a
// read of one of them, a write of it, and the read again, which must say what stands there now.

import { describe, expect, it } from "vitest";
import { createEngine, type Middleware, memo, type PolicyView, type ToolCall, tool } from "../../engine/index.js";
import { anything } from "../support/law-kit.js";

interface Args {
	readonly k: string;
	readonly also?: string;
	readonly fails?: boolean;
}

/** Tools of a world of values, whose keys are their names. */
function world() {
	const values: Record<string, number> = { a: 0, b: 0 };
	const common = { parameters: anything, description: "" };
	const read = { ...common, effect: "read" } as const;
	const write = { ...common, effect: "write" } as const;
	const keyOf = (args: unknown): string => (args as Args).k;
	const tools = [
		tool({
			...read,
			name: "look",
			lockKeys: (args) => ({ read: [keyOf(args)] }),
			execute: (args) => values[keyOf(args)],
		}),
		tool({ ...read, name: "look-unnamed", lockKeys: () => [], execute: (args) => values[keyOf(args)] }),
		tool({
			...read,
			name: "look-locking",
			lockKeys: () => ["index"],
			execute: async (args, { lock }) => {
				await lock({ read: [keyOf(args)] });
				return values[keyOf(args)];
			},
		}),
		tool({
			...read,
			name: "look-making",
			lockKeys: () => ["index"],
			execute: (args, { invokeTool }) => invokeTool("look", { k: keyOf(args) }),
		}),
		tool({
			...read,
			name: "look-deep",
			lockKeys: () => ["index"],
			execute: (args, { invokeTool }) => invokeTool("look-making", { k: keyOf(args) }),
		}),
		tool({
			...write,
			name: "put",
			lockKeys: (args) => [keyOf(args)],
			execute: async (args, { lock }) => {
				const { k, also, fails } = args as unknown as Args;
				values[k] = (values[k] ?? 0) + 1;
				if (also !== undefined) {
					await lock([also]);
					values[also] = (values[also] ?? 0) + 1;
				}
				if (fails === true) throw new Error("half done");
				return "put";
			},
		}),
		tool({
			...write,
			name: "put-making",
			lockKeys: () => ["index"],
			execute: (args, { invokeTool }) => invokeTool("put", { k: keyOf(args) }),
		}),
		tool({
			...write,
			name: "put-unnamed",
			execute: (args) => {
				values[keyOf(args)] = (values[keyOf(args)] ?? 0) + 1;
				return "put";
			},
		}),
	];
	return { values, tools };
}

/** Runs the calls of one tool once more with another key, and answers with the first or the second. */
const again = (name: string, k: string, answers: "first" | "second"): Middleware => ({
	name: "again",
	wrapToolCall: async (call, next) => {
		const first = await next();
		if (call.name !== name) return first;
		const second = await next({ name, args: { k } });
		return answers === "first" ? first : second;
	},
});

type Case = [what: string, read: string, written: Pick<ToolCall, "name" | "args">, middleware?: Middleware];

const CASES: Case[] = [
	["the write locks its key while it runs", "look", { name: "put", args: { k: "a", also: "b" } }],
	["the read names a list without a key", "look-unnamed", { name: "put", args: { k: "b" } }],
	["the read locks its key while it runs", "look-locking", { name: "put", args: { k: "b" } }],
	["a call that the read makes has read it", "look-making", { name: "put", args: { k: "b" } }],
	["a call below one that the read makes has read it", "look-deep", { name: "put", args: { k: "b" } }],
	["a call that the write makes has written it", "look", { name: "put-making", args: { k: "b" } }],
	[
		"middleware runs the write again with other keys, and the first run had written it",
		"look",
		{ name: "put", args: { k: "b", fails: true } },
		again("put", "a", "second"),
	],
	[
		"middleware runs the read again with other keys, and answers with the first",
		"look",
		{ name: "put", args: { k: "b" } },
		again("look", "a", "first"),
	],
];

describe("a remembered read is forgotten by the write of its value where", () => {
	it.each(CASES)("%s", async (_what, name, written, middleware) => {
		const { values, tools } = world();
		const engine = createEngine({ tools, policies: [memo()], ...(middleware && { middleware: [middleware] }) });
		const one = async (call: Pick<ToolCall, "name" | "args">, step: number) => {
			const { results } = await engine.executeWave([{ id: "", ...call }], { runId: "run", step });
			return results[0]?.outcome;
		};
		const looks = { name, args: { k: "b" } };
		expect(await one(looks, 0)).toEqual({ ok: true, value: 0 });
		await one(written, 1);
		expect(values.b).toBe(1);
		expect(await one(looks, 2)).toEqual({ ok: true, value: 1 });
		await engine.close();
	});
});

it("a policy is told at accounting of all the keys that a call took, named and locked, exclusive and shared", async () => {
	const told: PolicyView["keys"][] = [];
	const { tools } = world();
	const watching = {
		name: "watching",
		account: (_call: ToolCall, _outcome: unknown, { keys }: PolicyView) => void told.push(keys),
	};
	const engine = createEngine({ tools, policies: [watching] });
	const calls = [
		{ id: "", name: "put", args: { k: "a" } },
		{ id: "", name: "put", args: { k: "a", also: "b" } },
		{ id: "", name: "look-locking", args: { k: "b" } },
		{ id: "", name: "put-unnamed", args: { k: "b" } },
	];
	await engine.executeWave(calls);
	expect(told).toEqual([["a"], { write: ["a", "b"], read: [] }, { write: ["index"], read: ["b"] }, undefined]);
	await engine.close();
});
