// Declaring a tool: what is refused, by field; and the questions the engine asks of one, each with its safe answer.

import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Effect } from "../../engine/core/effect.js";
import { onThread } from "../../engine/core/thread-ref.js";
import {
	effectOf,
	isIdempotent,
	isSafe,
	isTool,
	type Tool,
	type ToolDefinition,
	tool,
} from "../../engine/core/tool.js";

const good = { name: "read_note", parameters: z.object({ path: z.string() }), execute: () => "text" };

/** A tool from fields that the types may forbid, as a host without types would write it. */
function declare(fields: Readonly<Record<string, unknown>>): Tool {
	return tool({ ...good, ...fields } as unknown as ToolDefinition);
}

describe("tool", () => {
	it.each<[string, unknown, string]>([
		["name", "", 'its name is "", not a text'],
		["name", 7n, "its name is 7n, not a text"],
		["parameters", { path: "string" }, "its parameters are not a Zod schema or a Standard Schema"],
		["parameters", undefined, "its parameters are not a Zod schema or a Standard Schema"],
		["effect", "reads", 'its effect is "reads", which is none of the effects: read, write, egress, spawn, govern, {'],
		["effect", { write: "a", connector: "b" }, "its effect is { write: 'a', connector: 'b' }, which is none of"],
		["annotations", null, "its annotations are null, not an object"],
		["isConcurrencySafe", "yes", 'its isConcurrencySafe is "yes", not a boolean or a function'],
		["lockKeys", ["a"], "its lockKeys is not a function"],
		["idempotent", 1, "its idempotent is 1, not a boolean"],
		["timeout", 0, "its timeout is 0, not 1 ms or more"],
		["timeout", Number.NaN, "its timeout is NaN, not 1 ms or more"],
		["timeout", "5", 'its timeout is "5", not 1 ms or more'],
		["presentation", "Reads", "its presentation is not a function"],
		["render", "", 'its render is "", not a name'],
		["execute", "run", "its execute is neither a function nor made by onThread()"],
		[
			"execute",
			{ kind: "on-thread", moduleUrl: "file:///a", exportName: "b" },
			"its execute is neither a function nor",
		],
		["excute", () => 1, '"excute" is not known; perhaps "execute" is meant'],
		["retries", 3, '"retries" is not known; there are name, description, parameters'],
	])("refuses the field %s with %o by its name", (field, value, problem) => {
		expect(() => declare({ [field]: value })).toThrow(
			expect.objectContaining({ code: "INVALID_TOOL", message: expect.stringContaining(problem) }),
		);
	});

	it.each([null, undefined, "tool", 7])("refuses %o in place of a definition", (definition) => {
		expect(() => tool(definition as unknown as ToolDefinition)).toThrow(
			/Could not declare a tool: it is .*, not an object/,
		);
	});

	it("takes a schema that is a function, as ArkType's are", () => {
		const schema = Object.assign(() => true, {
			"~standard": { version: 1, vendor: "x", validate: () => ({ value: 1 }) },
		});
		expect(isTool(declare({ parameters: schema }))).toBe(true);
	});

	it("takes every field there is, and a thread's export in place of a function", () => {
		const fields = {
			description: "Reads a note.",
			effect: () => "read",
			annotations: { readOnlyHint: true },
			isConcurrencySafe: () => true,
			lockKeys: () => [],
			idempotent: true,
			timeout: 1,
			presentation: () => ({ title: "x" }),
			render: "generic",
			execute: onThread("file:///tools.js", "readNote"),
		};
		expect(declare(fields)).toMatchObject(fields);
	});

	it("cannot be changed afterwards, and stays a tool when it is spread into a new object", () => {
		const one = tool(good);
		expect(Object.isFrozen(one)).toBe(true);
		expect([isTool({ ...one, name: "other" }), isTool(good), isTool(null)]).toEqual([true, false, false]);
	});
});

describe("effectOf", () => {
	it.each<[string, Readonly<Record<string, unknown>>, Effect]>([
		["the effect declared", { effect: "egress", annotations: { readOnlyHint: true } }, "egress"],
		[
			"what its function says of the arguments",
			{ effect: (args: { path: string }) => ({ write: args.path }) },
			{ write: "p" },
		],
		[
			"a write when its function throws",
			{
				effect: () => {
					throw new Error("no");
				},
			},
			"write",
		],
		["a write when its function answers nonsense", { effect: () => "reads" }, "write"],
		["a write when its function answers a promise", { effect: async () => "read" }, "write"],
		["a read when only the annotations say so", { annotations: { readOnlyHint: true } }, "read"],
		["a write when nothing is said", {}, "write"],
	])("is %s", (_, fields, effect) => {
		expect(effectOf(declare(fields), { path: "p" })).toEqual(effect);
	});
});

describe("isSafe", () => {
	const throws = () => {
		throw new Error("no");
	};
	it.each<[string, unknown, Effect, boolean]>([
		["left out, a read", undefined, "read", true],
		["left out, a write", undefined, { write: "a" }, false],
		["true, a write", true, "write", true],
		["false, a read", false, "read", false],
		["a function that says so", (args: { path: string }) => args.path === "p", "write", true],
		["a function that throws", throws, "read", false],
		["a function that answers a promise", async () => true, "read", false],
		["a function that answers a promise that is rejected", async () => throws(), "read", false],
		["a function that answers something truthy", () => 1, "read", false],
	])("with isConcurrencySafe %s", (_, isConcurrencySafe, effect, safe) => {
		const fields = isConcurrencySafe === undefined ? {} : { isConcurrencySafe };
		expect(isSafe(declare(fields), { path: "p" }, effect)).toBe(safe);
	});
});

describe("isIdempotent", () => {
	it("is what is declared, else the hint, else not", () => {
		const hinted = { annotations: { idempotentHint: true } };
		expect([{}, hinted, { ...hinted, idempotent: false }].map((fields) => isIdempotent(declare(fields)))).toEqual([
			false,
			true,
			false,
		]);
	});
});

describe("onThread", () => {
	it("names the module and the export, and refuses what is neither", () => {
		expect(onThread(new URL("file:///a.js"), "run")).toEqual({
			kind: "on-thread",
			moduleUrl: "file:///a.js",
			exportName: "run",
		});
		expect(() => onThread("./a.js", "run")).toThrow(/the module "\.\/a\.js" is not a file: URL.*new URL\(/);
		expect(() => onThread("file:///a.js", "")).toThrow(/the export name is ""/);
	});
});
