// Glob
//
// Which paths a pattern fits, and what a search for them visits.

import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GLOB_BRACES_MAX, LIST_ENTRIES_MAX, WORKSPACE_DEPTH_MAX } from "../../engine/core/tool-limits.js";
import { readSchemas } from "../../engine/tools/workspace-schemas.js";
import { globFiles } from "../../workers/tools/glob-files.js";
import { GlobPattern } from "../../workers/tools/glob-pattern.js";
import { quietContext } from "../support/quiet-context.js";
import { scratchFolder } from "../support/scratch-folder.js";

const context = quietContext();

function fits(pattern: string, ...paths: string[]): boolean[] {
	const glob = new GlobPattern(pattern);
	return paths.map((path) => glob.fits(path));
}

describe("GlobPattern", () => {
	it("stays inside one name with * and ?, and crosses folders with ** only", () => {
		expect(fits("*.ts", "a.ts", ".ts", "src/a.ts", "a.tsx")).toEqual([true, true, false, false]);
		expect(fits("src/?.ts", "src/a.ts", "src/😀.ts", "src/ab.ts")).toEqual([true, true, false]);
		expect(fits("**/*.ts", "a.ts", "src/a.ts", "a/b/c.ts", "a/b/c.md")).toEqual([true, true, true, false]);
		expect(fits("a/**/b", "a/b", "a/x/b", "a/x/y/b", "x/a/b")).toEqual([true, true, true, false]);
		expect(fits("./src/*", "src/a")).toEqual([true]);
	});

	it("takes choices in braces, also across folders and within each other, and one character of a class", () => {
		expect(fits("{src,test/unit}/*.{t,j}s", "src/a.ts", "test/unit/a.js", "test/a.ts")).toEqual([true, true, false]);
		expect(fits("a{b,c{d,e}}", "ab", "acd", "ace", "ac")).toEqual([true, true, true, false]);
		expect(fits("[a-c][!x][]]", "ay]", "cx]", "dy]")).toEqual([true, false, false]);
		expect(fits("{a}", "{a}", "a")).toEqual([true, false]);
		expect(fits("[a", "[a")).toEqual([true]);
		expect(fits("\\*\\{a,b\\}", "*{a,b}", "x")).toEqual([true, false]);
	});

	it("refuses braces that stand for more patterns than its bound", () => {
		expect(() => new GlobPattern("{a,b}".repeat(30))).toThrow(`more than ${GLOB_BRACES_MAX} patterns`);
	});

	it("compares a pattern of many stars with a long name in steps that do not multiply", () => {
		expect(fits(`${"*a".repeat(400)}b`, "a".repeat(50_000))).toEqual([false]);
		expect(fits(`${"**/a/".repeat(150)}b`, "a/".repeat(2_000))).toEqual([false]);
	});

	it("fits what the plain reading of its parts fits, and may hold every folder of a path that fits", () => {
		const names = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 3 });
		const parts = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), minLength: 1, maxLength: 4 });
		const segments = fc.array(fc.oneof(parts, fc.constant("**")), { minLength: 1, maxLength: 4 });
		fc.assert(
			fc.property(segments, fc.array(names, { minLength: 1, maxLength: 4 }), (pattern, path) => {
				const glob = new GlobPattern(pattern.join("/"));
				const fitting = plainly(pattern, path);
				expect(glob.fits(path.join("/"))).toBe(fitting);
				if (!fitting) return;
				for (let depth = 1; depth < path.length; depth += 1) {
					expect(glob.mayHold(path.slice(0, depth).join("/"))).toBe(true);
				}
			}),
			{ numRuns: 2_000 },
		);
	});
});

/** The meaning of a pattern, said without a thought for its cost. */
function plainly(pattern: readonly string[], path: readonly string[]): boolean {
	const [first, ...rest] = pattern;
	const [name, ...below] = path;
	if (first === undefined) return name === undefined;
	if (first === "**") return plainly(rest, path) || (name !== undefined && plainly(pattern, below));
	if (name === undefined) return false;
	const expression = new RegExp(`^${first.replaceAll(/\*+/g, ".*").replaceAll("?", ".")}$`);
	return expression.test(name) && plainly(rest, below);
}

describe("glob", () => {
	it("answers the paths in order, from the root also where the pattern is read from a folder", async () => {
		const root = scratchFolder({
			"src/b.ts": "",
			"src/a/c.ts": "",
			"src/a.md": "",
			"d.ts": "",
			"node_modules/e.ts": "",
		});
		expect(await globFiles({ root, pattern: "**/*.ts", path: "." }, context)).toEqual({
			pattern: "**/*.ts",
			path: ".",
			files: ["d.ts", "src/a/c.ts", "src/b.ts"],
		});
		expect((await globFiles({ root, pattern: "*.ts", path: "src" }, context)).files).toEqual(["src/b.ts"]);
		await expect(globFiles({ root, pattern: "*", path: "d.ts" }, context)).rejects.toThrow('"d.ts" is a file');
	});

	it("goes round no circle of links, and no deeper than its bound", async () => {
		const deep = Array.from({ length: WORKSPACE_DEPTH_MAX + 2 }, () => "d").join("/");
		const root = scratchFolder({ "a/file.ts": "" });
		mkdirSync(join(root, deep), { recursive: true });
		symlinkSync(root, join(root, "a/circle"));
		symlinkSync("..", join(root, "a/up"));
		expect(await globFiles({ root, pattern: "**/*.ts", path: "." }, context)).toEqual({
			pattern: "**/*.ts",
			path: ".",
			files: ["a/file.ts"],
			remark: "left out: links (2), folders deeper down (1)",
		});
	});

	it("enters no folder that no fitting path lies in", async () => {
		const root = scratchFolder({ "src/a.ts": "", "other/deep/a.ts": "" });
		symlinkSync(root, join(root, "other/circle"));
		expect((await globFiles({ root, pattern: "src/*.ts", path: "." }, context)).remark).toBeUndefined();
	});

	it("stops at its most names and says so", async () => {
		const names = Array.from({ length: LIST_ENTRIES_MAX + 1 }, (_, at) => [`${at}.txt`, ""]);
		const root = scratchFolder(Object.fromEntries(names));
		const { files, remark } = await globFiles({ root, pattern: "*", path: "." }, context);
		expect(files).toHaveLength(LIST_ENTRIES_MAX);
		expect(remark).toContain(`stopped after ${LIST_ENTRIES_MAX} names`);
	});

	it("refuses a pattern that could only mean something outside of its folder", () => {
		const { globFiles: schema } = readSchemas("/");
		const takes = (pattern: string) => schema.safeParse({ pattern }).success;
		expect(["/etc/*", "../*", "a/../b", "a/..", "..", "..a/*", "a..b"].map(takes)).toEqual([
			false,
			false,
			false,
			false,
			false,
			true,
			true,
		]);
	});
});
