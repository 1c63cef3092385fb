// The key of a file: one for every path that leads to it, whether it exists or not.

import {
	linkSync,
	mkdirSync,
	mkdtempSync,
	realpathSync,
	renameSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileLockKey, fileLockKeys, keysCoverFile } from "../../engine/locks/file-lock-key.js";

let root = "";

beforeEach(() => {
	root = realpathSync(mkdtempSync(join(tmpdir(), "keys-")));
	mkdirSync(join(root, "real/deep"), { recursive: true });
	writeFileSync(join(root, "real/note.md"), "note");
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

const at = (path: string): string => `${root}/${path}`;
const link = (target: string, path: string): void => symlinkSync(target, at(path));

async function sameKey(...paths: (string | URL)[]): Promise<string> {
	const keys = await Promise.all(paths.map((path) => fileLockKey(path)));
	expect(new Set(keys).size, keys.join("\n")).toBe(1);
	return keys[0] ?? "";
}

describe("fileLockKey", () => {
	it("is file: and the real path", async () => {
		expect(await fileLockKey(at("real/note.md"))).toBe(`file:${at("real/note.md")}`);
	});

	it("is one key through a linked folder, a linked file, and a link to a link", async () => {
		link("real", "folder");
		link("folder/note.md", "file");
		link(at("file"), "again");
		const key = await sameKey(at("real/note.md"), at("folder/note.md"), at("file"), at("again"));
		expect(key).toBe(`file:${at("real/note.md")}`);
	});

	it("is the same before a file is written as after it, also in folders that are still missing", async () => {
		link("real", "folder");
		const before = await sameKey(at("folder/new/file.md"), at("real/new/file.md"), at("folder/./new//file.md"));
		mkdirSync(at("real/new"));
		writeFileSync(at("real/new/file.md"), "");
		expect(await sameKey(at("folder/new/file.md"), at("real/new/file.md"))).toBe(before);
	});

	it("follows a link to a file that is not there yet, and to a link to one", async () => {
		link("real/absent.md", "dangling");
		link("../dangling", "real/further");
		const key = await sameKey(at("dangling"), at("real/further"), at("real/absent.md"), at("dangling/"));
		expect(key).toBe(`file:${at("real/absent.md")}`);
	});

	it("leaves a linked folder by the folder the link leads to, also on the way to a missing file", async () => {
		link("real/deep", "inner");
		await sameKey(at("inner/../note.md"), at("real/note.md"));
		await sameKey(at("inner/../absent.md"), at("real/absent.md"));
		link("inner/../absent.md", "out");
		await sameKey(at("out"), at("real/absent.md"));
	});

	it("takes back a missing name at a following ..", async () => {
		await sameKey(at("absent/../real/note.md"), at("real/note.md"));
		await sameKey(at("absent/./further/../../real/other.md"), at("real/other.md"));
	});

	it("ignores slashes and dots at the end", async () => {
		await sameKey(at("real/note.md"), at("real/note.md/"), at("real/note.md//"), at("real/./note.md/."));
		await sameKey(at("real"), at("real/"), at("real/."), at("real/deep/.."));
		expect(await fileLockKey("/")).toBe("file:/");
	});

	it("reads relative paths from the working folder, and file: URLs as texts and as objects", async () => {
		const url = pathToFileURL(at("real/note with space.md"));
		await sameKey(at("real/note with space.md"), url, url.href);
		expect(await fileLockKey("absent.md")).toBe(`file:${realpathSync(process.cwd())}/absent.md`);
		expect(await fileLockKey("file:absent.md")).toBe(`file:${realpathSync(process.cwd())}/file:absent.md`);
	});

	it("tells a file from a folder's file of the same name", async () => {
		expect(await fileLockKey(at("real/note.md/below"))).toBe(`file:${at("real/note.md/below")}`);
	});

	it("refuses a loop with the name of the link that leads back to itself", async () => {
		link("second", "first");
		link("first", "second");
		link("first", "entry");
		const loop = { code: "FILE_LINK_LOOP", message: expect.stringContaining(`the link "${at("first")}" leads back`) };
		for (const path of ["first", "entry", "first/note.md"])
			await expect(fileLockKey(at(path))).rejects.toMatchObject(loop);
		link("self", "self");
		const self = { message: expect.stringContaining(`the link "${at("self")}" leads back to itself`) };
		await expect(fileLockKeys(at("self"))).rejects.toMatchObject(self);
	});

	it("takes no loop for a path that crosses one link twice", async () => {
		link("real", "folder");
		await sameKey(at("folder/../folder/../folder/absent.md"), at("real/absent.md"));
	});

	it("refuses an empty path and a URL of another kind", async () => {
		await expect(fileLockKey("")).rejects.toMatchObject({ code: "INVALID_OPTIONS" });
		await expect(fileLockKey(new URL("https://a.test/b"))).rejects.toMatchObject({ code: "INVALID_OPTIONS" });
	});
});

describe("fileLockKeys", () => {
	it("adds no key for a file of one name, a folder, or a missing file", async () => {
		for (const path of ["real/note.md", "real", "absent.md"]) {
			expect(await fileLockKeys(at(path))).toEqual([await fileLockKey(at(path))]);
		}
	});

	it("makes the names of one file meet in a key of its device and inode", async () => {
		linkSync(at("real/note.md"), at("hard.md"));
		link("hard.md", "soft.md");
		const { dev, ino } = statSync(at("hard.md"), { bigint: true });
		expect(await fileLockKeys(at("real/note.md"))).toEqual([`file:${at("real/note.md")}`, `inode:${dev}:${ino}`]);
		expect(await fileLockKeys(at("soft.md"))).toEqual([`file:${at("hard.md")}`, `inode:${dev}:${ino}`]);
	});

	it("covers a path until a link is turned or a second name appears", async () => {
		link("real/note.md", "file");
		const keys = await fileLockKeys(at("file"));
		expect(await keysCoverFile(at("file"), keys)).toBe(true);
		linkSync(at("real/note.md"), at("hard.md"));
		expect(await keysCoverFile(at("file"), keys)).toBe(false);
		const both = await fileLockKeys(at("file"));
		rmSync(at("hard.md"));
		expect(await keysCoverFile(at("file"), both)).toBe(true);
		link("real/other.md", "turned");
		renameSync(at("turned"), at("file"));
		expect(await keysCoverFile(at("file"), both)).toBe(false);
	});
});

it("a path without end is refused as the file system would refuse it, at once", async () => {
	const tooLong = { code: "ENAMETOOLONG" };
	await expect(fileLockKey(at("no/../".repeat(100_000)))).rejects.toMatchObject(tooLong);
	await expect(fileLockKeys(at("no/".repeat(100_000)))).rejects.toMatchObject(tooLong);
});
