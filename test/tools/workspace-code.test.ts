// The code of the workspace tools
//
// What each tool answers over real files, and what it does at its bounds: a part of the answer with a remark, never a
// wrong one. Run on this thread; the command's tests run the same code on threads.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { GREP_MATCHES_MAX, LIST_ENTRIES_MAX, READ_TEXT_CHARS_MAX } from "../../engine/core/tool-limits.js";
import { analyseFiles } from "../../workers/tools/analyse-files.js";
import { grepFiles } from "../../workers/tools/grep-files.js";
import { hashFile } from "../../workers/tools/hash-file.js";
import { listFiles } from "../../workers/tools/list-files.js";
import { readFile } from "../../workers/tools/read-file.js";
import { quietContext } from "../support/quiet-context.js";
import { scratchFolder } from "../support/scratch-folder.js";

const context = quietContext();

describe("read_file", () => {
	it("answers the lines asked for, byte for byte, line ends and byte order mark included", async () => {
		const root = scratchFolder({ "a.txt": "\uFEFFone\r\ntwo\nthree" });
		expect((await readFile({ root, path: "a.txt", fromLine: 1 })).text).toBe("\uFEFFone\r\ntwo\nthree");
		expect(await readFile({ root, path: "a.txt", fromLine: 2, lines: 1 })).toEqual({
			path: "a.txt",
			bytes: 17,
			text: "two\n",
		});
		expect((await readFile({ root, path: "a.txt", fromLine: 9 })).text).toBe("");
	});

	it("refuses what is not UTF-8 text, a folder, and a pipe that would never answer", async () => {
		const root = scratchFolder();
		writeFileSync(join(root, "latin1.txt"), Buffer.from([0x63, 0xe9, 0x21]));
		mkdirSync(join(root, "folder"));
		execFileSync("mkfifo", [join(root, "pipe")]);
		await expect(readFile({ root, path: "latin1.txt", fromLine: 1 })).rejects.toThrow(
			'"latin1.txt" is not UTF-8 text.',
		);
		await expect(readFile({ root, path: "folder", fromLine: 1 })).rejects.toThrow('"folder" is a folder, not a file.');
		await expect(readFile({ root, path: "latin1.txt/a", fromLine: 1 })).rejects.toThrow(
			'There is no file "latin1.txt/a".',
		);
		await expect(readFile({ root, path: "pipe", fromLine: 1 })).rejects.toThrow('"pipe" is not a plain file.');
	});

	it("cuts a long answer between characters and says so", async () => {
		const root = scratchFolder({ "a.txt": `x${"😀".repeat(READ_TEXT_CHARS_MAX / 2)}` });
		const { text, remark } = await readFile({ root, path: "a.txt", fromLine: 1 });
		expect(text.length).toBe(READ_TEXT_CHARS_MAX - 1);
		expect(Buffer.from(text, "utf8").toString("utf8")).toBe(text);
		expect(remark).toContain(`cut after ${READ_TEXT_CHARS_MAX - 1} of ${READ_TEXT_CHARS_MAX + 1} characters`);
	});
});

describe("list_files", () => {
	it("lists by name, passes node_modules over, and follows no link", async () => {
		const root = scratchFolder({
			"b.ts": "1",
			"a/z.ts": "22",
			"a/y.md": "",
			"node_modules/x/i.js": "",
			".git/HEAD": "",
		});
		symlinkSync(root, join(root, "a", "circle"));
		expect(await listFiles({ root, path: ".", depth: 9 }, context)).toEqual({
			path: ".",
			entries: [{ path: "a/" }, { path: "a/y.md", bytes: 0 }, { path: "a/z.ts", bytes: 2 }, { path: "b.ts", bytes: 1 }],
			remark: "left out: links (1)",
		});
		expect((await listFiles({ root, path: ".", depth: 1, ending: ".ts" }, context)).entries).toEqual([
			{ path: "b.ts", bytes: 1 },
		]);
		expect((await listFiles({ root, path: "node_modules", depth: 9 }, context)).entries).toHaveLength(2);
	});

	it("stops at its most names and says so", async () => {
		const names = Array.from({ length: LIST_ENTRIES_MAX + 1 }, (_, at) => [`${at}.txt`, ""]);
		const { entries, remark } = await listFiles(
			{ root: scratchFolder(Object.fromEntries(names)), path: ".", depth: 1 },
			context,
		);
		expect(entries).toHaveLength(LIST_ENTRIES_MAX);
		expect(remark).toContain(`stopped after ${LIST_ENTRIES_MAX} names`);
	});

	it("stops when the call is called off", async () => {
		const root = scratchFolder({ "a.txt": "", "b.txt": "" });
		const { entries, remark } = await listFiles({ root, path: ".", depth: 1 }, quietContext({ cancelled: () => true }));
		expect(entries).toEqual([]);
		expect(remark).toContain("stopped because the call was called off");
	});
});

describe("grep", () => {
	const asked = { path: ".", regex: false, ignoreCase: false };

	it("takes the pattern as it is written, or as an expression, in any case", async () => {
		const root = scratchFolder({ "a.md": "a.b\naxb\nA.B", "b.txt": "a.b" });
		const found = async (more: object) => {
			const { matches } = await grepFiles({ root, ...asked, pattern: "a.b", ...more }, context);
			return matches.map(({ path, line }) => path + line);
		};
		expect(await found({})).toEqual(["a.md1", "b.txt1"]);
		expect(await found({ regex: true })).toEqual(["a.md1", "a.md2", "b.txt1"]);
		expect(await found({ ignoreCase: true })).toEqual(["a.md1", "a.md3", "b.txt1"]);
		expect(await found({ ending: ".txt" })).toEqual(["b.txt1"]);
	});

	it("shows the match of a long line, leaves out what is not text, and counts it", async () => {
		const root = scratchFolder({ "long.txt": `${"x".repeat(5_000)}needle${"y".repeat(5_000)}`, "raw.bin": "needle\0" });
		const { matches, filesSearched, remark } = await grepFiles({ root, ...asked, pattern: "needle" }, context);
		expect(matches).toHaveLength(1);
		expect(matches[0]?.text).toMatch(/^…x+needley+…$/);
		expect(filesSearched).toBe(2);
		expect(remark).toBe("left out: files that are not text (1)");
	});

	it("stops at its most matches and says so", async () => {
		const root = scratchFolder({ "a.txt": "hit\n".repeat(GREP_MATCHES_MAX + 1) });
		const { matches, remark } = await grepFiles({ root, ...asked, pattern: "hit" }, context);
		expect(matches).toHaveLength(GREP_MATCHES_MAX);
		expect(remark).toContain(`stopped after ${GREP_MATCHES_MAX} matches`);
	});
});

describe("hash_file", () => {
	it("answers the digest of the bytes, over as many pieces as it takes", async () => {
		const text = "0123456789".repeat(250_000);
		const root = scratchFolder({ "big.txt": text, "empty.txt": "" });
		const digest = (of: string) => createHash("sha256").update(of).digest("hex");
		expect((await hashFile({ root, path: "big.txt", algorithm: "sha256" }, context)).digest).toBe(digest(text));
		expect((await hashFile({ root, path: "empty.txt", algorithm: "sha256" }, context)).digest).toBe(digest(""));
	});
});

describe("analyse", () => {
	it("counts lines, words and the longest line, and measures information and compression", async () => {
		const root = scratchFolder({ "a.txt": "alpha beta\nalpha\n", "b/c.txt": "gamma gamma gamma delta" });
		expect(await analyseFiles({ root, path: ".", compress: false }, context)).toEqual({
			path: ".",
			files: 2,
			bytes: 40,
			lines: 3,
			words: 7,
			distinctWords: 4,
			topWords: [
				{ word: "gamma", count: 3 },
				{ word: "alpha", count: 2 },
				{ word: "beta", count: 1 },
				{ word: "delta", count: 1 },
			],
			longestLine: { path: "b/c.txt", line: 1, chars: 23 },
			bitsPerByte: 3.171,
		});
		const same = scratchFolder({ "a.txt": "a".repeat(10_000) });
		expect(await analyseFiles({ root: same, path: ".", compress: true }, context)).toMatchObject({
			bitsPerByte: 0,
			compressedTo: 0.001,
		});
	});

	it("answers zeros for a folder without text", async () => {
		const answer = await analyseFiles({ root: scratchFolder(), path: ".", compress: true }, context);
		expect(answer).toMatchObject({ files: 0, lines: 0, bitsPerByte: 0, compressedTo: 1, topWords: [] });
	});
});
