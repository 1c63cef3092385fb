// Changed files
//
// What write_file and edit_file leave on the disk: the new content whole, every untouched byte, the mode, the links, and
// nothing beside the file.

import { execFileSync } from "node:child_process";
import {
	linkSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { WORKSPACE_FILE_BYTES_MAX } from "../../engine/core/tool-limits.js";
import { editText, writeText } from "../../engine/tools/text-files.js";
import { editFileArgs, writeFileArgs } from "../../engine/tools/workspace-schemas.js";
import { quietContext } from "../support/quiet-context.js";
import { scratchFolder } from "../support/scratch-folder.js";

const context = quietContext();

function write(base: string, path: string, text: string) {
	return writeText({ base, path, text }, context);
}

function edit(base: string, path: string, [oldText, newText]: readonly [string, string]) {
	return editText({ base, path, oldText, newText, replaceAll: false }, context);
}

describe("write_file", () => {
	it("replaces the text, says whether the file is new, and keeps the file's mode", async () => {
		const root = scratchFolder({ "run.sh": "a much longer text than the new one" });
		execFileSync("chmod", ["755", join(root, "run.sh")]);
		expect(await write(root, "run.sh", "é")).toEqual({ path: "run.sh", bytes: 2, created: false });
		expect(readFileSync(join(root, "run.sh"), "utf8")).toBe("é");
		expect(statSync(join(root, "run.sh")).mode & 0o777).toBe(0o755);
		expect(await write(root, "new/a.txt", "")).toEqual({ path: "new/a.txt", bytes: 0, created: true });
		expect(readdirSync(root).sort()).toEqual(["new", "run.sh"]);
	});

	it("puts a new file in the old one's place, so that a reader has the old or the new content whole", async () => {
		const root = scratchFolder({ "a.txt": "old" });
		const before = statSync(join(root, "a.txt")).ino;
		await write(root, "a.txt", "new");
		expect(statSync(join(root, "a.txt")).ino).not.toBe(before);
	});

	it("keeps the names of one file together: what is written through one is read through the other", async () => {
		const root = scratchFolder({ "a.txt": "a longer text" });
		linkSync(join(root, "a.txt"), join(root, "b.txt"));
		await write(root, "b.txt", "new");
		expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("new");
	});

	it("changes the file that a link leads to and leaves the link", async () => {
		const root = scratchFolder({ "docs/a.md": "old" });
		symlinkSync("docs/a.md", join(root, "link.md"));
		expect((await write(root, "link.md", "new")).path).toBe("docs/a.md");
		expect(readlinkSync(join(root, "link.md"))).toBe("docs/a.md");
		expect(lstatSync(join(root, "docs/a.md")).isFile()).toBe(true);
		expect(readFileSync(join(root, "docs/a.md"), "utf8")).toBe("new");
	});

	it("refuses a folder and a way through a file, leaves nothing beside them, and takes no half characters", async () => {
		const root = scratchFolder({ "a/b": "" });
		await expect(write(root, "a", "")).rejects.toThrow('"a" is not a plain file.');
		await expect(write(root, "a/b/c", "")).rejects.toThrow('On the way to "a/b/c" is a file, not a folder.');
		expect(readdirSync(root, { recursive: true })).toEqual(["a", "a/b"]);
		expect(writeFileArgs.safeParse({ path: "a", text: "\uD83D" }).success).toBe(false);
		expect(editFileArgs.safeParse({ path: "a", oldText: "a", newText: "\uDE00" }).success).toBe(false);
	});
});

describe("edit_file", () => {
	it("keeps a byte order mark and both kinds of line ends, byte for byte", async () => {
		const root = scratchFolder();
		const before = Buffer.from("\uFEFFone\r\ntwo\nthree\r\n");
		writeFileSync(join(root, "mixed.txt"), before);
		expect(await edit(root, "mixed.txt", ["two", "2"])).toEqual({ path: "mixed.txt", replacements: 1, bytes: 17 });
		expect(readFileSync(join(root, "mixed.txt"))).toEqual(Buffer.from("\uFEFFone\r\n2\nthree\r\n"));
		await edit(root, "mixed.txt", ["one\r\n", "1\r\n"]);
		expect(readFileSync(join(root, "mixed.txt"))).toEqual(Buffer.from("\uFEFF1\r\n2\nthree\r\n"));
	});

	it("refuses a file that is not UTF-8 and does not write it again", async () => {
		const root = scratchFolder();
		for (const [name, bytes] of [
			["latin1.txt", [0x61, 0xe9, 0x62]],
			["utf16.txt", [0xff, 0xfe, 0x61, 0x00]],
			["cut.txt", [0x61, 0xe2, 0x82]],
			["zero.txt", [0x61, 0x00]],
		] as const) {
			const file = join(root, name);
			writeFileSync(file, Buffer.from(bytes));
			const { ino, mtimeNs } = statSync(file, { bigint: true });
			await expect(edit(root, name, ["a", "b"])).rejects.toThrow(`"${name}" is not UTF-8 text and was left as it is.`);
			expect(statSync(file, { bigint: true })).toMatchObject({ ino, mtimeNs });
			expect(readFileSync(file)).toEqual(Buffer.from(bytes));
		}
	});

	it("says of which file it could not make the edit, and leaves it", async () => {
		const root = scratchFolder({ "a.md": "ab ab" });
		mkdirSync(join(root, "folder"));
		await expect(edit(root, "a.md", ["x", "y"])).rejects.toThrow(
			'"a.md" does not hold the old text. It was left as it is.',
		);
		await expect(edit(root, "a.md", ["ab", "y"])).rejects.toThrow('"a.md" holds the old text more than once');
		await expect(edit(root, "folder", ["ab", "y"])).rejects.toThrow('"folder" is a folder, not a file.');
		await expect(edit(root, "none.md", ["ab", "y"])).rejects.toThrow('There is no file "none.md".');
		expect(readFileSync(join(root, "a.md"), "utf8")).toBe("ab ab");
	});

	it("refuses a file over its bound, before and after the edit", async () => {
		const root = scratchFolder({ "big.txt": "x".repeat(WORKSPACE_FILE_BYTES_MAX), "small.txt": "MARK" });
		await expect(edit(root, "big.txt", ["x", "yy"])).rejects.toThrow("more than once");
		writeFileSync(join(root, "big.txt"), `MARK${"x".repeat(WORKSPACE_FILE_BYTES_MAX - 4)}`);
		await expect(edit(root, "big.txt", ["MARK", "LONGER"])).rejects.toThrow('"big.txt", edited, has');
		writeFileSync(join(root, "big.txt"), "x".repeat(WORKSPACE_FILE_BYTES_MAX + 1));
		await expect(edit(root, "big.txt", ["x", "y"])).rejects.toThrow(`the limit is ${WORKSPACE_FILE_BYTES_MAX}`);
	});

	it("writes nothing once the call is called off", async () => {
		const root = scratchFolder({ "a.md": "old" });
		const stopped = quietContext({ signal: AbortSignal.abort(new Error("enough")) });
		const asked = { base: root, path: "a.md", oldText: "old", newText: "new", replaceAll: false };
		await expect(editText(asked, stopped)).rejects.toThrow("enough");
		expect(readFileSync(join(root, "a.md"), "utf8")).toBe("old");
	});
});
