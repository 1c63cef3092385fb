// The stages of a wave, each invariant of its files by name. What they add up to is in test/laws.

import { describe, expect, it } from "vitest";
import { executeConcurrent, serialFace } from "../../engine/index.js";
import { memoryLedger } from "../../engine/ledger/memory-ledger.js";
import type { Policy, Verdict } from "../../engine/policy/policy.js";
import { benchOf, callsOf, entriesOf, linesOf, shorts } from "../support/law-kit.js";
import { LedgerSpy } from "../support/ledger-spy.js";
import { settled } from "../support/manual-clock.js";

/** A policy that notes both halves, each as it comes. */
function noting(notes: string[]): Policy {
	return {
		name: "noting",
		admit: (_call, { index, at }) => {
			notes.push(`admit ${index} at ${at}`);
			return "clear";
		},
		account: (_call, _outcome, { index }) => void notes.push(`account ${index}`),
	};
}

describe("a wave", () => {
	it("WV1: admits a segment only after every call before it was accounted", async () => {
		const notes: string[] = [];
		const { engine, held } = benchOf({ policies: [noting(notes)] });
		const wave = engine.executeWave(callsOf("read 0", "write 1", "read 2"));
		await settled();
		expect(notes.map((note) => note.split(" at")[0])).toEqual(["admit 0"]);
		held.release("read 0");
		await settled();
		expect(notes.map((note) => note.split(" at")[0])).toEqual(["admit 0", "account 0", "admit 1"]);
		held.releaseAll();
		await settled();
		held.releaseAll();
		await wave;
	});

	it("WV2: resolves with every call accounted though it was aborted before the first", async () => {
		const { engine, ledger } = benchOf();
		const wave = await engine.executeWave(callsOf("read 0", "write 1"), { signal: AbortSignal.abort() });
		expect(wave.status).toBe("aborted");
		expect(shorts(wave)).toEqual(["ABORTED_BEFORE_DISPATCH", "ABORTED_BEFORE_DISPATCH"]);
		expect(await linesOf(ledger)).toEqual([
			"model_returned",
			"tool_called 0",
			"tool_result 0",
			"tool_called 1",
			"tool_result 1",
		]);
	});

	it("T1: listens once to the host's signal, and to nothing when it has ended, however it ended", async () => {
		const controller = new AbortController();
		const { signal } = controller;
		let listening = 0;
		const add = signal.addEventListener.bind(signal);
		const remove = signal.removeEventListener.bind(signal);
		signal.addEventListener = (...args: Parameters<typeof add>) => {
			listening += 1;
			add(...args);
		};
		signal.removeEventListener = (...args: Parameters<typeof remove>) => {
			listening -= 1;
			remove(...args);
		};
		const broken = Object.assign(memoryLedger(), { barrier: () => Promise.reject(new Error("disk full")) });
		const [good, bad] = [benchOf(), benchOf({ ledger: broken })];
		const waves = [good, bad].map(({ engine }) => engine.executeWave(callsOf("read 0", "read 1"), { signal }));
		await settled();
		expect(listening).toBe(2);
		good.held.releaseAll();
		bad.held.releaseAll();
		const [first, second] = await Promise.allSettled(waves);
		expect([first?.status, second?.status]).toEqual(["fulfilled", "rejected"]);
		expect(listening).toBe(0);
	});

	it("T2: stays aborted by the first reason, and a failed ledger ends it all the same", async () => {
		const broken = Object.assign(memoryLedger(), {
			append: () => {
				throw new Error("disk full");
			},
		});
		const { engine } = benchOf({ ledger: broken });
		await expect(engine.executeWave(callsOf("read 0"), { signal: AbortSignal.abort() })).rejects.toMatchObject({
			code: "LEDGER_FAILED",
			message: expect.stringContaining("disk full"),
		});
	});

	it("D1: admits the calls of a segment one after another though a policy takes its time for the first", async () => {
		const notes: string[] = [];
		const { engine, held } = benchOf({
			policies: [
				{
					name: "slow",
					admit: async (_call, { index }): Promise<Verdict> => {
						notes.push(`asked ${index}`);
						await held.hold(`policy ${index}`);
						notes.push(`said ${index}`);
						return "clear";
					},
				},
			],
		});
		const wave = engine.executeWave(callsOf("read 0", "read 1"));
		await settled();
		expect(notes).toEqual(["asked 0"]);
		held.release("policy 0");
		await settled();
		expect(notes).toEqual(["asked 0", "said 0", "asked 1"]);
		held.release("policy 1");
		await settled();
		held.releaseAll();
		await wave;
	});

	it("D2: gives a policy the stamp that the call's entry records", async () => {
		const notes: string[] = [];
		const { engine, ledger, clock, held } = benchOf({ policies: [noting(notes)] });
		const wave = engine.executeWave(callsOf("write 0", "read 1"));
		await settled();
		await clock.pass(1_234);
		held.release("write 0");
		await settled();
		held.release("read 1");
		await wave;
		const called = (await entriesOf(ledger)).filter(({ kind }) => kind === "tool_called");
		expect(called.map(({ at, data }) => `admit ${data.index} at ${at}`)).toEqual(
			notes.filter((note) => note.startsWith("admit")),
		);
		expect(called.map(({ at }) => at - (called[0]?.at ?? 0))).toEqual([0, 1_234]);
	});

	it("EX1: under a serial schedule starts a call only after the one before it was accounted", async () => {
		const { engine, entered, held } = benchOf({
			schedule: "serial",
			policies: [{ name: "slow", account: (_call, _outcome, { index }) => held.hold(`account ${index}`) }],
		});
		const wave = engine.executeWave(callsOf("read 0", "read 1"));
		await settled();
		held.release("read 0");
		await settled();
		expect(entered).toEqual(["read 0"]);
		held.release("account 0");
		await settled();
		expect(entered).toEqual(["read 0", "read 1"]);
		for (let round = 0; round < 3; round += 1) {
			held.releaseAll();
			await settled();
		}
		await wave;
	});

	it("EX2: settles what it had cleared and not started when it is aborted", async () => {
		const controller = new AbortController();
		const { engine, entered } = benchOf({ maxParallelToolCalls: 1 });
		const wave = engine.executeWave(callsOf("read 0", "read 1", "read 2"), { signal: controller.signal });
		await settled();
		controller.abort(new Error("enough"));
		expect(shorts(await wave)).toEqual(["ABORTED", "ABORTED_BEFORE_DISPATCH", "ABORTED_BEFORE_DISPATCH"]);
		expect(entered).toEqual(["read 0"]);
	});

	it("IN1, IN2: a group's calls that may change something begin after one barrier that holds all their intents", async () => {
		const { engine, held, entered } = benchOf({ ledger: new LedgerSpy(memoryLedger(), (label) => hold(label)) });
		const hold = held.hold;
		const wave = engine.executeWave(callsOf("note 0", "read 1", "note 2"));
		await settled();
		expect(held.waiting).toEqual(["barrier 1", "read 1"]);
		held.release("barrier 1");
		await settled();
		expect(entered).toEqual(["read 1", "note 0", "note 2"]);
		held.releaseAll();
		await settled();
		held.releaseAll();
		await wave;
	});

	it("IN1: begins nothing that was aborted while its barrier was under way", async () => {
		const controller = new AbortController();
		const { engine, held, entered } = benchOf({ ledger: new LedgerSpy(memoryLedger(), (label) => hold(label)) });
		const hold = held.hold;
		const wave = engine.executeWave(callsOf("write 0"), { signal: controller.signal });
		await settled();
		controller.abort();
		held.release("barrier 1");
		await settled();
		held.releaseAll();
		expect(shorts(await wave)).toEqual(["ABORTED_BEFORE_DISPATCH"]);
		expect(entered).toEqual([]);
	});

	it("takes a stillGoing that steers with no text for one that cannot say, and starts no more", async () => {
		for (const steer of [Object.create(null) as never, 7 as never]) {
			const { engine, entered } = benchOf();
			const wave = await engine.executeWave(callsOf("read 0"), { stillGoing: async () => ({ steer }) });
			expect([wave.status, ...shorts(wave), ...wave.steers]).toEqual(["aborted", "ABORTED_BEFORE_DISPATCH"]);
			expect(entered).toEqual([]);
		}
	});
});

describe("a face whose admission answers what is no answer", () => {
	it.each([1n, Object.create(null) as object, undefined, { answered: { loop: null } }])(
		"fails that call alone as POLICY_FAILED",
		async (nonsense) => {
			const face = { ...serialFace(() => ({ ok: true })), admit: async () => nonsense as never };
			const wave = await executeConcurrent(face, callsOf("a", "b"));
			expect(shorts(wave)).toEqual(["POLICY_FAILED", "POLICY_FAILED"]);
		},
	);
});
