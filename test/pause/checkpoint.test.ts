// Checkpoints: what they hold, what is refused, how they go on.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileLedger, memoryLedger, type WaveCheckpoint } from "../../engine/index.js";
import { temporaryFolders } from "../ledger/temporary-folder.js";
import { benchOf, callsOf, canonicalOf, shorts, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";
import { asking, gatedTools, idsOf, lasting, reloaded, resumedIn } from "../support/pause-kit.js";

const folder = temporaryFolders();

async function pausedWave(options: Parameters<typeof benchOf>[0] = {}, ...calls: string[]) {
	const { tool } = asking("ask", 1);
	const bench = benchOf({ ...options, tools: [tool, ...(options.tools ?? [])] });
	return { ...bench, tool, wave: await bench.engine.executeWave(callsOf("ask 0", ...calls), { runId: "r" }) };
}

describe("a checkpoint", () => {
	it("is plain JSON that says how the calls were run, and the resume runs the rest the same way", async () => {
		const { wave, tool } = await pausedWave({ parallelToolCalls: false, timeouts: { toolMs: 70, idleMs: 80 } });
		expect(wave.checkpoint).toEqual(reloaded(wave.checkpoint));
		expect(wave.checkpoint?.toolExecution).toEqual({
			schedule: "serial",
			parallelToolCalls: false,
			maxParallelToolCalls: 10,
			timeouts: { toolMs: 70, idleMs: 80, totalMs: null, graceMs: 1_000, lockMs: 600_000, askMs: 600_000 },
		});
		const again = await resumedIn({ tools: [tool] }, wave, { answers: {} });
		expect(again.wave.checkpoint?.toolExecution).toEqual(wave.checkpoint?.toolExecution);
		const own = await resumedIn({ tools: [tool] }, wave, { parallelToolCalls: true, timeouts: { toolMs: 9 } });
		expect(own.wave.checkpoint?.toolExecution).toMatchObject({
			schedule: "barriers",
			timeouts: { toolMs: 9, idleMs: 80 },
		});
	});

	it("without toolExecution goes on with what the resume passes, else with what the engine has", async () => {
		const { wave, tool } = await pausedWave({ maxParallelToolCalls: 3 });
		const { toolExecution: _gone, ...bare } = reloaded(wave.checkpoint);
		const options = { tools: [tool], maxParallelToolCalls: 4 };
		const plain = await resumedIn(options, { checkpoint: bare }, {});
		expect(plain.wave.checkpoint?.toolExecution?.maxParallelToolCalls).toBe(4);
		const passed = await resumedIn(options, { checkpoint: bare }, { maxParallelToolCalls: 5 });
		expect(passed.wave.checkpoint?.toolExecution?.maxParallelToolCalls).toBe(5);
	});

	it("whose toolExecution a host has changed goes on with what it says, and a wrong one is refused by name", async () => {
		const { wave, tool } = await pausedWave({ maxParallelToolCalls: 3 });
		const changed = (toolExecution: object) => ({ ...reloaded(wave.checkpoint), toolExecution }) as WaveCheckpoint;
		const options = { tools: [tool], maxParallelToolCalls: 4 };
		const part = await resumedIn(options, { checkpoint: changed({ schedule: "serial" }) }, {});
		expect(part.wave.checkpoint?.toolExecution).toMatchObject({ schedule: "serial", maxParallelToolCalls: 4 });
		const { engine } = benchOf(options);
		for (const wrong of [{ schedule: "at once" }, { timeouts: { toolMs: "soon" } }, { timeouts: "soon" }]) {
			await expect(engine.resume(changed(wrong)), JSON.stringify(wrong)).rejects.toMatchObject({
				code: "INVALID_OPTIONS",
			});
		}
		await expect(engine.resume(changed("serial" as never))).rejects.toMatchObject({ code: "INVALID_CHECKPOINT" });
	});

	it("CH1: that is wrong, foreign, of another version or tampered with is refused, and nothing runs", async () => {
		const { wave, tool } = await pausedWave();
		const good = reloaded(wave.checkpoint);
		const wrong: [string, unknown][] = [
			["nothing", undefined],
			["a text", "checkpoint"],
			["a list", []],
			["a run's", { ...good, kind: "run" }],
			["another version's", { ...good, version: 2 }],
			["another run's", { ...good, runId: "other" }],
			["a changed call's", JSON.parse(JSON.stringify(good).replace('"name":"ask"', '"name":"write"'))],
			["a cut one", { ...good, content: null }],
			["one without its digest", { ...good, digest: undefined }],
		];
		const { engine, entered } = benchOf({ tools: [tool] });
		for (const [what, checkpoint] of wrong) {
			const resuming = engine.resume(checkpoint as WaveCheckpoint, { answers: { "r/0/0/1": 1 } });
			await expect(resuming, what).rejects.toMatchObject({ code: "INVALID_CHECKPOINT" });
		}
		expect(entered).toEqual([]);
	});

	it("is taken whatever the order of its keys", async () => {
		const { wave, tool } = await pausedWave();
		const turned = Object.fromEntries(Object.entries(reloaded(wave.checkpoint)).reverse()) as unknown as WaveCheckpoint;
		const { wave: rest } = await resumedIn({ tools: [tool] }, { checkpoint: turned }, { answers: { "r/0/0/1": 1 } });
		expect(shorts(rest)).toEqual(["[1]"]);
	});

	it("of an engine that lacks the tool of a call that was cleared is refused", async () => {
		const { wave } = await pausedWave();
		await expect(resumedIn({}, wave, { answers: { "r/0/0/1": 1 } })).rejects.toMatchObject({
			code: "INVALID_CHECKPOINT",
		});
	});

	it("RM1: takes no answer at all where one is for no question that waits, or is none that an approval can have", async () => {
		const gate = toolOf("gate", () => 1, { requiresApproval: true });
		const { wave, tool } = await pausedWave({ tools: [gate] }, "gate 1");
		expect(idsOf(wave)).toEqual(["r/0/0/1", "r/0/1/0"]);
		const { engine } = benchOf({ tools: [tool, gate] });
		for (const answers of [{ "r/0/0/1": 1, "r/0/9/1": 2 }, { "r/0/0/1": 1, "r/0/1/0": "perhaps" }, "yes", ["yes"]]) {
			const resuming = engine.resume(reloaded(wave.checkpoint), { answers: answers as never });
			await expect(resuming).rejects.toMatchObject({ code: "INVALID_ANSWER" });
		}
		const half = await engine.resume(reloaded(wave.checkpoint), { answers: { "r/0/1/0": true } });
		expect(idsOf(half)).toEqual(["r/0/0/1"]);
	});

	it("keeps large values beside a ledger that keeps such, and in itself otherwise", async () => {
		const large = toolOf("large", ({ n = 0 }) => "x".repeat(200_000) + n);
		const bytes = toolOf("bytes", () => new Uint8Array(300_000).fill(7));
		const path = join(folder(), "ledger");
		const { wave, tool, engine } = await pausedWave(
			{ tools: [large, bytes], ledger: fileLedger(path) },
			"large 1",
			"bytes 2",
		);
		expect(JSON.stringify(wave.checkpoint).length).toBeLessThan(10_000);
		await engine.close();
		const tools = [tool, large, bytes];
		const other = await resumedIn({ tools, ledger: fileLedger(path) }, wave, { answers: { "r/0/0/1": 1 } });
		expect(other.wave.results[1]?.outcome).toEqual(wave.results[0]?.outcome);
		expect(other.wave.results[2]?.outcome).toEqual({ ok: true, value: new Uint8Array(300_000).fill(7) });
		await expect(resumedIn({ tools }, wave, {})).rejects.toMatchObject({ code: "INVALID_CHECKPOINT" });
		const inline = await pausedWave({ tools: [large], ledger: memoryLedger() }, "large 1");
		const rest = await resumedIn({ tools }, inline.wave, { answers: { "r/0/0/1": 1 } });
		expect(rest.wave.results[1]?.outcome).toEqual(inline.wave.results[0]?.outcome);
	});

	it("is given out only when the ledger knows as much, what had finished and was not accounted included", async () => {
		const { tool } = asking("ask", 1);
		const ledger = memoryLedger();
		const done: string[] = [];
		const watched = {
			...lasting(ledger),
			barrier: async () => {
				for await (const { kind } of ledger.entries()) if (kind === "run_paused") done.push("paused is durable");
			},
		};
		const note = toolOf("note", () => "noted", { effect: "write", isConcurrencySafe: true });
		const { engine } = benchOf({ tools: [tool, note], ledger: watched });
		const wave = await engine.executeWave(callsOf("ask 0", "note 1"), { runId: "r" });
		expect(wave.status).toBe("paused");
		expect(done).toEqual(["paused is durable"]);
		let paused: unknown;
		for await (const { kind, data } of ledger.entries()) if (kind === "run_paused") paused = data;
		expect(paused).toMatchObject({
			checkpoint: { records: [{ kind: "cleared" }, { kind: "settled", outcome: { ok: true, value: "noted" } }] },
		});
	});
});

describe("a wave that goes on in another process", () => {
	it("on a file ledger reads as one that was never interrupted", async () => {
		const tools = [asking("ask", 2).tool, asking("put", 1, { effect: "write" }).tool];
		const calls = callsOf("ask 0", "put 1", "missing", "ask 3");
		const path = join(folder(), "ledger");
		const first = benchOf({ tools, ledger: fileLedger(path) });
		let wave = await first.engine.executeWave(calls, { runId: "r" });
		await first.engine.close();
		while (wave.status === "paused") {
			const answers = Object.fromEntries(wave.questions.map(({ id }) => [id, id]));
			const next = await resumedIn({ tools, ledger: fileLedger(path) }, wave, { answers });
			wave = next.wave;
			await next.engine.close();
		}
		const ledger = memoryLedger();
		const unbroken = benchOf({ tools, ledger, asker: ({ id }) => id });
		const reference = await unbroken.engine.executeWave(calls, { runId: "r" });
		expect(wave.results.map(({ outcome }) => outcome)).toEqual(reference.results.map(({ outcome }) => outcome));
		const written = (lines: string[]) => lines.filter((line) => line !== "");
		expect(written(await canonicalOf(fileLedger(path)))).toEqual(written(await canonicalOf(ledger)));
	});

	it("may be aborted, and each call has its one outcome", async () => {
		const { wave, tool } = await pausedWave({}, "missing", "write 2");
		const controller = new AbortController();
		const { engine } = benchOf({ tools: [tool] });
		const resuming = engine.resume(reloaded(wave.checkpoint), { answers: { "r/0/0/1": 1 }, signal: controller.signal });
		await settled();
		controller.abort(new Error("enough"));
		expect(shorts(await resuming)).toEqual(["[1]", "UNKNOWN_TOOL", "OUTCOME_UNKNOWN"]);
		const before = AbortSignal.abort(new Error("enough"));
		const late = await engine.resume(reloaded(wave.checkpoint), { answers: {}, signal: before });
		expect(late.status).toBe("aborted");
		expect(shorts(late)).toEqual(["ABORTED", "UNKNOWN_TOOL", "ABORTED_BEFORE_DISPATCH"]);
	});

	it("takes the same answers again where the ledger could not take them the first time", async () => {
		const { did, tools } = gatedTools();
		const { wave } = await pausedWave({ tools }, "send 1");
		const path = join(folder(), "ledger");
		const other = fileLedger(path);
		other.append([{ kind: "steer_received", runId: "other", at: 1, data: { text: "mine" } }]);
		const { engine } = benchOf({ tools: [asking("ask", 1).tool, ...tools], ledger: fileLedger(path) });
		const answers = { "r/0/0/1": 1, "r/0/1/0": { approve: true, always: true } };
		const click = () => engine.resume(reloaded(wave.checkpoint), { answers });
		await expect(click()).rejects.toMatchObject({ code: "LEDGER_IN_USE" });
		await other.close();
		expect((await click()).status).toBe("done");
		expect(did).toEqual(["send 1"]);
	});

	it("whose values cannot be found is refused, also where the whole ledger is gone", async () => {
		const path = join(folder(), "ledger");
		const { wave, tool, engine } = await pausedWave(
			{ tools: [toolOf("large", () => "x".repeat(200_000))], ledger: fileLedger(path) },
			"large 1",
		);
		await engine.close();
		rmSync(path);
		const again = resumedIn({ tools: [tool], ledger: fileLedger(path) }, wave, { answers: { "r/0/0/1": 1 } });
		await expect(again).rejects.toMatchObject({
			code: "INVALID_CHECKPOINT",
			message: expect.stringMatching(/the ledger .+ is missing, and the value [0-9a-f]{64} beside it/),
		});
	});

	it("RM2: approves nothing twice where one is gone on from twice in one engine", async () => {
		const { did, tools } = gatedTools();
		const { engine } = benchOf({ tools });
		const wave = await engine.executeWave(callsOf("send 1"), { runId: "r" });
		const click = () => engine.resume(reloaded(wave.checkpoint), { answers: { "r/0/0/0": true } });
		const [first, second] = await Promise.allSettled([click(), click()]);
		expect([first.status, second.status]).toEqual(["fulfilled", "rejected"]);
		expect((second as PromiseRejectedResult).reason).toMatchObject({ code: "INVALID_ANSWER" });
		expect(String((second as PromiseRejectedResult).reason)).toContain("was answered already");
		expect(did).toEqual(["send 1"]);
	});
});
