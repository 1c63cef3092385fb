// The generated blocks, made from small documents and small sources.

import { describe, expect, it } from "vitest";
import { BLOCKS, table, withBlock } from "./generated.js";
import { optionRows } from "./option-rows.js";

describe("withBlock", () => {
	it("replaces what stands between the marks and nothing else", () => {
		expect(withBlock("a\n<!-- x -->\nold\n<!-- /x -->\nb\n", "x", "new")).toBe(
			"a\n<!-- x -->\n\nnew\n\n<!-- /x -->\nb\n",
		);
	});

	it("changes a document that differs from the code, which is how a stale block is found", () => {
		const stale = "<!-- x -->\n\nold\n\n<!-- /x -->";
		expect(withBlock(stale, "x", "new")).not.toBe(stale);
		expect(withBlock(stale, "x", "old")).toBe(stale);
	});

	it("gives nothing when the marks are missing or crossed", () => {
		expect(withBlock("text", "x", "new")).toBeUndefined();
		expect(withBlock("<!-- /x --><!-- x -->", "x", "new")).toBeUndefined();
	});
});

describe("the tables", () => {
	it("escape the mark that divides cells", () => {
		expect(table(["a"], [["b | c"]])).toBe("| a |\n| --- |\n| b \\| c |");
	});

	it("hold a row for every code of both error tables", () => {
		const text = BLOCKS.filter(({ name }) => name.endsWith("errors")).map(({ make }) => make());
		expect(text.join("\n")).toContain("| `OUTCOME_UNKNOWN` | a call that may have changed something ended without");
		expect(text.join("\n")).toContain("| `LEDGER_IN_USE` |");
	});

	it("give each option its default and its meaning, those of an inner interface under its name", () => {
		const rows = optionRows(
			[
				"export interface EngineOptions {",
				"	/**",
				"	 * How many calls run at once,",
				"	 * counted a wave.",
				"	 *",
				"	 * @defaultValue `10`; minimum `1`",
				"	 */",
				"	readonly maxParallelToolCalls?: number;",
				"	readonly timeouts?: Timeouts;",
				"}",
				"export interface Timeouts {",
				"	/** Longest a call runs. */",
				"	readonly toolMs?: number;",
				"}",
			].join("\n"),
		);
		expect(rows).toEqual([
			["`maxParallelToolCalls`", "`10`; minimum `1`", "How many calls run at once, counted a wave."],
			["`timeouts.toolMs`", "", "Longest a call runs."],
		]);
	});
});
