// The checkpoint net in waves: what the ledger says is kept, under every schedule.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
	checkpointNet,
	createEngine,
	type Middleware,
	memoryLedger,
	redact,
	type Schedule,
	workspaceTools,
} from "../../engine/index.js";
import { canonicalOf } from "../support/law-kit.js";
import { scratchFolder } from "../support/scratch-folder.js";
import { entriesOf } from "../support/wave-driver.js";
import { gitIn, netted } from "./net-kit.js";

const FILES = { "a.txt": "1", "b.txt": "1", "src/c.txt": "1" };
const WRITES = ["a.txt", "new.txt", "a.txt"].map((path, n) => ({
	id: `w${n}`,
	name: "write_file",
	args: { path, text: `text ${n}` },
}));
const CALLS = [
	...WRITES,
	{ id: "r", name: "run_command", args: { command: "rm", args: ["-r", "src", "b.txt"] } },
	{ id: "", name: "run_command", args: '{"command":"true"}' },
];

async function lineOf(schedule: Schedule, git: boolean) {
	const { root, folder, net } = netted(FILES, { git });
	const ledger = memoryLedger();
	const engine = createEngine({ tools: workspaceTools({ root }), policies: [redact(), net], ledger, schedule });
	const wave = await engine.executeWave(CALLS, { runId: "run", step: 0 });
	await engine.close();
	const called = (await entriesOf(ledger)).filter(({ kind }) => kind === "tool_called");
	const kept = called.map(({ data }) => data.kept as readonly string[] | undefined);
	return { root, folder, net, kept, lines: await canonicalOf(ledger), results: wave.results };
}

describe("a wave over a checkpoint net", () => {
	it("names what was kept in the entry of the call, and each step of the loss can be put back", async () => {
		const { root, net, kept, results } = await lineOf("barriers", true);
		expect(results.map(({ outcome }) => outcome.ok)).toEqual([true, true, true, true, true]);
		expect(kept.map((references) => references?.length)).toEqual([1, undefined, 1, 1, undefined]);
		expect(existsSync(join(root, "src"))).toBe(false);
		const [first, , third, removal] = kept.map((references) => references?.[0] ?? "");
		await net.restore(removal ?? "");
		expect(readFileSync(join(root, "src/c.txt"), "utf8")).toBe("1");
		await net.restore(third ?? "");
		expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("text 0");
		await net.restore(first ?? "");
		expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("1");
		expect(gitIn(root, "status", "--porcelain")).toBe("?? new.txt\n");
	});

	it("writes the same lines under every schedule, with git and without", async () => {
		const serial = await lineOf("serial", true);
		for (const schedule of ["leading-reads", "barriers"] as const) {
			expect((await lineOf(schedule, true)).lines).toEqual(serial.lines);
		}
		expect((await lineOf("barriers", false)).lines).toEqual(serial.lines);
	});

	it("runs no call whose loss it cannot keep, and lets the others of the wave run", async () => {
		const root = scratchFolder({ "big.txt": "123456", "small.txt": "1" });
		const net = checkpointNet({ root, folder: join(scratchFolder(), "copies"), bytesMax: 5 });
		const engine = createEngine({ tools: workspaceTools({ root }), policies: [net] });
		const calls = ["big.txt", "small.txt"].map((path) => ({ id: "", name: "write_file", args: { path, text: "new" } }));
		const { results } = await engine.executeWave(calls);
		await engine.close();
		expect(results.map(({ outcome }) => (outcome.ok ? "ran" : outcome.error.details?.rule))).toEqual([
			"checkpoint-net",
			"ran",
		]);
		expect(readFileSync(join(root, "big.txt"), "utf8")).toBe("123456");
	});

	it("keeps what each form of a call could discard that middleware made another of, and names both", async () => {
		const { root, net } = netted(FILES);
		const ledger = memoryLedger();
		const elsewhere: Middleware = {
			name: "elsewhere",
			wrapToolCall: ({ name }, next) => next({ name, args: { path: "b.txt", text: "new" } }),
		};
		const engine = createEngine({ tools: workspaceTools({ root }), policies: [net], ledger, middleware: [elsewhere] });
		await engine.executeWave(WRITES.slice(0, 1), { runId: "run" });
		await engine.close();
		const called = (await entriesOf(ledger)).find(({ kind }) => kind === "tool_called");
		const kept = called?.data.kept as readonly string[];
		const paths = await Promise.all(kept.map(async (reference) => (await net.restore(reference)).restored));
		expect(paths).toEqual([["a.txt"], ["b.txt"]]);
		expect(readFileSync(join(root, "b.txt"), "utf8")).toBe("1");
	});
});
