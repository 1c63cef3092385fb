// What a workspace tool reads, as a stamp: it moves with everything the tool would see, and with nothing else.

import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { STAMPED_ENTRIES_MAX } from "../../engine/core/tool-limits.js";
import { fileStamp, folderStamp, kindStamp } from "../../engine/tools/workspace-stamps.js";
import { scratchFolder } from "../support/scratch-folder.js";

describe("the stamp of a file", () => {
	const files = () => scratchFolder({ "a.txt": "one", "b.txt": "two" });

	it("stays while the file is only read", async () => {
		const root = files();
		const before = fileStamp({ root, path: "a.txt" });
		readFileSync(join(root, "a.txt"));
		expect(fileStamp({ root, path: "./a.txt" })).toBe(before);
	});

	it.each<[string, (root: string) => void]>([
		["is written with as many bytes", (root) => writeFileSync(join(root, "a.txt"), "eno")],
		[
			"is written and its times are set back",
			(root) => {
				writeFileSync(join(root, "a.txt"), "eno");
				utimesSync(join(root, "a.txt"), 1, 1);
			},
		],
		[
			"is replaced by another",
			(root) => {
				writeFileSync(join(root, "new"), "one");
				renameSync(join(root, "new"), join(root, "a.txt"));
			},
		],
		[
			"is a link that was turned",
			(root) => {
				rmSync(join(root, "a.txt"));
				symlinkSync("b.txt", join(root, "a.txt"));
			},
		],
	])("moves when the file %s", async (_how, change) => {
		const root = files();
		const before = fileStamp({ root, path: "a.txt" });
		change(root);
		expect(fileStamp({ root, path: "a.txt" })).not.toBe(before);
	});

	it("tells two names of one file apart, because the answer names the file", async () => {
		const root = files();
		linkSync(join(root, "a.txt"), join(root, "c.txt"));
		expect(fileStamp({ root, path: "c.txt" })).not.toBe(fileStamp({ root, path: "a.txt" }));
	});

	it.each(["missing.txt", "../outside.txt", "/etc/hostname", "a\0b"])("there is none of %j", (path) => {
		expect(() => fileStamp({ root: files(), path })).toThrow();
	});

	it("is of what the file system finds behind a link and .., as the tool reads it", () => {
		const root = scratchFolder({ "a.txt": "one", "far/a.txt": "two", "far/deep/b.txt": "" });
		symlinkSync("far/deep", join(root, "link"));
		expect(fileStamp({ root, path: "link/../a.txt" })).toBe(fileStamp({ root, path: "far/a.txt" }));
	});

	it("there is none of what a link leads out to", () => {
		const root = files();
		symlinkSync("/etc/hostname", join(root, "out"));
		expect(() => fileStamp({ root, path: "out" })).toThrow("outside");
	});
});

describe("the stamp of what is at a path", () => {
	it("moves with what it is, and not with what it holds", () => {
		const root = scratchFolder({ "a.txt": "one" });
		const before = kindStamp({ path: join(root, "a.txt") });
		writeFileSync(join(root, "a.txt"), "two");
		expect(kindStamp({ root, path: "a.txt" })).toBe(before);
		rmSync(join(root, "a.txt"));
		mkdirSync(join(root, "a.txt"));
		expect(kindStamp({ root, path: "a.txt" })).not.toBe(before);
	});
});

describe("the stamp of a folder", () => {
	const folders = () => scratchFolder({ "a.txt": "one", "sub/b.txt": "two", "sub/deep/c.md": "three", ".git/d": "x" });

	it("stays while nothing below it changes, and is that of the file where the path is a file", async () => {
		const root = folders();
		expect(await folderStamp({ root, path: "." })).toBe(await folderStamp({ root, path: "." }));
		expect(await folderStamp({ root, path: "a.txt" })).toBe(fileStamp({ root, path: "a.txt" }));
	});

	it.each<[string, (root: string) => void]>([
		["a file deep below changes", (root) => writeFileSync(join(root, "sub/deep/c.md"), "eerht")],
		["a file comes", (root) => writeFileSync(join(root, "sub/new.txt"), "")],
		["a file goes", (root) => rmSync(join(root, "sub/b.txt"))],
		["an empty folder comes", (root) => mkdirSync(join(root, "sub/empty"))],
		["a file is moved", (root) => renameSync(join(root, "a.txt"), join(root, "sub/a.txt"))],
	])("moves when %s", async (_how, change) => {
		const root = folders();
		const before = await folderStamp({ root, path: "." });
		change(root);
		expect(await folderStamp({ root, path: "." })).not.toBe(before);
	});

	it.each<[string, object, (root: string) => void]>([
		["what no tool walks into changes", {}, (root) => writeFileSync(join(root, ".git/d"), "y")],
		["a file of another ending changes", { ending: ".txt" }, (root) => writeFileSync(join(root, "sub/deep/c.md"), "4")],
		["a file below the depth changes", { depth: 1 }, (root) => writeFileSync(join(root, "sub/b.txt"), "4")],
	])("stays when %s", async (_how, options, change) => {
		const root = folders();
		const before = await folderStamp({ root, path: ".", ...options });
		change(root);
		expect(await folderStamp({ root, path: ".", ...options })).toBe(before);
	});

	it("there is none of a folder that holds too much to look at", async () => {
		const many = Object.fromEntries(Array.from({ length: STAMPED_ENTRIES_MAX + 1 }, (_, n) => [`f${n}`, ""]));
		await expect(folderStamp({ root: scratchFolder(many), path: "." })).rejects.toThrow("too much");
	});
});
