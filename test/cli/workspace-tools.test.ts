// Workspace tools on threads
//
// The built-in tools through an engine, as a host uses them: on worker threads, with their time limit and their keys.

import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEngine, type Tool, workspaceTools } from "../../engine/index.js";
import { scratchFolder } from "../support/scratch-folder.js";

function engineOver(root: string, change: (tool: Tool) => Tool = (tool) => tool) {
	const engine = createEngine({ tools: workspaceTools({ root }).map(change), threads: { max: 2 } });
	onTestFinished(() => engine.close().then(() => undefined));
	return engine;
}

describe("workspaceTools", () => {
	it("refuse a way out with the path or the link in the message, and touch nothing outside", async () => {
		const above = scratchFolder({ "outside/secret.md": "secret", "root/a.md": "" });
		const root = join(above, "root");
		symlinkSync(join(above, "outside"), join(root, "away"));
		const engine = engineOver(root);
		const { results } = await engine.executeWave([
			{ id: "1", name: "read_file", args: { path: "../outside/secret.md" } },
			{ id: "2", name: "hash_file", args: { path: "away/secret.md" } },
			{ id: "3", name: "list_files", args: { path: "away" } },
			{ id: "4", name: "search", args: { pattern: "secret", path: join(above, "outside") } },
			{ id: "5", name: "analyse", args: { path: ".." } },
			{ id: "6", name: "write_file", args: { path: "away/secret.md", text: "changed" } },
			{ id: "7", name: "read_file", args: { path: "secret.md", root: join(above, "outside") } },
		]);
		const told = results.map(({ outcome }) => (outcome.ok ? "ok" : `${outcome.error.code} ${outcome.error.message}`));
		expect(told).toEqual([
			'TOOL_FAILED The path "../outside/secret.md" leads out of the workspace. Name a path inside the workspace.',
			'TOOL_FAILED The link "away" leads out of the workspace. Name a path inside the workspace.',
			'TOOL_FAILED The link "away" leads out of the workspace. Name a path inside the workspace.',
			`TOOL_FAILED The path ${JSON.stringify(join(above, "outside"))} leads out of the workspace. Name a path inside the workspace.`,
			'TOOL_FAILED The path ".." leads out of the workspace. Name a path inside the workspace.',
			'TOOL_FAILED The link "away" leads out of the workspace. Name a path inside the workspace.',
			'INVALID_ARGUMENTS The arguments of read_file do not fit its schema: Unrecognized key: "root".',
		]);
		expect(readFileSync(join(above, "outside/secret.md"), "utf8")).toBe("secret");
	});

	it("end a pattern that never ends on one line, and answer the next call", async () => {
		const root = scratchFolder({ "line.txt": `${"a".repeat(64)}!` });
		const engine = engineOver(root, (tool) => ({ ...tool, timeout: 300 }));
		const never = { id: "1", name: "search", args: { pattern: "^(a+)+$", regex: true } };
		const { results } = await engine.executeWave([never, { id: "2", name: "hash_file", args: { path: "line.txt" } }]);
		expect(results.map(({ outcome }) => (outcome.ok ? "ok" : outcome.error.code))).toEqual(["TIMED_OUT", "ok"]);
	});

	it("give a file one key by its path, by a link to its folder, and as an absolute path", async () => {
		const root = scratchFolder({ "docs/a.md": "" });
		symlinkSync(join(root, "docs"), join(root, "linked"));
		const keys = workspaceTools({ root }).find(({ name }) => name === "write_file")?.lockKeys;
		const paths = ["docs/a.md", "linked/a.md", join(root, "docs/a.md"), "linked/../docs/./a.md"];
		const all = await Promise.all(paths.map((path) => keys?.({ path, text: "", root }, undefined as never)));
		expect(new Set(all.flat()).size).toBe(1);
	});
});
