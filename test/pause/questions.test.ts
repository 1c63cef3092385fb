// Questions of calls: what unwinds, what is kept, what is asked again.

import { describe, expect, it } from "vitest";
import { definePolicy, isPause, KeyedLock, memoryLedger } from "../../engine/index.js";
import { HeldWork } from "../support/held-work.js";
import { benchOf, callsOf, canonicalOf, entriesOf, shorts, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";
import { asking, idsOf, lasting, reloaded, resumedIn } from "../support/pause-kit.js";

describe("a call that asks a person", () => {
	it("ends the wave as paused with the question, and runs again from its beginning with the answer", async () => {
		const { tool, runs } = asking("ask", 1);
		const { engine } = benchOf({ tools: [tool] });
		const wave = await engine.executeWave(callsOf("ask 7"), { runId: "r", step: 2 });
		expect(wave).toMatchObject({
			status: "paused",
			results: [],
			questions: [{ id: "r/2/0/1", index: 0, question: "about 7, 1" }],
		});
		const rest = await engine.resume(reloaded(wave.checkpoint), { answers: { "r/2/0/1": { blue: [1] } } });
		expect(rest).toMatchObject({ status: "done", questions: [] });
		expect(shorts(rest)).toEqual(['[{"blue":[1]}]']);
		expect(runs).toEqual(["ask 7", "ask 7"]);
	});

	it("ends the wave once the call before it is accounted, which a policy takes its time for, and that is accounted once", async () => {
		const { tool } = asking("ask", 1);
		const held = new HeldWork();
		const told: string[] = [];
		const slow = definePolicy({
			name: "slow",
			async account({ name }) {
				told.push(name);
				await held.hold(`account ${name}`);
			},
		});
		const { engine, ledger } = benchOf({ tools: [tool, toolOf("look", () => 1)], policies: [slow], ahead: false });
		const wave = engine.executeWave(callsOf("look", "ask 7"), { runId: "r" });
		await settled();
		expect(told).toEqual(["look"]);
		held.releaseAll();
		const paused = await wave;
		const resuming = engine.resume(reloaded(paused.checkpoint), { answers: { [idsOf(paused)[0] ?? ""]: 1 } });
		await settled();
		held.releaseAll();
		expect(shorts(await resuming)).toEqual(["1", "[1]"]);
		expect(told).toEqual(["look", "ask"]);
		const results = (await entriesOf(ledger)).filter(({ kind }) => kind === "tool_result");
		expect(results).toHaveLength(2);
	});

	it("is asked again with each answer it had in place, in the order in which it asks", async () => {
		const { tool, runs } = asking("ask", 3);
		const { engine } = benchOf({ tools: [tool] });
		let wave = await engine.executeWave(callsOf("ask 1"), { runId: "r" });
		const asked: unknown[] = [];
		for (const answer of [false, null, 0]) {
			asked.push(...wave.questions.map(({ question }) => question));
			wave = await engine.resume(reloaded(wave.checkpoint), { answers: { [idsOf(wave)[0] ?? ""]: answer } });
		}
		expect(asked).toEqual(["about 1, 1", "about 1, 2", "about 1, 3"]);
		expect(shorts(wave)).toEqual(["[false,null,0]"]);
		expect(runs).toHaveLength(4);
	});

	it("that asks several things at once has all of them in one pause, and runs again only with all their answers", async () => {
		let runs = 0;
		const both = toolOf("both", async (_args, { interrupt }) => {
			runs += 1;
			return Promise.all([interrupt("left"), interrupt("right")]);
		});
		const { engine } = benchOf({ tools: [both] });
		const wave = await engine.executeWave(callsOf("both"), { runId: "r" });
		expect(idsOf(wave)).toEqual(["r/0/0/1", "r/0/0/2"]);
		const half = await engine.resume(reloaded(wave.checkpoint), { answers: { "r/0/0/2": "R" } });
		expect(half.status).toBe("paused");
		expect(idsOf(half)).toEqual(["r/0/0/1"]);
		expect(runs).toBe(1);
		const whole = await engine.resume(reloaded(half.checkpoint), { answers: { "r/0/0/1": "L" } });
		expect(shorts(whole)).toEqual(['["L","R"]']);
	});

	it("C5: has asked also where the tool swallows the pause, wraps it, tries again or does not wait for it", async () => {
		const seen: boolean[] = [];
		const swallows = toolOf("swallows", (_args, { interrupt }) => interrupt(1).catch(() => "went on"));
		const wraps = toolOf("wraps", (_args, { interrupt }) =>
			interrupt(2).catch((error: unknown) => {
				const wrapped = new AggregateError([new Error("it failed", { cause: error })], "several failed");
				seen.push(isPause(wrapped), isPause(new Error("no pause", { cause: new Error("none") })));
				throw wrapped;
			}),
		);
		const retries = toolOf("retries", async (_args, { interrupt, invokeTool }) => {
			const first = await interrupt(3).catch(() => "failed");
			return first === "failed" ? invokeTool("write", {}) : first;
		});
		const forgets = toolOf("forgets", (_args, { interrupt }) => void interrupt(4));
		const { engine, entered } = benchOf({ tools: [swallows, wraps, retries, forgets] });
		const wave = await engine.executeWave(callsOf("swallows", "wraps", "retries", "forgets"));
		expect(wave.questions.map(({ question }) => question)).toEqual([1, 2, 3, 4]);
		expect(seen).toEqual([true, false]);
		expect(entered).toEqual([]);
		const answers = Object.fromEntries(wave.questions.map(({ id, index }) => [id, `answer ${index}`]));
		const rest = await engine.resume(reloaded(wave.checkpoint), { answers });
		expect(shorts(rest)).toEqual(['"answer 0"', '"answer 1"', '"answer 2"', "nothing"]);
	});

	it("CC2: may take no keys and call nothing until it runs again", async () => {
		const refused: boolean[] = [];
		const greedy = toolOf(
			"greedy",
			async (_args, { interrupt, lock, invokeTool }) => {
				const asked = interrupt("may I?");
				for (const doing of [() => lock(["k"]), () => invokeTool("write", {})]) {
					await doing().catch((error: unknown) => refused.push(isPause(error)));
				}
				return asked;
			},
			{ effect: "write" },
		);
		const { engine, entered } = benchOf({ tools: [greedy] });
		expect((await engine.executeWave(callsOf("greedy"))).status).toBe("paused");
		expect(refused).toEqual([true, true]);
		expect(entered).toEqual([]);
	});

	it("Law 11, T3: holds no key, no slot and no gate share while it waits", async () => {
		const locks = new KeyedLock();
		const { tool } = asking("ask", 1, { effect: "write", isConcurrencySafe: true, lockKeys: () => ["k"] });
		const other = toolOf("other", () => "did", { effect: "write", lockKeys: () => ["k"] });
		const held = new HeldWork();
		const asker = async () => {
			await held.hold("person");
			return "yes";
		};
		const { engine } = benchOf({ tools: [tool, other], locks, asker });
		const wave = engine.executeWave(callsOf("ask"));
		await settled();
		expect(held.waiting).toEqual(["person"]);
		expect(locks.size).toBe(0);
		expect(await engine.invokeTool("other", {})).toBe("did");
		held.releaseAll();
		expect(shorts(await wave)).toEqual(['["yes"]']);
		expect(locks.size).toBe(0);
	});

	it("may ask to tell its keys", async () => {
		const locks = new KeyedLock();
		const tool = toolOf("pick", () => "picked", {
			effect: "write",
			lockKeys: async (_args, { interrupt }) => [String(await interrupt("which?"))],
		});
		const { engine, events } = benchOf({ tools: [tool], locks });
		const wave = await engine.executeWave(callsOf("pick"));
		const rest = await engine.resume(reloaded(wave.checkpoint), { answers: { [idsOf(wave)[0] ?? ""]: "k7" } });
		expect(shorts(rest)).toEqual(['"picked"']);
		expect(events.find(({ kind }) => kind === "call_holds_keys")).toMatchObject({ write: ["k7"] });
	});
});

describe("a wave that is asked something", () => {
	it("RW1: lets running calls end, keeps later segments waiting, and never runs a finished sibling again", async () => {
		const { tool } = asking("ask", 1);
		const ledger = memoryLedger();
		const first = benchOf({ tools: [tool], ledger: lasting(ledger) });
		const running = first.engine.executeWave(callsOf("read 0", "ask 1", "write 2", "read 3"), { runId: "r" });
		await settled();
		first.held.release("read 0");
		const wave = await running;
		expect(shorts(wave)).toEqual(["0"]);
		const second = benchOf({ tools: [tool], ledger: lasting(ledger) });
		const resuming = second.engine.resume(reloaded(wave.checkpoint), { answers: { "r/0/1/1": 9 } });
		await settled();
		second.held.release("write 2");
		await settled();
		second.held.release("read 3");
		const rest = await resuming;
		expect(shorts(rest)).toEqual(["0", "[9]", "2", "3"]);
		expect([...first.entered, ...second.entered]).toEqual(["read 0", "write 2", "read 3"]);
	});

	it("starts what would have started beside the call that asks, and nothing more", async () => {
		const { tool } = asking("ask", 1);
		const quick = toolOf("quick", ({ n }) => void started.push(n ?? -1));
		const started: number[] = [];
		const { engine } = benchOf({ tools: [tool, quick], maxParallelToolCalls: 3 });
		const wave = await engine.executeWave(callsOf("quick 0", "ask 1", "quick 2", "quick 3", "quick 4"), { runId: "r" });
		expect(started).toEqual([0, 2]);
		expect(wave.results.map(({ index }) => index)).toEqual([0, 2]);
		await engine.resume(reloaded(wave.checkpoint), { answers: { "r/0/1/1": 1 } });
		expect(started).toEqual([0, 2, 3, 4]);
	});

	it("has all its questions in one pause, in call order, and takes their answers by id in any order", async () => {
		const { tool } = asking("ask", 1);
		const held = new HeldWork();
		const slow = toolOf("slow", async ({ n = 0 }, { interrupt }) => {
			await held.hold(`slow ${n}`);
			return interrupt(n);
		});
		const { engine } = benchOf({ tools: [tool, slow] });
		const running = engine.executeWave(callsOf("slow 0", "ask 1", "ask 2"), { runId: "r" });
		await settled();
		held.releaseAll();
		const wave = await running;
		expect(wave.questions.map(({ index, question }) => [index, question])).toEqual([
			[0, 0],
			[1, "about 1, 1"],
			[2, "about 2, 1"],
		]);
		const one = await engine.resume(reloaded(wave.checkpoint), { answers: { "r/0/2/1": "C" } });
		expect(shorts(one)).toEqual(['["C"]']);
		expect(idsOf(one)).toEqual(["r/0/0/1", "r/0/1/1"]);
		const resuming = engine.resume(reloaded(one.checkpoint), { answers: { "r/0/1/1": "B", "r/0/0/1": "A" } });
		await settled();
		held.releaseAll();
		expect(shorts(await resuming)).toEqual(['"A"', '["B"]', '["C"]']);
	});

	it("keeps falsy results of finished siblings", async () => {
		const { tool } = asking("ask", 1);
		const runs: number[] = [];
		const values = [undefined, null, 0, "", false];
		const falsy = toolOf("falsy", ({ n = 0 }) => {
			runs.push(n);
			return values[n];
		});
		const { engine } = benchOf({ tools: [tool, falsy] });
		const calls = callsOf("ask", "falsy 0", "falsy 1", "falsy 2", "falsy 3", "falsy 4");
		const wave = await engine.executeWave(calls, { runId: "r" });
		const { wave: rest } = await resumedIn({ tools: [tool, falsy] }, wave, { answers: { "r/0/0/1": 1 } });
		expect(shorts(rest)).toEqual(["[1]", "nothing", "null", "0", '""', "false"]);
		expect(runs).toEqual([0, 1, 2, 3, 4]);
	});

	it("writes what it asks, its pause and its end outside the canonical bytes", async () => {
		const { tool } = asking("ask", 1, { effect: "write" });
		const ledger = memoryLedger();
		const { engine } = benchOf({ tools: [tool], ledger });
		const wave = await engine.executeWave(callsOf("ask"), { runId: "r" });
		await engine.resume(reloaded(wave.checkpoint), { answers: { "r/0/0/1": "yes" } });
		const entries = await entriesOf(ledger);
		expect(entries.map(({ kind }) => kind)).toEqual([
			"model_returned",
			"question_asked",
			"run_paused",
			"run_resumed",
			"answer_received",
			"tool_called",
			"tool_result",
		]);
		expect(entries[1]?.data).toMatchObject({ id: "r/0/0/1", lineage: [0], question: "about 0, 1" });
		expect(entries[4]?.data).toMatchObject({ id: "r/0/0/1", answer: "yes", by: "person" });
		expect((await canonicalOf(ledger)).filter((line) => line !== "")).toHaveLength(3);
	});
});
