// Laws 2 and 3: admission and accounting are serial in call order, whatever settles first.

import { describe, expect, it } from "vitest";
import type { Policy } from "../../engine/policy/policy.js";
import { HeldWork } from "../support/held-work.js";
import { benchOf, callsOf, linesOf, shorts } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";

const SCHEDULES = ["serial", "leading-reads", "barriers"] as const;

function recorder(log: string[]): Policy {
	return {
		name: "recorder",
		admit: (_call, { index }) => {
			log.push(`admit ${index}`);
			return "clear";
		},
		account: (_call, _outcome, { index }) => void log.push(`account ${index}`),
	};
}

describe("Law 2: admission is serial in call order", () => {
	it.each(SCHEDULES)(
		"and a segment is admitted whole, after everything before it is accounted (%s)",
		async (schedule) => {
			const log: string[] = [];
			const { engine, held } = benchOf({ policies: [recorder(log)], schedule });
			const running = engine.executeWave(callsOf("read 0", "note 1", "write 2", "read 3", "read 4"));
			for (let round = 0; round < 6; round += 1) {
				await settled();
				held.releaseAll();
			}
			await running;
			expect(log).toEqual([
				...["admit 0", "admit 1", "account 0", "account 1"],
				...["admit 2", "account 2"],
				...["admit 3", "admit 4", "account 3", "account 4"],
			]);
		},
	);

	it("so a call waits for the accounting of the segment before its own, however long that takes", async () => {
		const books = new HeldWork();
		const log: string[] = [];
		const slow: Policy = {
			...recorder(log),
			account: async (_call, _outcome, { index }) => {
				await books.hold(`account ${index}`);
				log.push(`account ${index}`);
			},
		};
		const { engine, held } = benchOf({ policies: [slow] });
		const running = engine.executeWave(callsOf("read 0", "read 1", "write 2"));
		await settled();
		held.releaseAll();
		await settled();
		expect([log, books.waiting]).toEqual([["admit 0", "admit 1"], ["account 0"]]);
		books.release("account 0");
		await settled();
		expect([log.at(-1), books.waiting]).toEqual(["account 0", ["account 1"]]);
		books.release("account 1");
		await settled();
		expect(log).toEqual(["admit 0", "admit 1", "account 0", "account 1", "admit 2"]);
		held.release("write 2");
		await settled();
		books.release("account 2");
		expect(shorts(await running)).toEqual(["0", "1", "2"]);
	});

	it("also when the admission of an earlier call takes longer than that of a later one", async () => {
		const gate = new HeldWork();
		const log: string[] = [];
		const slow: Policy = {
			name: "slow",
			admit: async (_call, { index }) => {
				log.push(`asked ${index}`);
				await gate.hold(`${index}`);
				return "clear" as const;
			},
		};
		const { engine, held, entered } = benchOf({ policies: [slow] });
		const running = engine.executeWave(callsOf("read 0", "read 1"));
		await settled();
		expect([log, entered]).toEqual([["asked 0"], []]);
		gate.release("0");
		await settled();
		expect(log).toEqual(["asked 0", "asked 1"]);
		gate.release("1");
		await settled();
		held.releaseAll();
		expect(shorts(await running)).toEqual(["0", "1"]);
	});

	it.each(SCHEDULES)(
		"and a budget that counts at admission clears the first calls, not the fastest (%s)",
		async (schedule) => {
			let spent = 0;
			const budget: Policy = {
				name: "budget",
				admit() {
					if (spent === 2) return { deny: { rule: "budget", violation: "Two are spent.", alternative: "Stop." } };
					spent += 1;
					return "clear";
				},
				account() {
					spent -= 1;
				},
			};
			const { engine, held } = benchOf({ policies: [budget], schedule });
			const running = engine.executeWave(callsOf("read 0", "read 1", "read 2", "write 3"));
			for (let round = 0; round < 4; round += 1) {
				await settled();
				held.releaseAll();
			}
			const wave = await running;
			expect(shorts(wave)).toEqual(["0", "1", "DENIED", "3"]);
			expect(wave.results[2]?.outcome).toMatchObject({
				error: {
					message: "Two are spent.",
					recovery: "Stop.",
					details: { rule: "budget", violation: "Two are spent." },
				},
			});
		},
	);

	it("and a refusal of a call that is not safe waits its turn like the call", async () => {
		const log: string[] = [];
		const none: Policy = {
			name: "no writes",
			admit: (call) => (call.name === "write" ? { deny: { rule: "r", violation: "v", alternative: "a" } } : "clear"),
		};
		const { engine, held } = benchOf({ policies: [recorder(log), none] });
		const running = engine.executeWave(callsOf("read 0", "write 1", "read 2"));
		await settled();
		expect(log).toEqual(["admit 0"]);
		held.release("read 0");
		await settled();
		expect(log).toEqual(["admit 0", "account 0", "admit 1", "admit 2"]);
		held.release("read 2");
		expect(shorts(await running)).toEqual(["0", "DENIED", "2"]);
	});
});

describe("Law 3: accounting is serial in call order", () => {
	it("and starts as soon as the head of the wave has settled", async () => {
		const log: string[] = [];
		const { engine, held } = benchOf({ policies: [recorder(log)] });
		const running = engine.executeWave(callsOf("read 0", "read 1", "read 2"));
		await settled();
		log.length = 0;
		held.release("read 2");
		await settled();
		expect(log).toEqual([]);
		held.release("read 0");
		await settled();
		expect(log).toEqual(["account 0"]);
		held.release("read 1");
		await running;
		expect(log).toEqual(["account 0", "account 1", "account 2"]);
	});

	it("so a call refused at the door is not written before an earlier one that still runs", async () => {
		const none: Policy = {
			name: "no fetch",
			admit: (call) => (call.name === "fetch" ? { deny: { rule: "r", violation: "v", alternative: "a" } } : "clear"),
		};
		const { engine, held, ledger } = benchOf({ policies: [none] });
		const running = engine.executeWave(callsOf("read 0", "fetch 1", "missing 2"));
		await settled();
		expect(await linesOf(ledger)).toEqual(["model_returned"]);
		held.release("read 0");
		expect(shorts(await running)).toEqual(["0", "DENIED", "UNKNOWN_TOOL"]);
		expect((await linesOf(ledger)).filter((line) => line.startsWith("tool_result"))).toEqual([
			"tool_result 0",
			"tool_result 1",
			"tool_result 2",
		]);
	});

	it("and policies account in the reverse of their listed order, each seeing what the inner one made", async () => {
		const marks = (mark: string): Policy => ({
			name: mark,
			account: (_call, outcome) => (outcome.ok ? { ok: true, value: `${String(outcome.value)}${mark}` } : outcome),
		});
		const { engine, held } = benchOf({ policies: [marks("a"), marks("b"), marks("c")] });
		const running = engine.executeWave(callsOf("read 7"));
		await settled();
		held.releaseAll();
		expect(shorts(await running)).toEqual(['"7cba"']);
	});
});
