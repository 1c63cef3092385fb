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

	it("give each option its default and its meaning, an inner interface's under its name, inherited ones last", () => {
		const files: Record<string, string> = {
			"engine/options.ts": [
				'import type { Timeouts } from "./wave/timeouts.js";',
				"export interface EngineOptions extends Base {",
				"	/**",
				"	 * How many calls run at once,",
				"	 * counted a wave. Default `10`; minimum `1`. See {@link Base}.",
				"	 */",
				"	readonly maxParallelToolCalls?: number;",
				"	readonly timeouts?: Partial<Timeouts>;",
				"}",
				"interface Base {",
				"	/** Default: none. */",
				"	readonly policies?: string;",
				"}",
			].join("\n"),
			"engine/wave/timeouts.ts":
				"export interface Timeouts {\n\t/** Longest a call runs. */\n\treadonly toolMs?: number;\n}\n",
		};
		expect(optionRows("engine/options.ts", "EngineOptions", (path) => files[path] ?? "")).toEqual([
			["`maxParallelToolCalls`", "`10`; minimum `1`", "How many calls run at once, counted a wave. See `Base`."],
			["`timeouts.toolMs`", "", "Longest a call runs."],
			["`policies`", "none", ""],
		]);
	});
});
