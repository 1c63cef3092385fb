// The table of the tools
//
// engine/tools/README.md says of each tool what it is; here the table is held to the declarations.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { effectName } from "../../engine/core/effect.js";
import { isThreadRef } from "../../engine/core/thread-ref.js";
import { effectOf, isSafe, type Tool } from "../../engine/core/tool.js";
import { fetchTool, fileTools, workspaceTools } from "../../engine/index.js";

const SETS: readonly (readonly [string, readonly Tool[]])[] = [
	["workspace", workspaceTools({ root: "/" })],
	["files", fileTools()],
	["fetch", [fetchTool()]],
];

it("names every built-in tool with its effect, whether it is safe, its keys, and where it runs", () => {
	const text = readFileSync(new URL("../../engine/tools/README.md", import.meta.url), "utf8");
	const written = text
		.split("\n")
		.filter((line) => line.startsWith("| `"))
		.map((line) => line.split(" | ").slice(0, 6).join(" | "));
	const declared = SETS.flatMap(([set, tools]) =>
		tools.map((one) => {
			const effect = effectOf(one, {});
			const safe = isSafe(one, {}, effect) ? "yes" : "no";
			const keys = one.lockKeys === undefined ? "none" : "the real file";
			const runs = isThreadRef(one.execute) ? "thread" : "host";
			return `| \`${one.name}\` | ${set} | ${effectName(effect)} | ${safe} | ${keys} | ${runs}`;
		}),
	);
	expect(written).toEqual(declared);
});

it("has each tool say what it does, how its calls are shown, and what kind of tool it is", () => {
	const args = { path: "a", text: "", oldText: "b", newText: "", pattern: "c", command: "d", args: [], url: "e" };
	for (const one of SETS.flatMap(([, tools]) => tools)) {
		expect(one.description).toMatch(/\.$/);
		expect(one.annotations?.readOnlyHint).toBe(effectOf(one, args) === "read");
		expect(one.annotations?.openWorldHint).toBe(["run_command", "fetch_page"].includes(one.name));
		expect(one.presentation?.(args).title).toMatch(/^[A-Z][a-z]+ /);
		expect(one.timeout).toBeGreaterThan(0);
	}
});
