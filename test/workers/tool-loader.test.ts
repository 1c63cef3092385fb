// The module of a tool: what the host reads of it, what a thread runs of it, and what is said of one that has none.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { isEngineError } from "../../engine/core/errors.js";
import { isThreadRef, onThread, type ThreadRef } from "../../engine/core/thread-ref.js";
import { loadThreadTools, problemOfModule } from "../../workers/tool-loader.js";
import { threadTools } from "../support/build-workers.js";
import { gist, RealPool, startCall, threadWork } from "./thread-kit.js";

let folder: string;
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "wavetrain-modules-"));
});
afterAll(async () => {
	await rm(folder, { recursive: true });
});

let pool = new RealPool();
afterEach(async () => {
	await pool.executor.close(0);
	pool = new RealPool();
});

async function written(name: string, text: string): Promise<string> {
	await writeFile(join(folder, name), text);
	return pathToFileURL(join(folder, name)).href;
}

async function refusal(moduleUrl: string): Promise<unknown> {
	const error: unknown = await loadThreadTools(moduleUrl).catch((thrown: unknown) => thrown);
	return isEngineError(error) ? `${error.code}: ${error.message}` : error;
}

describe("a module of declared tools", () => {
	it("gives its tools with their declarations, their code placed on threads", async () => {
		const tools = await loadThreadTools(threadTools("declared"));
		expect(tools.map(({ name, effect }) => ({ name, effect }))).toEqual([
			{ name: "doubled", effect: "read" },
			{ name: "elsewhere", effect: undefined },
			{ name: "halved", effect: "read" },
		]);
		expect(tools.every(({ execute }) => isThreadRef(execute))).toBe(true);
	});

	it("has the declared tool run on a thread, not a helper of its name", async () => {
		const [doubled, elsewhere, halved] = (await loadThreadTools(threadTools("declared"))).map(
			({ execute }) => execute as ThreadRef,
		);
		if (doubled === undefined || elsewhere === undefined || halved === undefined) throw new Error("a tool is missing");
		const run = async (work: ThreadRef, args: unknown): Promise<unknown> =>
			gist(await startCall(pool.executor, work, { args }).ended);
		expect(await run(doubled, { value: 4 })).toEqual({ value: 8, onThread: true });
		expect(await run(halved, { value: 4 })).toBe(2);
		expect(await run(elsewhere, {})).toBeUndefined();
		expect(await run(onThread(threadTools("declared"), "halve"), { value: 4 })).toBe(2);
		const misplaced = await startCall(pool.executor, onThread(threadTools("declared"), "elsewhere")).ended;
		expect(misplaced).toMatchObject({
			error: { code: "TOOL_NOT_LOADED", message: expect.stringContaining("runs elsewhere") },
		});
	});

	it("is refused by name when it is none", async () => {
		expect(await refusal("https://example.com/tools.js")).toMatch(/^INVALID_TOOL: .*not a file: URL/);
		expect(await refusal(pathToFileURL(join(folder, "missing.js")).href)).toMatch(
			/^INVALID_TOOL: .*Cannot find module/,
		);
		expect(await refusal(await written("none.mjs", "export const tools = [1]; export const other = () => 1;"))).toMatch(
			/^INVALID_TOOL: .*declares no tool/,
		);
		expect(await refusal(threadTools("throws-on-load"))).toMatch(/^INVALID_TOOL: .*this module cannot load/);
	});
});

describe("a reference that leads nowhere is TOOL_NOT_LOADED", () => {
	it.each([
		["a module that throws", "throws-on-load/run", "this module cannot load"],
		["a module that is not there", "missing/run", "Cannot find module"],
		["a module without the export", "plain/missing", 'has no export "missing"; it exports bytes'],
		["an export of Object's", "plain/constructor", 'has no export "constructor"'],
		["a module that exits", "exits-on-load/run", "exited with code 3 while it loaded"],
	])("for %s, and the next call runs", async (_what, what, said) => {
		for (let repeat = 0; repeat < 3; repeat += 1) {
			const call = pool.start(what);
			const outcome = await call.ended;
			expect(outcome).toMatchObject({ error: { code: "TOOL_NOT_LOADED", message: expect.stringContaining(said) } });
			expect(call.begins()).toBe(0);
			expect(gist(await pool.run("plain/echo", { repeat }))).toEqual({ repeat });
		}
		expect(pool.threads).toBe(1);
	});

	// A Node that strips types stands for one that does not by an extension that it does not know.
	const stripsTypes = "typescript" in process.features && process.features.typescript !== false;
	const extension = stripsTypes ? "xts" : "ts";
	it("for a TypeScript module where nothing reads it, and says what the host can do", async () => {
		const url = await written(`typed.${extension}`, "export const run = (): number => 1;");
		const outcome = await startCall(pool.executor, onThread(url, "run")).ended;
		expect(outcome).toMatchObject({
			error: {
				code: "TOOL_NOT_LOADED",
				message: expect.stringMatching(new RegExp(`typed\\.${extension} did not load: Unknown file extension`)),
				recovery: expect.stringMatching(/build the module to JavaScript.*22\.18.*threads\.execArgv/),
			},
		});
		const own = startCall(pool.executor, threadWork("plain/echo"), { args: "the thread is unharmed" });
		expect(gist(await own.ended)).toBe("the thread is unharmed");
	});

	it("and a file that is not there is known before any thread is started", async () => {
		expect(problemOfModule(onThread(threadTools("plain"), "echo"))).toBeUndefined();
		expect(problemOfModule(onThread(threadTools("missing"), "echo"))).toContain("there is no file");
		expect(problemOfModule(onThread("file://elsewhere%2F/x.js", "echo"))).toContain("names no file");
		expect(pool.events).toEqual([]);
	});
});

it("a TypeScript module runs on threads that were given a loader", async () => {
	const typed = new RealPool({ max: 1, execArgv: ["--import", threadTools("typescript-loader")] });
	const url = await written("typed.mts", "export const run = (args: { value: number }): number => args.value + 1;");
	const outcome = await startCall(typed.executor, onThread(url, "run"), { args: { value: 1 } }).ended;
	expect(outcome).toEqual({ ok: true, value: 2 });
	await typed.executor.close(0);
});
