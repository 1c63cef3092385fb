// wavetrain replay
//
// The command over recordings, end to end: stream, early starts, threads, wave, printing.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { commandRun } from "../support/command-run.js";
import { recordedReply } from "../support/recorded-reply.js";
import { scratchFolder } from "../support/scratch-folder.js";

const PACKAGE = fileURLToPath(new URL("../..", import.meta.url));
const INDEX = new URL("../../dist/index.js", import.meta.url).href;

/** What a tour could have left: `.cache` belongs to other tests. */
function namesIn(folder: string): string[] {
	return readdirSync(folder).filter((name) => name !== ".cache");
}

interface Line {
	readonly kind: string;
	readonly [field: string]: unknown;
}

async function jsonRun(args: readonly string[], folder?: string) {
	const run = await commandRun(["replay", ...args, "--pace", "0", "--json"], folder === undefined ? {} : { folder });
	const lines = run.out
		.trimEnd()
		.split("\n")
		.map((line) => JSON.parse(line) as Line);
	const summary = lines.find(({ kind }) => kind === "summary") as unknown as Summary;
	return { ...run, lines, summary };
}

interface Summary {
	readonly status: string;
	readonly reply: { readonly good: boolean };
	readonly results: readonly {
		readonly index: number;
		readonly name: string;
		readonly ahead: boolean;
		readonly outcome: { readonly ok: boolean; readonly value?: Record<string, unknown>; readonly error?: Line };
	}[];
	readonly waits: { readonly waitedMs: number; readonly serialMs: number; readonly hiddenMs: number };
}

describe("wavetrain replay, the shipped reply", () => {
	let shipped: Awaited<ReturnType<typeof jsonRun>>;
	let temporary: string;
	let packageBefore: readonly string[];
	beforeAll(async () => {
		packageBefore = namesIn(PACKAGE);
		temporary = mkdtempSync(join(tmpdir(), "wavetrain-"));
		vi.stubEnv("TMPDIR", temporary);
		shipped = await jsonRun([]);
		vi.unstubAllEnvs();
	}, 60_000);
	afterAll(() => rmSync(temporary, { recursive: true, force: true }));

	it("works on a copy that is gone at the end, and writes nothing into the package", () => {
		expect(shipped.summary.results[9]?.outcome).toMatchObject({ ok: true, value: { created: true } });
		expect(readdirSync(temporary)).toEqual([]);
		expect(namesIn(PACKAGE)).toEqual(packageBefore);
	});

	it("runs every call with its answer in call order; nine reads, one write, and the two reads after it see its text", () => {
		const { code, errors, summary, lines } = shipped;
		const { results } = summary;
		expect(errors).toBe("");
		expect(code).toBe(0);
		expect(results.map(({ index }) => index)).toEqual([...results.keys()]);
		expect(results.map(({ name }) => name)).toEqual([
			"list_files",
			"read_file",
			"analyse",
			"read_file",
			"grep",
			"hash_file",
			"grep",
			"hash_file",
			"analyse",
			"write_file",
			"analyse",
			"read_file",
		]);
		expect(results.filter(({ outcome }) => !outcome.ok).map(({ outcome }) => outcome.error)).toEqual([]);
		expect(results[11]?.outcome.value?.text).toContain("a write waits for every call before it");
		const accounted = lines.filter(({ kind }) => kind === "call_accounted").map(({ index }) => index);
		expect(accounted).toEqual([...results.keys()]);
	});

	it("starts nothing at or after the write before the reply has ended", () => {
		const early = shipped.lines
			.filter(({ kind, ahead }) => kind === "call_began" && ahead === true)
			.map(({ index }) => index);
		expect(early.filter((index) => Number(index) >= 9)).toEqual([]);
	});
});

describe("wavetrain replay", () => {
	const calls = [
		{ name: "read_file", args: { path: "a.md" } },
		{ name: "write_file", args: { path: "b.md", text: "new" } },
		{ name: "read_file", args: { path: "b.md" } },
	];

	it("runs a recording over the current folder, and over --workspace", async () => {
		const folder = scratchFolder({ "reply.sse": recordedReply(calls), "a.md": "here", "sub/a.md": "there" });
		const here = await jsonRun(["reply.sse"], folder);
		const there = await jsonRun(["reply.sse", "--workspace", "sub"], folder);
		expect(here.summary.results.map(({ outcome }) => outcome.value?.text)).toEqual(["here", undefined, "new"]);
		expect(there.summary.results.map(({ outcome }) => outcome.value?.text)).toEqual(["there", undefined, "new"]);
		expect(readFileSync(join(folder, "sub/b.md"), "utf8")).toBe("new");
	});

	it("prints the same answers in the same order whatever may start early, and under every schedule", async () => {
		const folder = scratchFolder({ "reply.sse": recordedReply(calls), "a.md": "here" });
		const answers = async (...args: string[]) => {
			const { summary } = await jsonRun(["reply.sse", ...args], folder);
			return summary.results.map(({ outcome }) => outcome.value?.text);
		};
		const expected = ["here", undefined, "new"];
		expect(await answers("--no-ahead")).toEqual(expected);
		expect(await answers("--schedule", "serial")).toEqual(expected);
		expect(await answers("--schedule", "leading-reads", "--max-parallel", "1", "--threads", "1")).toEqual(expected);
	});

	it("starts nothing early with --no-ahead", async () => {
		const folder = scratchFolder({ "reply.sse": recordedReply(calls), "a.md": "here" });
		const { lines } = await jsonRun(["reply.sse", "--no-ahead"], folder);
		expect(lines.filter(({ kind, ahead }) => kind === "call_began" && ahead === true)).toEqual([]);
	});

	it("prints lines, answers and the table where there is no terminal", async () => {
		const folder = scratchFolder({ "reply.sse": recordedReply(calls), "a.md": "here" });
		const { out, code } = await commandRun(["replay", "reply.sse", "--pace", "0"], { folder });
		expect(code).toBe(0);
		expect(out).toContain('call 1 write_file: asked for with {"path":"b.md","text":"new"}');
		expect(out).toContain("the reply ended (tool_use)");
		expect(out).toContain("Answers, in call order\n  0  read_file ");
		expect(out).toMatch(/│ +1 │ write_file │ write\(workspace\) │ - +│/);
		expect(out).toMatch(/Waited .+ from the end of the reply to the last of 3 answers\./);
		expect(out).not.toContain("\u001B");
	});

	it("draws lanes on a terminal", async () => {
		const folder = scratchFolder({ "reply.sse": recordedReply(calls), "a.md": "here" });
		const { out } = await commandRun(["replay", "reply.sse", "--pace", "0"], { folder, columns: 120 });
		expect(out).toContain("reply.sse (anthropic, no pace)");
		expect(out).toMatch(/ 1 Write b\.md .+accounted/);
		expect(out).toContain("Answers, in call order");
	});

	it("draws lanes on a terminal that says its size is 0 by 0", async () => {
		const folder = scratchFolder({ "reply.sse": recordedReply(calls), "a.md": "here" });
		const sizes = { folder, columns: 0, rows: 0 };
		const { out } = await commandRun(["replay", "reply.sse", "--pace", "0"], sizes);
		expect(out).toContain("reply.sse (anthropic, no pace)");
		expect(out).toMatch(/ 1 Write b\.md .+accounted/);
	});

	it("tells a failed call in its answer and still exits with 0", async () => {
		const reply = recordedReply([
			...calls,
			{ name: "red_file", args: {} },
			{ name: "read_file", args: { path: "../x" } },
		]);
		const folder = scratchFolder({ "reply.sse": reply, "a.md": "here" });
		const { out, errors, code } = await commandRun(["replay", "reply.sse", "--pace", "0"], { folder });
		expect({ errors, code }).toEqual({ errors: "", code: 0 });
		expect(out).toContain('UNKNOWN_TOOL: No tool is named "red_file". Did you mean "read_file"?');
		expect(out).toContain('TOOL_FAILED: The path "../x" leads out of the workspace.');
	});

	it("keeps a ledger that the ledger command reads and finds whole", async () => {
		const folder = scratchFolder({ "reply.sse": recordedReply(calls), "a.md": "here" });
		await commandRun(["replay", "reply.sse", "--pace", "0", "--ledger", "run.jsonl"], { folder });
		const printed = await commandRun(["ledger", "run.jsonl"], { folder });
		const kinds = printed.out
			.trimEnd()
			.split("\n")
			.map((line) => line.trim().split(/\s+/)[1]);
		expect(kinds.filter((kind) => kind?.startsWith("tool_"))).toEqual(
			calls.flatMap(() => ["tool_called", "tool_result"]),
		);
		expect(printed.out).toMatch(/tool_called +1 write_file \[{"write":"workspace"}\] {"path":"b.md","text":"new"}/);
		expect(await commandRun(["ledger", "run.jsonl", "--verify"], { folder })).toMatchObject({ code: 0, errors: "" });
	});

	it("runs the tools of a module on threads", async () => {
		const zod = import.meta.resolve("zod");
		const module = `import { tool } from ${JSON.stringify(INDEX)};
			import { z } from ${JSON.stringify(zod)};
			import { isMainThread } from "node:worker_threads";
			export const where = tool({ name: "where", parameters: z.object({}), effect: "read", execute: () => ({ isMainThread }) });`;
		const folder = scratchFolder({ "reply.sse": recordedReply([{ name: "where", args: {} }]), "tools.mjs": module });
		const { summary } = await jsonRun(["reply.sse", "--tools", "tools.mjs"], folder);
		expect(summary.results[0]?.outcome.value).toEqual({ isMainThread: false });
	});
});

describe("wavetrain replay, a reply that is no whole one", () => {
	const calls = [
		{ name: "read_file", args: { path: "a.md" } },
		{ name: "write_file", args: { path: "b.md", text: "x" } },
	];

	it("runs nothing of a reply that was cut by its length, says so once, and exits with 1", async () => {
		const folder = scratchFolder({ "reply.sse": recordedReply(calls, "max_tokens"), "a.md": "here" });
		const { out, errors, code } = await commandRun(["replay", "reply.sse", "--pace", "0", "--no-ahead"], { folder });
		expect(code).toBe(1);
		expect(errors).toBe(
			'wavetrain: The recording is no whole reply: the reply ended with "max_tokens". None of its calls ran.\n',
		);
		expect(out.match(/RESPONSE_INCOMPLETE/g)).not.toBeNull();
		expect(existsSync(join(folder, "b.md"))).toBe(false);
	});

	it("runs nothing of a recording that breaks off", async () => {
		const folder = scratchFolder({ "reply.sse": recordedReply(calls, "breaks off"), "a.md": "here" });
		const { errors, code } = await commandRun(["replay", "reply.sse", "--pace", "0", "--no-ahead"], { folder });
		expect(code).toBe(1);
		expect(errors).toMatch(/^wavetrain: The recording is no whole reply: .+ None of its calls ran\.\n$/);
		expect(existsSync(join(folder, "b.md"))).toBe(false);
	});

	it("forgets what a reply asked for before it began again", async () => {
		const again = recordedReply(calls, "breaks off") + recordedReply([{ name: "read_file", args: { path: "a.md" } }]);
		const folder = scratchFolder({ "reply.sse": again, "a.md": "here" });
		const { summary, lines, code } = await jsonRun(["reply.sse"], folder);
		expect(code).toBe(0);
		expect(summary.results.map(({ name }) => name)).toEqual(["read_file"]);
		// Whether the first attempt's read had started by then is a matter of the machine; that it is void is not.
		expect(lines.map(({ kind }) => kind)).toContain("reply_restarted");
		expect(existsSync(join(folder, "b.md"))).toBe(false);
	});
});
