// Calls that tools make from worker threads: under one slot and one thread they come to an end, also where the key that
// they wait for is another call's that waits for that slot; and policies are told what their makers had been answered.

import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import {
	createEngine,
	definePolicy,
	type Engine,
	KeyedLock,
	memoryLedger,
	onThread,
	tool,
} from "../../engine/index.js";
import { threadTools } from "../support/build-workers.js";
import { HeldWork } from "../support/held-work.js";
import { linesOf, shorts, toolOf } from "../support/law-kit.js";

const parameters = z.object({ name: z.string().optional(), n: z.number() });
const own = (name: string, lockKeys?: () => string[]) =>
	tool({
		name,
		parameters,
		effect: "write",
		isConcurrencySafe: true,
		...(lockKeys && { lockKeys }),
		execute: onThread(threadTools("nests"), name),
	});
const tools = [own("waitsFor"), own("leaves"), own("save", () => ["k"])];
const engines: Engine[] = [];

afterEach(async () => {
	for (const engine of engines.splice(0)) await engine.close();
});

/** An engine of one thread and one slot, a key that an outsider holds, and a promise of so many calls that wait for it. */
async function engineOf() {
	const locks = new KeyedLock();
	const ledger = memoryLedger();
	const engine = createEngine({ tools, threads: { max: 1 }, maxParallelToolCalls: 1, locks, ledger });
	engines.push(engine);
	const release = await locks.acquire(["k"]);
	const waiting = (count: number): Promise<void> =>
		new Promise((resolve) => {
			let seen = 0;
			engine.subscribe(({ kind }) => {
				if (kind !== "call_waiting") return;
				seen += 1;
				if (seen === count) resolve();
			});
		});
	return { engine, ledger, locks, release, waiting };
}

describe("a call that a tool makes from the only thread, under a cap of one", () => {
	it.each([
		["waitsFor", "1"],
		["leaves", '"left"'],
	])("Law 15: ends though the key is granted to a call before it first (%s)", async (name, value) => {
		const { engine, locks, ledger, release, waiting } = await engineOf();
		const both = waiting(2);
		const wave = engine.executeWave([
			{ id: "", name: "save", args: { n: 0 } },
			{ id: "", name, args: { name: "save", n: 1 } },
		]);
		await both;
		release();
		expect(shorts(await wave)).toEqual(["0", value]);
		expect(locks.size).toBe(0);
		expect((await linesOf(ledger)).filter((line) => line.startsWith("tool_called"))).toHaveLength(3);
	});
});

describe("a policy", () => {
	it("Law 2: is told what a tool on a thread had not been answered when it made a call", async () => {
		const held = new HeldWork();
		const quick = toolOf("quick", ({ n }) => n);
		const slow = toolOf("slow", ({ n }) => held.hold("slow").then(() => n));
		const told: unknown[] = [];
		const policy = definePolicy({
			name: "views",
			admit(_call, { lineage, segment, unanswered }) {
				told.push([lineage, segment, unanswered]);
				// Until the third comes the second runs.
				if (lineage?.[1] === 2) held.release("slow");
				return "clear";
			},
		});
		const engine = createEngine({ tools: [own("chains"), quick, slow], policies: [policy], threads: { max: 1 } });
		engines.push(engine);
		const wave = await engine.executeWave([{ id: "", name: "chains", args: { n: 0 } }]);
		expect(shorts(wave)).toEqual(["[0,1,2,3]"]);
		expect(told).toEqual([
			[undefined, 0, undefined],
			[[0, 0], 0, undefined],
			[[0, 1], 1, [[0, 0]]],
			[[0, 2], 2, [[1, 1]]],
			[[0, 3], 3, undefined],
		]);
	});
});
