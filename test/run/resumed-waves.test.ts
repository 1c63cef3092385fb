// What policies know that go on with a wave of a run whose waves its host runs by itself, and what they know of calls that
// calls made.

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
	budget,
	fileLedger,
	type Ledger,
	memo,
	memoryLedger,
	type Policy,
	taint,
	type WaveResult,
} from "../../engine/index.js";
import { noLedger } from "../../engine/ledger/no-ledger.js";
import { temporaryFolders } from "../ledger/temporary-folder.js";
import { linesIn } from "../support/crash-kit.js";
import { benchOf, callsOf, short, shorts, toolOf } from "../support/law-kit.js";
import { asking, idsOf, lasting, reloaded, resumedIn } from "../support/pause-kit.js";

const folder = temporaryFolders();
const file = { text: "" };
const tools = [
	toolOf("look", ({ n = 0 }) => n),
	toolOf("page", ({ n = 0 }) => "from outside ".repeat(n), { annotations: { openWorldHint: true } }),
	toolOf("put", ({ n = 0 }) => n, { effect: "write" }),
	toolOf("text", () => file.text),
	asking("ask", 1).tool,
	// Makes the calls `page`, `look`, and asks by itself behind them.
	toolOf(
		"browse",
		async (_args, { invokeTool, interrupt }) => [
			await invokeTool("page", { n: 1 }),
			await invokeTool("look", { n: 1 }),
			await interrupt("enough?"),
		],
		{ effect: "write", mayAsk: true },
	),
	toolOf(
		"many",
		async ({ n = 0 }, { invokeTool }) => {
			const said: string[] = [];
			for (let made = 0; made < n; made += 1) {
				said.push(await invokeTool("look", { n: made }).then(String, (error: { code: string }) => error.code));
			}
			return said;
		},
		{ effect: "write" },
	),
	toolOf(
		"edit",
		async (_args, { invokeTool }) => {
			file.text += "!";
			return invokeTool("text", {});
		},
		{ effect: "write" },
	),
];

/** Runs each wave as a step of one run; a pause is gone on from in an engine of its own, which runs the steps behind it. */
async function stepsOf(
	policies: () => Policy[],
	waves: readonly (readonly string[])[],
	{ ledger, ...rest }: { readonly ledger: Ledger; readonly asker?: (question: { id: string }) => unknown },
): Promise<WaveResult> {
	file.text = "";
	const newEngine = () => benchOf({ tools, policies: policies(), ledger: lasting(ledger), ...rest }).engine;
	let engine = newEngine();
	const ended: WaveResult[] = [];
	for (const [step, calls] of waves.entries()) {
		let wave: WaveResult = await engine.executeWave(callsOf(...calls), { runId: "r", step });
		while (wave.status === "paused") {
			const answers = Object.fromEntries(idsOf(wave).map((id) => [id, `to ${id}`]));
			engine = newEngine();
			wave = await engine.resume(reloaded(wave.checkpoint), { answers });
		}
		ended.push(wave);
	}
	const last = ended.at(-1);
	if (last === undefined) throw new Error("there is no wave");
	return last;
}

async function expectSame(policies: () => Policy[], waves: readonly (readonly string[])[]): Promise<string[]> {
	const whole = memoryLedger();
	const unbroken = await stepsOf(policies, waves, { ledger: whole, asker: ({ id }) => `to ${id}` });
	const parts = memoryLedger();
	const resumed = await stepsOf(policies, waves, { ledger: parts });
	expect(shorts(resumed)).toEqual(shorts(unbroken));
	expect(await linesIn(parts)).toEqual(await linesIn(whole));
	return shorts(resumed);
}

describe("policies that go on with a wave of a host's own", () => {
	it("know the taint of the waves before it", async () => {
		const said = await expectSame(() => [taint()], [["page 1"], ["look"], ["ask", "put"]]);
		expect(said.at(-1)).toBe("DENIED");
	});

	it("count what those have used, also where the wave pauses twice", async () => {
		const waves = [
			["look 1", "look 2"],
			["ask 1", "look 3", "put 1", "ask 2", "put 2", "look 4"],
		];
		const said = await expectSame(() => [budget({ run: { calls: 7 } })], waves);
		expect(said.slice(-3)).toEqual(['["to r/1/3/1"]', "2", "DENIED"]);
	});

	it("need no large values in the checkpoint to know them: those stay beside the ledger", async () => {
		const path = join(folder(), "ledger");
		const { engine } = benchOf({ tools, policies: [memo()], ledger: fileLedger(path) });
		await engine.executeWave(callsOf("page 9000"), { runId: "r", step: 0 });
		const wave = await engine.executeWave(callsOf("ask"), { runId: "r", step: 1 });
		await engine.close();
		expect(JSON.stringify(wave.checkpoint).length).toBeLessThan(10_000);
		const other = benchOf({ tools, policies: [memo(), taint()], ledger: fileLedger(path) });
		const rest = await other.engine.resume(reloaded(wave.checkpoint), { answers: { "r/1/0/1": 1 } });
		const [put] = (await other.engine.executeWave(callsOf("put"), { runId: "r", step: 2 })).results;
		await other.engine.close();
		expect([shorts(rest), put && short(put.outcome)]).toEqual([["[1]"], "DENIED"]);
	});

	it("know nothing of those where the engine keeps no ledger", async () => {
		for (const [ledger, put] of [
			[memoryLedger(), "DENIED"],
			[noLedger, "0"],
		] as const) {
			const { engine } = benchOf({ tools, policies: [taint()], ledger });
			await engine.executeWave(callsOf("page 1"), { runId: "r", step: 0 });
			const wave = await engine.executeWave(callsOf("ask", "put"), { runId: "r", step: 1 });
			const rest = await resumedIn({ tools, policies: [taint()] }, wave, { answers: { "r/1/0/1": 1 } });
			expect(shorts(rest.wave).at(-1)).toBe(put);
		}
	});
});

describe("policies that were not there when a call made calls", () => {
	it("know the taint that one of those brought in, and note it in the ledger", async () => {
		const said = await expectSame(() => [taint()], [["browse", "put"]]);
		expect(said.at(-1)).toBe("DENIED");
	});

	it("know it of calls that an earlier wave's call made", async () => {
		const said = await expectSame(() => [taint()], [["browse"], ["ask", "put"]]);
		expect(said.at(-1)).toBe("DENIED");
	});

	it("count them as what they used, at the edge of what is left too", async () => {
		for (const calls of [3, 4, 5, 6]) {
			const said = await expectSame(() => [budget({ run: { calls } })], [["browse", "put", "put"]]);
			expect(said.filter((word) => word === "DENIED")).toHaveLength(Math.max(0, 5 - calls));
		}
	});
});

describe("policies that see calls of calls", () => {
	it("count a call as reserved while the calls that it makes run", async () => {
		const ledger = memoryLedger();
		const wave = await stepsOf(() => [budget({ step: { calls: 4 } })], [["many 5", "look"]], { ledger });
		expect(shorts(wave)).toEqual(['["0","1","2","DENIED","DENIED"]', "DENIED"]);
	});

	it("answer nothing from memory while a call that changes something makes it", async () => {
		const ledger = memoryLedger();
		const wave = await stepsOf(() => [memo()], [["text"], ["edit", "text"]], { ledger });
		expect(shorts(wave)).toEqual(['"!"', '"!"']);
	});
});
