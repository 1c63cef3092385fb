// File tools
//
// The tools over any file, and the same tools kept inside a folder.

import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { isSafe } from "../../engine/core/tool.js";
import { LIST_ENTRIES_MAX, READ_TEXT_CHARS_MAX } from "../../engine/core/tool-limits.js";
import {
	createEngine,
	fileTools,
	onThread,
	type RestrictFileToolsOptions,
	restrictFileTools,
	type Tool,
	tool,
	toolLocks,
	type WorkspaceToolsOptions,
	workspaceTools,
} from "../../engine/index.js";
import { fileLockKey } from "../../engine/locks/file-lock-key.js";
import { quietContext } from "../support/quiet-context.js";
import { scratchFolder } from "../support/scratch-folder.js";

function engineOf(tools: readonly Tool[]) {
	const engine = createEngine({ tools });
	onTestFinished(() => engine.close().then(() => undefined));
	return async (name: string, args: object) => {
		const { results } = await engine.executeWave([{ id: "", name, args }]);
		const outcome = results[0]?.outcome;
		return outcome?.ok ? outcome.value : `${outcome?.error.code} ${outcome?.error.message}`;
	};
}

describe("fileTools", () => {
	it("are reads that are safe without keys, and writes that are not safe with the real path of the file", async () => {
		const root = scratchFolder({ "docs/a.md": "" });
		symlinkSync("docs", join(root, "linked"));
		const args = { path: join(root, "linked/a.md"), text: "" };
		const rows = await Promise.all(
			fileTools().map(async (one) => {
				const keys = await one.lockKeys?.(args, quietContext());
				return [one.name, isSafe(one, args, one.effect as never), keys ?? []];
			}),
		);
		const key = await fileLockKey(join(root, "docs/a.md"));
		expect(rows).toEqual([
			["file_read", true, []],
			["file_list", true, []],
			["file_exists", true, []],
			["file_write", false, [key]],
			["file_delete", false, [key]],
		]);
	});

	it("write, read, list, look for and delete", async () => {
		const root = scratchFolder();
		const run = engineOf(fileTools());
		const path = join(root, "new/a.md");
		expect(await run("file_exists", { path })).toEqual({ path, exists: false });
		expect(await run("file_write", { path, text: "é" })).toEqual({ path, bytes: 2, created: true });
		expect(await run("file_read", { path })).toEqual({ path, bytes: 2, text: "é" });
		expect(await run("file_exists", { path })).toEqual({ path, exists: true, kind: "file" });
		symlinkSync("a.md", join(root, "new/link.md"));
		mkdirSync(join(root, "new/folder"));
		const entries = [
			{ name: "a.md", kind: "file" },
			{ name: "folder", kind: "folder" },
			{ name: "link.md", kind: "link" },
		];
		expect(await run("file_list", { path: join(root, "new") })).toEqual({ path: join(root, "new"), entries });
		expect(await run("file_delete", { path: join(root, "new/link.md") })).toEqual({ path, deleted: true });
		expect(await run("file_delete", { path })).toBe(`TOOL_FAILED There is no file ${JSON.stringify(path)}.`);
		expect(await run("file_delete", { path: root })).toBe(
			`TOOL_FAILED ${JSON.stringify(root)} is a folder, not a file.`,
		);
	});

	it("answer the beginning of a long text, cut between characters, and a part of a long list, and say so", async () => {
		const root = scratchFolder({ "a.txt": `x${"é".repeat(READ_TEXT_CHARS_MAX / 2)}` });
		const run = engineOf(fileTools());
		expect(await run("file_read", { path: join(root, "a.txt") })).toEqual({
			path: join(root, "a.txt"),
			bytes: READ_TEXT_CHARS_MAX + 1,
			text: `x${"é".repeat(READ_TEXT_CHARS_MAX / 2 - 1)}`,
			remark: `only the first ${READ_TEXT_CHARS_MAX - 1} of ${READ_TEXT_CHARS_MAX + 1} bytes`,
		});
		const names = Array.from({ length: LIST_ENTRIES_MAX + 1 }, (_, at) => [`${at}`, ""]);
		const listed = (await run("file_list", { path: scratchFolder(Object.fromEntries(names)) })) as {
			entries: unknown[];
		};
		expect(listed).toMatchObject({ remark: `stopped after ${LIST_ENTRIES_MAX} names: a part of the folder` });
		expect(listed.entries).toHaveLength(LIST_ENTRIES_MAX);
	});

	it("refuse a file that is not text, and a base among the model's arguments", async () => {
		const root = scratchFolder();
		writeFileSync(join(root, "raw.bin"), Buffer.from([0xff]));
		const run = engineOf(fileTools());
		expect(await run("file_read", { path: join(root, "raw.bin") })).toContain("is not UTF-8 text.");
		expect(await run("file_read", { path: "a", base: "/" })).toContain('Unrecognized key: "base"');
	});
});

describe("restrictFileTools", () => {
	it("keeps all else that a tool declares, what this package does not know included", () => {
		const whole = tool({
			name: "note",
			parameters: z.object({ path: z.string() }),
			isConcurrencySafe: ({ path }) => path.endsWith(".md"),
			presentation: ({ path }) => ({ title: `Note ${path}` }),
			execute: () => undefined,
		});
		const onInputStart = () => undefined;
		const [restricted] = restrictFileTools([{ ...whole, onInputStart } as Tool], { base: "/" });
		expect(restricted).toMatchObject({ ...whole, onInputStart, execute: expect.any(Function) });
		expect(restricted?.lockKeys).toBeUndefined();
	});

	it("gives lockKeys, observed and execute the path it resolved, and presentation the path as written", async () => {
		const base = scratchFolder({ "docs/a.md": "" });
		symlinkSync("docs", join(base, "linked"));
		const seen: unknown[] = [];
		const note = tool({
			name: "note",
			parameters: z.object({ path: z.string() }),
			presentation: ({ path }) => ({ title: path }),
			lockKeys: ({ path }) => {
				seen.push(path);
				return [path];
			},
			observed: ({ path }) => path,
			execute: ({ path }) => path,
		});
		const [restricted = note] = restrictFileTools([note], { base });
		expect(await engineOf([restricted])("note", { path: "linked/a.md" })).toBe(join(base, "docs/a.md"));
		expect(seen).toEqual([join(base, "docs/a.md")]);
		expect(restricted.presentation?.({ path: "linked/a.md" }).title).toBe("linked/a.md");
		expect(await restricted.observed?.({ path: "linked/a.md" })).toBe(join(base, "docs/a.md"));
	});

	it("lets nothing out of the base: not by .., an absolute path, a link, or a link to a place not there yet", async () => {
		const above = scratchFolder({ "base/a.md": "in", "outside/b.md": "out" });
		const base = join(above, "base");
		symlinkSync("../outside", join(base, "away"));
		symlinkSync("../outside/new.md", join(base, "dangling.md"));
		await toolLocks.acquire([await fileLockKey(join(above, "outside/b.md"))]).then(onTestFinished);
		const run = engineOf(restrictFileTools(fileTools(), { base }));
		const ways = ["../outside/b.md", join(above, "outside/b.md"), "away/b.md", "dangling.md"];
		for (const path of ways) {
			for (const name of ["file_read", "file_exists", "file_write", "file_delete"]) {
				const args = name === "file_write" ? { path, text: "changed" } : { path };
				expect(await run(name, args)).toContain("leads out of the workspace");
			}
		}
		expect(await run("file_list", { path: "away" })).toContain('The link "away" leads out of the workspace');
		expect(readFileSync(join(above, "outside/b.md"), "utf8")).toBe("out");
		expect(await run("file_exists", { path: "../outside" })).toContain("leads out");
		expect(await run("file_read", { path: "a.md" })).toEqual({ path: "a.md", bytes: 2, text: "in" });
	});

	it("refuses a call without a path, and a tool that runs on a thread", async () => {
		const blind = tool({ name: "blind", parameters: z.object({}), execute: () => "ran" });
		expect(await engineOf(restrictFileTools([blind], { base: "/" }))("blind", {})).toBe(
			"TOOL_FAILED The arguments of blind hold no path.",
		);
		const threaded = tool({ name: "far", parameters: z.object({}), execute: onThread("file:///a.js", "far") });
		expect(() => restrictFileTools([threaded], { base: "/" })).toThrow('restrict the tool "far": it runs on a thread');
	});

	it.each([
		[{ root: "/tmp" }, '"root" is not known; there are base'],
		[{}, "base is undefined, not a path"],
		[{ base: "" }, 'base is "", not a path'],
		[{ base: "a\0b" }, "not a path"],
		["/tmp", 'the options are "/tmp", not an object'],
	])("refuses %j in place of its options", (given, said) => {
		expect(() => restrictFileTools([], given as RestrictFileToolsOptions)).toThrow(said);
	});
});

describe("the folder that tools keep to", () => {
	const makers = [
		["workspaceTools", (root: string) => workspaceTools({ root })],
		["restrictFileTools", (base: string) => restrictFileTools(fileTools(), { base })],
	] as const;

	it.each(makers)("is refused at once where it is not there, and made by no call: %s", (_, make) => {
		const folder = scratchFolder({ "a.md": "" });
		const missing = join(folder, "missing");
		expect(() => make(missing)).toThrow(`is ${JSON.stringify(missing)}, and no such folder is there. Correct the path`);
		for (const file of ["a.md", "a.md/b"])
			expect(() => make(join(folder, file))).toThrow(/and (that is no|no such) folder/);
		symlinkSync("loop", join(folder, "loop"));
		expect(() => make(join(folder, "loop"))).toThrow("and that cannot be looked at (ELOOP)");
		expect(readdirSync(folder).sort()).toEqual(["a.md", "loop"]);
	});

	it.each(makers)("may be reached through a link: %s", (_, make) => {
		const folder = scratchFolder({ "docs/a.md": "" });
		symlinkSync("docs", join(folder, "linked"));
		expect(make(join(folder, "linked")).length).toBeGreaterThan(0);
	});
});

describe("workspaceTools", () => {
	it.each([
		[{ root: "/tmp", base: "/tmp" }, '"base" is not known; there are root'],
		[{ root: 5 }, "root is 5, not a path"],
		[undefined, "the options are undefined, not an object"],
	])("refuses %j in place of its options", (given, said) => {
		expect(() => workspaceTools(given as unknown as WorkspaceToolsOptions)).toThrow(said);
	});
});
