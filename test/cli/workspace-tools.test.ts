// Workspace tools on threads
//
// The built-in tools through an engine, as a host uses them: reads on worker threads, writes and commands on the host,
// with their time limits and their keys.

import { spawn } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, it, onTestFinished } from "vitest";
import { effectOf, isSafe } from "../../engine/core/tool.js";
import { createEngine, type Tool, workspaceTools } from "../../engine/index.js";
import { fileLockKey } from "../../engine/locks/file-lock-key.js";
import { lifelines } from "../support/lifelines.js";
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
			{ id: "4", name: "grep", args: { pattern: "secret", path: join(above, "outside") } },
			{ id: "5", name: "analyse", args: { path: ".." } },
			{ id: "6", name: "write_file", args: { path: "away/secret.md", text: "changed" } },
			{ id: "7", name: "read_file", args: { path: "secret.md", root: join(above, "outside") } },
			{ id: "8", name: "glob", args: { pattern: "*", path: "away" } },
			{ id: "9", name: "edit_file", args: { path: "away/secret.md", oldText: "secret", newText: "" } },
			{ id: "10", name: "run_command", args: { command: "ls", path: "away" } },
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
			'TOOL_FAILED The link "away" leads out of the workspace. Name a path inside the workspace.',
			'TOOL_FAILED The link "away" leads out of the workspace. Name a path inside the workspace.',
			'TOOL_FAILED The link "away" leads out of the workspace. Name a path inside the workspace.',
		]);
		expect(readFileSync(join(above, "outside/secret.md"), "utf8")).toBe("secret");
	});

	it("end a pattern that never ends on one line, and answer the next call", async () => {
		const root = scratchFolder({ "line.txt": `${"a".repeat(64)}!` });
		const engine = engineOver(root, (tool) => ({ ...tool, timeout: 300 }));
		const never = { id: "1", name: "grep", args: { pattern: "^(a+)+$", regex: true } };
		const { results } = await engine.executeWave([never, { id: "2", name: "hash_file", args: { path: "line.txt" } }]);
		expect(results.map(({ outcome }) => (outcome.ok ? "ok" : outcome.error.code))).toEqual(["TIMED_OUT", "ok"]);
	});

	it("read safely without keys; write and run alone, the writers under the real path of the file", async () => {
		const root = scratchFolder({ "docs/a.md": "" });
		symlinkSync("docs", join(root, "linked"));
		const args = { path: "linked/a.md" };
		const rows = await Promise.all(
			workspaceTools({ root }).map(async (one) => [
				one.name,
				isSafe(one, args, effectOf(one, args)),
				await one.lockKeys?.(args, undefined as never),
			]),
		);
		const key = await fileLockKey(join(root, "docs/a.md"));
		expect(rows).toEqual([
			["read_file", true, undefined],
			["list_files", true, undefined],
			["glob", true, undefined],
			["grep", true, undefined],
			["hash_file", true, undefined],
			["analyse", true, undefined],
			["write_file", false, [key]],
			["edit_file", false, [key]],
			["run_command", false, undefined],
		]);
	});

	it("give a file one key by any slashes, by a link to its folder, as an absolute path, and before it is there", async () => {
		const root = scratchFolder({ "docs/a.md": "" });
		symlinkSync(join(root, "docs"), join(root, "linked"));
		const keys = workspaceTools({ root }).find(({ name }) => name === "edit_file")?.lockKeys;
		for (const name of ["a.md", "new.md"]) {
			const ways = [
				"docs/",
				"docs//",
				"./docs/./",
				"linked/",
				"linked/../docs/",
				join(root, "docs/"),
				`${root}//linked/`,
			];
			const all = await Promise.all(ways.map((way) => keys?.({ path: way + name }, undefined as never)));
			expect(all).toEqual(ways.map(() => [`file:${join(root, "docs", name)}`]));
		}
	});

	it("let a command run between the edits that stand around it in the reply", async () => {
		const root = scratchFolder({ "a.md": "one" });
		const edit = (oldText: string, newText: string) => {
			return { id: "", name: "edit_file", args: { path: "a.md", oldText, newText } };
		};
		const command = { id: "", name: "run_command", args: { command: "cat a.md; echo -n two > a.md", shell: true } };
		const read = { id: "", name: "read_file", args: { path: "a.md" } };
		const { results } = await engineOver(root).executeWave([edit("one", "first"), command, edit("two", "last"), read]);
		expect(results.map(({ outcome }) => outcome.ok)).toEqual([true, true, true, true]);
		expect(results[1]?.outcome).toMatchObject({ value: { stdout: "first" } });
		expect(results[3]?.outcome).toMatchObject({ value: { text: "last" } });
	});

	it("take a command with them when the host exits in the middle of it", async () => {
		const lines = await lifelines();
		const args = { command: process.execPath, args: lines.chain("command", "stubborn child") };
		const host = spawn(process.execPath, ["--input-type=module", "-e", HOST, INDEX, JSON.stringify(args)], {
			stdio: ["pipe", "ignore", "inherit"],
		});
		await lines.until("command", "stubborn child");
		host.stdin.end("exit");
		await lines.until();
		expect(lines.alive).toEqual([]);
	});
});

const INDEX = new URL("../../dist/index.js", import.meta.url).href;
const HOST = `
	const { createEngine, workspaceTools } = await import(process.argv[1]);
	const engine = createEngine({ tools: workspaceTools({ root: "." }) });
	void engine.executeWave([{ id: "", name: "run_command", args: process.argv[2] }]);
	process.stdin.once("data", () => process.exit(0));
`;
