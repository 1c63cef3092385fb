// Mistakes
//
// What a user can get wrong, and the one line each is told in: no stack, an exit code that says which kind.

import { describe, expect, it } from "vitest";
import { commandRun } from "../support/command-run.js";
import { recordedReply } from "../support/recorded-reply.js";
import { scratchFolder } from "../support/scratch-folder.js";

function folder() {
	return scratchFolder({
		"reply.sse": recordedReply([{ name: "read_file", args: { path: "reply.sse" } }]),
		"others.sse": recordedReply([{ name: "search", args: {} }]),
		"empty.sse": "\n",
		"prose.txt": "This is not a recording.\n",
		"sub/a.md": "",
		"broken.mjs": "export const = 1;",
		"none.mjs": "export const x = 1;",
	});
}

describe("a mistake is one line", () => {
	const mistakes: [string, string[], number, RegExp][] = [
		["a recording that is not there", ["replay", "no.sse"], 1, /There is no file "no\.sse"\./],
		["a folder for a recording", ["replay", "sub"], 1, /"sub" is a folder, not a file\./],
		["an empty recording", ["replay", "empty.sse"], 1, /The recording "empty\.sse" is empty\./],
		[
			"an unknown format",
			["replay", "prose.txt"],
			1,
			/Could not tell the format of "prose\.txt"; say which with --format\./,
		],
		[
			"a format that there is not",
			["replay", "reply.sse", "--format", "morse"],
			2,
			/--format.*morse.*anthropic, openai-chat/,
		],
		[
			"a pace that is no number",
			["replay", "reply.sse", "--pace", "fast"],
			2,
			/--pace.*fast.*Not a number of 0 or more/,
		],
		["no threads", ["replay", "reply.sse", "--threads", "0"], 2, /--threads.*Not a whole number of 1 or more/],
		["half a call at once", ["replay", "reply.sse", "--max-parallel", "0.5"], 2, /--max-parallel.*Not a whole number/],
		[
			"a schedule that there is not",
			["replay", "reply.sse", "--schedule", "fast"],
			2,
			/--schedule.*serial, leading-reads/,
		],
		[
			"an option that there is not",
			["replay", "reply.sse", "--pase", "1"],
			2,
			/unknown option '--pase' \(Did you mean --pace\?\)/,
		],
		["a command that there is not", ["reply"], 2, /unknown command 'reply'/],
		["one recording too many", ["replay", "reply.sse", "reply.sse"], 2, /too many arguments/],
		[
			"a workspace that is no folder",
			["replay", "reply.sse", "--workspace", "no"],
			1,
			/The workspace ".+no" is not a folder\./,
		],
		[
			"a workspace for tools that do not know of it",
			["replay", "reply.sse", "--workspace", "sub", "--tools", "none.mjs"],
			2,
			/'--workspace <dir>' cannot be used with option '--tools <module>'/,
		],
		["tools that are not there", ["replay", "reply.sse", "--tools", "no.mjs"], 1, /There is no file "no\.mjs"\./],
		[
			"tools that do not load",
			["replay", "reply.sse", "--tools", "broken.mjs"],
			1,
			/Could not load the tools of .+broken\.mjs/,
		],
		["a module without tools", ["replay", "reply.sse", "--tools", "none.mjs"], 1, /the module declares no tool/],
		[
			"a ledger in a folder that is not there",
			["replay", "reply.sse", "--pace", "0", "--ledger", "no/run"],
			1,
			/The ledger "no\/run" is in a folder that does not exist\./,
		],
		[
			"a ledger that is none",
			["replay", "reply.sse", "--ledger", "prose.txt"],
			1,
			/prose\.txt: it is no ledger.+Give another path/,
		],
		[
			"a reply that asks for tools of somebody else",
			["replay", "others.sse", "--pace", "0"],
			1,
			/No tool is named "search"\. Give it the tools that it asks for: --tools \.\/tools\.js$/m,
		],
		["no ledger to read", ["ledger", "no.jsonl"], 1, /There is no file "no\.jsonl"\./],
		["a folder for a ledger", ["ledger", "sub"], 1, /The folder "sub" holds no ledger\./],
		["no name of a ledger", ["ledger"], 2, /missing required argument 'file'/],
		["a file that is no ledger", ["ledger", "prose.txt"], 1, /prose\.txt: it is no ledger.+Give another path/],
	];

	it.each(mistakes)("%s", async (_what, args, code, line) => {
		const run = await commandRun(args, { folder: folder() });
		expect(run.errors).toMatch(/^wavetrain: .+\n$/);
		expect(run.errors).toMatch(line);
		expect(run.errors).not.toMatch(/\n\s+at /);
		expect(run.code).toBe(code);
	});

	it("shows control characters of a name instead of obeying them", async () => {
		const { errors } = await commandRun(["replay", "a\u001B[2J.sse"], { folder: folder() });
		expect(errors).toBe('wavetrain: There is no file "a\\u001b[2J.sse".\n');
	});
});

describe("help", () => {
	it("is no error, and says what the exit codes mean", async () => {
		const { code, out, errors } = await commandRun(["--help"]);
		expect({ code, errors }).toEqual({ code: 0, errors: "" });
		expect(out).toContain("replay [options] [recording]");
		expect(out).toContain("130  interrupted");
	});

	it("names every option of replay with its default", async () => {
		const { out } = await commandRun(["replay", "--help"]);
		for (const option of [
			"--format",
			"--pace",
			"--tools",
			"--workspace",
			"--ledger",
			"--json",
			"--no-ahead",
			"--schedule",
		]) {
			expect(out).toContain(option);
		}
		expect(out).toMatch(/--pace <n>[^-]+default: 40/);
	});

	it("says of the built-in tools that they change things, before a recording is replayed over one's own files", async () => {
		const { out } = await commandRun(["replay", "--help"]);
		expect(out.replace(/\s+/g, " ")).toContain(
			"read and write its files and run the commands that the recording asks for",
		);
	});

	it("prints the version of the package", async () => {
		const { out, code } = await commandRun(["--version"]);
		expect(code).toBe(0);
		expect(out).toMatch(/^\d+\.\d+\.\d+\n$/);
	});

	it("is printed when nothing was asked for, as a mistake", async () => {
		const { code, errors } = await commandRun([]);
		expect(code).toBe(2);
		expect(errors).toContain("Usage: wavetrain");
	});
});
