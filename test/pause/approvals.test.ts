// Approvals: who is asked about which call, and what the answer makes of it.

import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type ApprovalQuestion, budget, definePolicy, memo, memoryLedger } from "../../engine/index.js";
import { benchOf, callsOf, canonicalOf, shorts, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";
import { asking, gatedTools, idsOf, lasting, reloaded } from "../support/pause-kit.js";

describe("a tool that requires approval", () => {
	it("asks with its arguments, their digest and its presentation, and runs once approved", async () => {
		const { did, tools: own } = gatedTools();
		const { engine } = benchOf({ tools: own });
		const wave = await engine.executeWave(callsOf("send 4"), { runId: "r" });
		expect(wave.questions).toEqual([
			{
				id: "r/0/0/0",
				index: 0,
				question: {
					kind: "approval",
					tool: "send",
					args: { n: 4 },
					digest: createHash("sha256").update('{"n":4}').digest("hex"),
					title: 'Send {"n":4}',
					detail: "to all",
				},
			},
		]);
		expect(did).toEqual([]);
		const rest = await engine.resume(reloaded(wave.checkpoint), { answers: { "r/0/0/0": true } });
		expect(shorts(rest)).toEqual(["4"]);
		expect(did).toEqual(["send 4"]);
	});

	it("AP1: never runs declined, unanswered, or where its check throws or says anything but no", async () => {
		const did: string[] = [];
		const doubtful = (name: string, requiresApproval: (args: unknown) => unknown) =>
			toolOf(name, () => void did.push(name), { requiresApproval: requiresApproval as () => boolean });
		const own = [
			doubtful("throws", () => {
				throw new Error("no idea");
			}),
			doubtful("promises", async () => false),
			doubtful("empty", () => undefined),
			doubtful("no", () => false),
		];
		const { engine } = benchOf({ tools: own });
		const wave = await engine.executeWave(callsOf("throws", "promises", "empty", "no"), { runId: "r" });
		expect(idsOf(wave)).toEqual(["r/0/0/0", "r/0/1/0", "r/0/2/0"]);
		const answers = { "r/0/0/0": false, "r/0/1/0": { approve: false, reason: "not today" } };
		const rest = await engine.resume(reloaded(wave.checkpoint), { answers });
		expect(did).toEqual(["no"]);
		expect(rest.status).toBe("paused");
		expect(rest.results.map(({ outcome }) => (outcome.ok ? "ok" : outcome.error))).toMatchObject([
			{ code: "DECLINED" },
			{ code: "DECLINED", message: "A person declined the call: not today", details: { reason: "not today" } },
			"ok",
		]);
	});

	it("AP1: is asked of each call's own arguments, also where nothing else of the tool depends on them", async () => {
		const paid: number[] = [];
		const pay = toolOf("pay", ({ n = 0 }) => paid.push(n), {
			effect: "write",
			requiresApproval: (args) => ((args as { n?: number } | undefined)?.n ?? 0) > 100,
		});
		const { engine } = benchOf({ tools: [pay] });
		const wave = await engine.executeWave(callsOf("pay 5", "pay 101", "pay 6", "pay 102"), { runId: "r" });
		expect(idsOf(wave)).toEqual(["r/0/1/0", "r/0/3/0"]);
		expect(paid).toEqual([5]);
	});

	it("is not asked about once the call has an outcome, whoever gave it", async () => {
		const { did, tools: own } = gatedTools();
		const { tool } = asking("ask", 1);
		const no = { rule: "no", violation: "No.", alternative: "Nothing." };
		const refuses = definePolicy({
			name: "refuses",
			admit: (call) => (call.name === "gated" ? { deny: no } : "clear"),
		});
		const { engine } = benchOf({ tools: [...own, tool], policies: [refuses] });
		const wave = await engine.executeWave(callsOf("ask 1", "gated 0", "send 3"), { runId: "r" });
		expect(idsOf(wave)).toEqual(["r/0/0/1", "r/0/2/0"]);
		const second = await engine.resume(reloaded(wave.checkpoint), { answers: { "r/0/0/1": "A" } });
		expect(shorts(second)).toEqual(['["A"]', "DENIED"]);
		expect(idsOf(second)).toEqual(["r/0/2/0"]);
		const third = await engine.resume(reloaded(second.checkpoint), { answers: { "r/0/2/0": true } });
		expect(shorts(third)).toEqual(['["A"]', "DENIED", "3"]);
		expect(did).toEqual(["send 3"]);
	});

	it("is asked about for the whole wave at once, and each decision is the named call's alone, in any order", async () => {
		const { did, tools: own } = gatedTools();
		const { engine } = benchOf({ tools: own });
		const wave = await engine.executeWave(callsOf("send 1", "send 2", "plain 3", "send 4"), { runId: "r" });
		expect(idsOf(wave)).toEqual(["r/0/0/0", "r/0/1/0", "r/0/3/0"]);
		const second = await engine.resume(reloaded(wave.checkpoint), { answers: { "r/0/1/0": true } });
		expect(idsOf(second)).toEqual(["r/0/0/0", "r/0/3/0"]);
		const first = await engine.resume(reloaded(second.checkpoint), { answers: { "r/0/0/0": { approve: false } } });
		expect(idsOf(first)).toEqual(["r/0/3/0"]);
		const all = await engine.resume(reloaded(first.checkpoint), { answers: { "r/0/3/0": true } });
		expect(shorts(all)).toEqual(["DECLINED", "2", "3", "4"]);
		expect(did).toEqual(["send 2", "plain 3", "send 4"]);
	});

	it("lets ungated calls of its segment run before the pause, and keeps what they answered", async () => {
		const { did, tools: own } = gatedTools();
		const { engine } = benchOf({ tools: own });
		const wave = await engine.executeWave(callsOf("gated 1", "plain 2"), { runId: "r" });
		expect(shorts(wave)).toEqual(["2"]);
		const rest = await engine.resume(reloaded(wave.checkpoint), { answers: { "r/0/0/0": true } });
		expect(shorts(rest)).toEqual(["1", "2"]);
		expect(did).toEqual(["plain 2", "gated 1"]);
	});

	it("never holds the others back once it is declined", async () => {
		const { tools: own } = gatedTools();
		const { engine, held } = benchOf({ tools: own, asker: () => false });
		const wave = engine.executeWave(callsOf("read 0", "send 1", "read 2"));
		await settled();
		expect(held.waiting).toEqual(["read 0", "read 2"]);
		held.releaseAll();
		expect(shorts(await wave)).toEqual(["0", "DECLINED", "2"]);
	});

	it("is not asked about again in the run once it was approved for always, queued calls included", async () => {
		const { did, tools: own } = gatedTools();
		const { engine } = benchOf({ tools: own });
		const wave = await engine.executeWave(callsOf("send 1", "send 2", "gated 3"), { runId: "r" });
		const answers = { "r/0/0/0": { approve: true, always: true } };
		const rest = await engine.resume(reloaded(wave.checkpoint), { answers });
		expect(idsOf(rest)).toEqual(["r/0/2/0"]);
		expect(did).toEqual(["send 1", "send 2"]);
		const next = await engine.executeWave(callsOf("send 5"), { runId: "r", step: 1 });
		expect(shorts(next)).toEqual(["5"]);
		const other = await engine.executeWave(callsOf("send 6"), { runId: "another" });
		expect(other.status).toBe("paused");
	});

	it("keeps an always over a reload", async () => {
		const { tools: own } = gatedTools();
		const first = benchOf({ tools: own });
		const wave = await first.engine.executeWave(callsOf("send 1", "gated 2"), { runId: "r" });
		const half = await first.engine.resume(reloaded(wave.checkpoint), {
			answers: { "r/0/0/0": { approve: true, always: true } },
		});
		const second = benchOf({ tools: own });
		await second.engine.resume(reloaded(half.checkpoint), { answers: { "r/0/1/0": true } });
		expect(shorts(await second.engine.executeWave(callsOf("send 3"), { runId: "r", step: 1 }))).toEqual(["3"]);
	});
});

describe("a policy that wants a person asked", () => {
	const wary = (...names: string[]) =>
		definePolicy({ name: "wary", admit: ({ name }) => (names.includes(name) ? { ask: `Is ${name} fine?` } : "clear") });

	it("has them asked by the same question, with its words as the detail", async () => {
		const { engine } = benchOf({ tools: gatedTools().tools, policies: [wary("plain")] });
		const wave = await engine.executeWave(callsOf("plain 1"), { runId: "r" });
		const question = wave.questions[0]?.question as unknown as ApprovalQuestion;
		expect(question).toMatchObject({ kind: "approval", tool: "plain", title: "plain", detail: "Is plain fine?" });
		const rest = await engine.resume(reloaded(wave.checkpoint), { answers: { "r/0/0/0": true } });
		expect(shorts(rest)).toEqual(["1"]);
	});

	it("P1: does not have them asked about a call that a later policy refuses, nor about one twice", async () => {
		const strict = definePolicy({
			name: "strict",
			admit: ({ args }) =>
				(args as { n: number }).n === 1
					? { deny: { rule: "one", violation: "it is 1", alternative: "take 2" } }
					: { ask: "again?" },
		});
		const { engine } = benchOf({ tools: gatedTools().tools, policies: [wary("plain"), strict] });
		const wave = await engine.executeWave(callsOf("plain 1", "plain 2"), { runId: "r" });
		expect(shorts(wave)).toEqual(["DENIED"]);
		expect(idsOf(wave)).toEqual(["r/0/1/0"]);
	});

	it("leaves what policies count as a wave that was never asked leaves it", async () => {
		const policies = () => [wary("plain"), budget({ run: { calls: 2 } })];
		const calls = callsOf("plain 0", "read 1", "read 2");
		const ledgers = [memoryLedger(), memoryLedger()];
		const [paused, unbroken] = ledgers.map((ledger, place) =>
			benchOf({
				tools: gatedTools().tools,
				policies: policies(),
				ledger: lasting(ledger),
				...(place === 1 && { asker: () => true }),
			}),
		);
		const running = [paused, unbroken].map((bench) => bench?.engine.executeWave(calls, { runId: "r" }));
		await settled();
		for (const bench of [paused, unbroken]) bench?.held.releaseAll();
		const [wave, reference] = await Promise.all(running);
		const resumed = benchOf({
			tools: gatedTools().tools,
			policies: policies(),
			ledger: lasting(ledgers[0] ?? memoryLedger()),
		});
		const rest = await resumed.engine.resume(reloaded(wave?.checkpoint), { answers: { "r/0/0/0": true } });
		expect(shorts(rest)).toEqual(["0", "1", "DENIED"]);
		expect(rest.results.map(({ outcome }) => outcome)).toEqual(reference?.results.map(({ outcome }) => outcome));
		const [one, other] = await Promise.all(ledgers.map(canonicalOf));
		expect(one?.filter((line) => line !== "")).toEqual(other?.filter((line) => line !== ""));
		const more = await resumed.engine.executeWave(callsOf("read 9"), { runId: "r", step: 1 });
		expect(shorts(more)).toEqual(["DENIED"]);
	});

	it("does not let what another policy remembers past an approval", async () => {
		const asked = { yes: true };
		const { engine } = benchOf({ tools: gatedTools().tools, policies: [memo()], asker: () => asked.yes });
		expect(shorts(await engine.executeWave(callsOf("gated 1"), { runId: "r" }))).toEqual(["1"]);
		asked.yes = false;
		expect(shorts(await engine.executeWave(callsOf("gated 1"), { runId: "r", step: 1 }))).toEqual(["DECLINED"]);
	});
});

describe("tools that may ask", () => {
	it("Law 6: never start while the model still generates", async () => {
		const { tools: own } = gatedTools();
		const mayAsk = toolOf("mayAsk", () => 1, { mayAsk: true });
		const { engine, events } = benchOf({ tools: [...own, mayAsk] });
		const step = engine.openStep();
		for (const call of callsOf("mayAsk", "gated", "plain")) step.offer(call);
		await settled();
		expect(events.filter(({ kind }) => kind === "call_began")).toMatchObject([{ name: "plain" }]);
		await step.discard("failed");
	});
});
