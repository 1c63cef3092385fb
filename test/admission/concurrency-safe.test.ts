// What code that schedules calls of its own asks of the package, as the first page on concurrency shows it.

import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
	DEFAULT_MAX_PARALLEL_TOOL_CALLS,
	isConcurrencySafe,
	scheduleToolCalls,
	type Tool,
	type ToolDefinition,
	tool,
} from "../../engine/index.js";

const parameters = z.object({
	mode: z
		.string()
		.default("read")
		.transform((mode) => ({ mode })),
});

/** A tool whose check gets what the schema made of the arguments, and says yes to reading. */
function declare(fields: Readonly<Record<string, unknown>>): Tool {
	const execute = () => "ran";
	return tool({ name: "file", parameters, execute, ...fields } as unknown as ToolDefinition);
}

const byMode = declare({
	effect: "write",
	isConcurrencySafe: ({ mode }: { mode: { mode: string } }) => mode.mode === "read",
});
const later = z.object({}).refine(async () => true);
const throws = () => {
	throw new Error("no");
};

describe("isConcurrencySafe", () => {
	it.each<[string, Tool | undefined, unknown, boolean]>([
		["yes where the check says so of what the schema made", byMode, { mode: "read" }, true],
		["yes of a default that the arguments leave out", byMode, {}, true],
		["yes of a provider's text", byMode, '{"mode":"read"}', true],
		["yes of a text that is none", byMode, "", true],
		["no where the check says so", byMode, { mode: "write" }, false],
		["no of arguments that the schema refuses", byMode, { mode: 7 }, false],
		["no of text that is cut off", byMode, '{"mode":"re', false],
		["no without a tool", undefined, {}, false],
		["no where the schema answers by a promise", declare({ effect: "read", parameters: later }), {}, false],
		["no where the check throws", declare({ effect: "read", isConcurrencySafe: throws }), {}, false],
		[
			"no where the check answers by a promise",
			declare({ effect: "read", isConcurrencySafe: async () => true }),
			{},
			false,
		],
		["no where an effect that depends on the arguments throws", declare({ effect: throws }), {}, false],
		["left out: yes for one that only reads", declare({ annotations: { readOnlyHint: true } }), {}, true],
		["left out: no for one that says nothing", declare({}), {}, false],
		[
			"left out: no for one that says both",
			declare({ annotations: { readOnlyHint: true, destructiveHint: true } }),
			{},
			false,
		],
	])("is %s", (_what, asked, args, safe) => {
		expect(isConcurrencySafe(asked, args)).toBe(safe);
	});
});

it("schedules calls of one's own as a run would, with nothing but what the package exports", async () => {
	const asked = (mode: string) => ({ tool: byMode, arguments: { mode } });
	const calls = [
		asked("read"),
		asked("read"),
		{ tool: undefined, arguments: {} },
		asked("read"),
		asked("write"),
		asked("read"),
	];
	const running = new Set<number>();
	const beside: (readonly number[])[] = [];
	const outcomes = await scheduleToolCalls({
		count: calls.length,
		safe: (index) => isConcurrencySafe(calls[index]?.tool, calls[index]?.arguments),
		maxParallel: DEFAULT_MAX_PARALLEL_TOOL_CALLS,
		run: async (index) => {
			running.add(index);
			await undefined;
			beside[index] = [...running];
			running.delete(index);
			return { index, asked: index === 4 };
		},
		stops: (outcome) => outcome.asked,
	});
	expect(beside).toEqual([[0, 1], [1], [2], [3], [4]]);
	expect(outcomes.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
	expect(DEFAULT_MAX_PARALLEL_TOOL_CALLS).toBe(10);
});
