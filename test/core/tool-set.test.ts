// Looking tools up by name, and the names an unknown one is answered with.

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { NEAR_NAME_CHARS_MAX, NEAR_NAMES_MAX } from "../../engine/core/limits.js";
import { type Tool, tool } from "../../engine/core/tool.js";
import { ToolSet } from "../../engine/core/tool-set.js";

function named(name: string): Tool {
	return tool({ name, parameters: z.object({}), execute: () => name });
}

function setOf(...names: string[]): ToolSet {
	return new ToolSet(names.map(named));
}

describe("ToolSet", () => {
	it("finds a tool by its exact name and by no name that objects have anyway", () => {
		const tools = setOf("read_file", "write_file");
		expect(tools.get("read_file")?.name).toBe("read_file");
		expect(["constructor", "toString", "__proto__", "Read_File", ""].map((name) => tools.get(name))).toEqual(
			new Array(5).fill(undefined),
		);
	});

	it("refuses two tools of one name, and what tool() did not make, by its place", () => {
		expect(() => setOf("a", "b", "a")).toThrow(/two tools are named "a"/);
		expect(() => new ToolSet([named("a"), { name: "b" } as unknown as Tool])).toThrow(
			/tools\[1\] was not made by tool\(\)/,
		);
	});
});

describe("near names", () => {
	const tools = setOf("read_file", "write_file", "list_files", "search", "ls", "constructor_args");

	it.each<[string, string[]]>([
		["read_fil", ["read_file"]],
		["readFile", ["read_file"]],
		["READ-FILE", ["read_file"]],
		["write_files", ["write_file"]],
		["serach", ["search"]],
		["cp", []],
		["", []],
		["delete_everything", []],
	])("of %j are %j", (name, near) => {
		expect(tools.near(name)).toEqual(near);
	});

	it("come nearest first, then by name, and never more than the limit", () => {
		const many = setOf("note_e", "note_d", "note_c", "note_b", "note_aa");
		expect(many.near("note_c")).toEqual(["note_c", "note_b", "note_d"]);
		expect(many.near("note_x")).toHaveLength(NEAR_NAMES_MAX);
	});

	it("are none of a name that is longer than any slip, though it begins like one that is known", () => {
		const long = setOf("a".repeat(128));
		expect(long.near(`${"a".repeat(127)}b`)).toEqual(["a".repeat(128)]);
		expect(long.near("a".repeat(NEAR_NAME_CHARS_MAX + 1))).toEqual([]);
		expect(long.near("a".repeat(200))).toEqual([]);
	});

	it("are found in bounded time for a name without end", () => {
		expect(tools.near("read_file".repeat(100_000))).toEqual([]);
	});
});
