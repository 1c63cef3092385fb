// Output files
//
// What --trace may write over, seen by what is still there afterwards.

import { linkSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TRACE_HEADER } from "../../engine/index.js";
import { commandRun } from "../support/command-run.js";
import { recordedReply } from "../support/recorded-reply.js";
import { scratchFolder } from "../support/scratch-folder.js";

const REPLY = recordedReply([{ name: "read_file", args: { path: "a.md" } }]);

function folder() {
	const made = scratchFolder({
		"reply.sse": REPLY,
		"a.md": "mine",
		"empty.trace": "",
		"old.trace": `${TRACE_HEADER}\n{"kind":"of an earlier replay","atMs":0}\n`,
	});
	symlinkSync("reply.sse", join(made, "link.sse"));
	linkSync(join(made, "reply.sse"), join(made, "hard.sse"));
	symlinkSync("run.jsonl", join(made, "run.link"));
	mkdirSync(join(made, "sub"));
	return made;
}

async function traced(trace: string, ...more: string[]) {
	const made = folder();
	const run = await commandRun(["replay", "reply.sse", "--pace", "0", "--trace", trace, ...more], { folder: made });
	return { ...run, read: (name: string) => readFileSync(join(made, name), "utf8") };
}

describe("--trace", () => {
	it.each(["reply.sse", "link.sse", "hard.sse", "./sub/../reply.sse"])(
		"refuses the recording, by any name: %s",
		async (name) => {
			const { code, errors, read } = await traced(name);
			expect(errors).toBe(`wavetrain: The trace ${JSON.stringify(name)} is the recording of the same command.\n`);
			expect(code).toBe(1);
			expect(read("reply.sse")).toBe(REPLY);
		},
	);

	it.each(["run.jsonl", "run.link"])(
		"refuses the ledger of the same command, which is not there yet: %s",
		async (name) => {
			const { code, errors } = await traced(name, "--ledger", "run.jsonl");
			expect(errors).toBe(`wavetrain: The trace ${JSON.stringify(name)} is the ledger of the same command.\n`);
			expect(code).toBe(1);
		},
	);

	it("refuses a file that is no trace, and leaves it as it was", async () => {
		const { code, errors, read } = await traced("a.md");
		expect(errors).toBe('wavetrain: "a.md" is there already and is no trace; give --trace another name.\n');
		expect(code).toBe(1);
		expect(read("a.md")).toBe("mine");
	});

	it.each(["old.trace", "empty.trace", "new.trace"])(
		"writes over a trace, an empty file, or nothing: %s",
		async (name) => {
			const { code, errors, read } = await traced(name);
			expect({ code, errors }).toEqual({ code: 0, errors: "" });
			expect(read(name)).toContain(`${TRACE_HEADER}\n`);
			expect(read(name)).toContain('"kind":"call_accounted"');
			expect(read(name)).not.toContain("of an earlier replay");
		},
	);

	it("says of a folder that it is one, and of a place that is not there that the folder is missing", async () => {
		expect((await traced("sub")).errors).toBe('wavetrain: "sub" is a folder, not a file.\n');
		const missing = " is in a folder that does not exist.\n";
		expect((await traced("no/x")).errors).toBe(`wavetrain: The trace "no/x"${missing}`);
		expect((await traced("a.md/x")).errors).toBe(`wavetrain: The trace "a.md/x"${missing}`);
	});
});
