// Questions of nested calls: they travel up, their answers travel down, and neither level starts what had ended.

import { describe, expect, it } from "vitest";
import { memoryLedger, recover } from "../../engine/index.js";
import { HeldWork } from "../support/held-work.js";
import { benchOf, callsOf, canonicalOf, shorts, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";
import { asking, gatedTools, idsOf, lasting, reloaded, resumedIn } from "../support/pause-kit.js";

/** `outer` sends, asks through `ask`, sends again, and asks by itself; what it did is told in order. */
function family() {
	const did: string[] = [];
	const send = toolOf("send", ({ n = 0 }) => void did.push(`send ${n}`), { effect: "write" });
	const { tool: ask, runs } = asking("ask", 2);
	const outer = toolOf(
		"outer",
		async (_args, { invokeTool, interrupt }) => {
			did.push("outer");
			await invokeTool("send", { n: 1 });
			const inner = await invokeTool("ask", { n: 5 });
			await invokeTool("send", { n: 2 });
			return [inner, await interrupt("mine")];
		},
		{ effect: "write" },
	);
	const deep = toolOf("deep", (_args, { invokeTool }) => invokeTool("outer", {}), { effect: "write" });
	return { did, runs, tools: [send, ask, outer, deep] };
}

describe("a question in a nested call", () => {
	it("NC3: travels up and its answer down, to any depth and over reloads, and nothing that had ended runs again", async () => {
		const { did, runs, tools } = family();
		const ledger = memoryLedger();
		const first = benchOf({ tools, ledger: lasting(ledger) });
		let wave = await first.engine.executeWave(callsOf("deep", "read 1"), { runId: "r" });
		const ids: string[] = [];
		while (wave.status === "paused") {
			ids.push(...idsOf(wave));
			const answers = Object.fromEntries(wave.questions.map(({ id }) => [id, `to ${id}`]));
			const next = benchOf({ tools, ledger: lasting(ledger) });
			const resuming = next.engine.resume(reloaded(wave.checkpoint), { answers });
			await settled();
			next.held.releaseAll();
			wave = await resuming;
		}
		expect(ids).toEqual(["r/0/0.0.1/1", "r/0/0.0.1/2", "r/0/0.0/1"]);
		expect(shorts(wave)).toEqual(['[["to r/0/0.0.1/1","to r/0/0.0.1/2"],"to r/0/0.0/1"]', "1"]);
		expect(did.filter((one) => one.startsWith("send"))).toEqual(["send 1", "send 2"]);
		expect(runs).toHaveLength(3);
		const reference = memoryLedger();
		const unbroken = benchOf({ tools: family().tools, ledger: reference, asker: ({ id }) => `to ${id}` });
		const running = unbroken.engine.executeWave(callsOf("deep", "read 1"), { runId: "r" });
		await settled(20);
		unbroken.held.releaseAll();
		await running;
		const written = (lines: string[]) => lines.filter((line) => line !== "");
		const lines = written(await canonicalOf(ledger));
		expect(lines).toEqual(written(await canonicalOf(reference)));
		expect(lines.filter((line) => line.includes('"name":"send"'))).toHaveLength(2);
	});

	it("waits for the calls beside it, so that none of them runs twice", async () => {
		const held = new HeldWork();
		let slows = 0;
		const slow = toolOf("slow", async () => {
			slows += 1;
			await held.hold("slow");
			return "slow";
		});
		const { tool: ask } = asking("ask", 1);
		const both = toolOf("both", (_args, { invokeTool }) =>
			Promise.all([invokeTool("slow", {}), invokeTool("ask", {})]),
		);
		const { engine } = benchOf({ tools: [slow, ask, both] });
		const running = engine.executeWave(callsOf("both"), { runId: "r" });
		await settled();
		held.releaseAll();
		const wave = await running;
		expect(idsOf(wave)).toEqual(["r/0/0.1/1"]);
		const rest = await engine.resume(reloaded(wave.checkpoint), { answers: { "r/0/0.1/1": "now" } });
		expect(shorts(rest)).toEqual(['["slow",["now"]]']);
		expect(slows).toBe(1);
	});

	it("may be for an approval, and a nested call that is declined fails for its parent alone", async () => {
		const { did, tools } = gatedTools();
		const careful = toolOf(
			"careful",
			(_args, { invokeTool }) => invokeTool("send", { n: 1 }).catch((error: { code: string }) => error.code),
			{ effect: "write" },
		);
		const { engine } = benchOf({ tools: [...tools, careful] });
		const wave = await engine.executeWave(callsOf("careful"), { runId: "r" });
		expect(idsOf(wave)).toEqual(["r/0/0.0/0"]);
		const no = await resumedIn({ tools: [...tools, careful] }, wave, { answers: { "r/0/0.0/0": false } });
		expect(shorts(no.wave)).toEqual(['"DECLINED"']);
		const yes = await resumedIn({ tools: [...tools, careful] }, wave, { answers: { "r/0/0.0/0": true } });
		expect(shorts(yes.wave)).toEqual(["1"]);
		expect(did).toEqual(["send 1"]);
	});

	it("where the parent calls something else when it runs again, that runs anew", async () => {
		const did: string[] = [];
		const note = toolOf("note", ({ n = 0 }) => void did.push(`note ${n}`), { effect: "write" });
		let run = 0;
		const fickle = toolOf(
			"fickle",
			async (_args, { invokeTool, interrupt }) => {
				run += 1;
				await invokeTool("note", { n: run });
				return interrupt("?");
			},
			{ effect: "write" },
		);
		const { engine } = benchOf({ tools: [note, fickle] });
		const wave = await engine.executeWave(callsOf("fickle"), { runId: "r" });
		await engine.resume(reloaded(wave.checkpoint), { answers: { "r/0/0/1": 1 } });
		expect(did).toEqual(["note 1", "note 2"]);
	});

	it.each(["in one engine", "reloaded", "recovered"])(
		"PQ1: of a call in another one's place has an id of its own and the answer that is given to it, %s",
		async (how) => {
			// Two other calls first, the one has asked twice and the next once before it is made no more; all below another call.
			const made = [1, 1, 2];
			const fickle = toolOf("fickle", (_args, { invokeTool }) => invokeTool("ask", { n: made.shift() ?? 3 }), {
				effect: "write",
			});
			const over = toolOf("over", (_args, { invokeTool }) => invokeTool("fickle", {}), { effect: "write" });
			const { tool: ask } = asking("ask", 2);
			const tools = [ask, fickle, over];
			const ledger = memoryLedger();
			const first = benchOf({ tools, ledger: lasting(ledger) });
			let wave = await first.engine.executeWave(callsOf("over"), { runId: "r" });
			const ids: string[] = [];
			while (wave.status === "paused") {
				ids.push(...idsOf(wave));
				const answers = Object.fromEntries(wave.questions.map(({ id }) => [id, `to ${id}`]));
				const { engine } = how === "in one engine" ? first : benchOf({ tools, ledger: lasting(ledger) });
				const checkpoint = how === "recovered" ? await recover(ledger, "r") : reloaded(wave.checkpoint);
				wave = (await engine.resume(checkpoint as typeof wave.checkpoint, { answers })) as typeof wave;
			}
			const places = ["0.0.0/1", "0.0.0/2", "0.0.0~1/1", "0.0.0~2/1", "0.0.0~2/2"];
			expect(ids).toEqual(places.map((place) => `r/0/${place}`));
			expect(shorts(wave)).toEqual(['["to r/0/0.0.0~2/1","to r/0/0.0.0~2/2"]']);
		},
	);
});
