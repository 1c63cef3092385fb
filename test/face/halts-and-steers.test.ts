// The face's promises about stillGoing: what a halt inside the reads starts, and where a steer lands.

import { describe, expect, it } from "vitest";
import type { ConcurrentInvoke } from "../../engine/admission/concurrent-invoke.js";
import { answered } from "../../engine/core/outcome.js";
import { executeConcurrent, memoryLedger } from "../../engine/index.js";
import { HeldWork } from "../support/held-work.js";
import { callsOf, entriesOf, linesOf, shorts } from "../support/law-kit.js";
import { ManualClock, settled } from "../support/manual-clock.js";

const SCHEDULES = ["serial", "leading-reads", "barriers"] as const;

/** A face of reads and writes that wait to be released as `name n`. */
function heldFace(held: HeldWork, asked: string[] = []): ConcurrentInvoke<string> {
	return {
		metaOf: ({ name }) => ({ name, effect: name === "read" ? "read" : "write" }),
		admit(call) {
			asked.push(`admit ${call.id}`);
			return { cleared: `${call.name} ${(call.args as { n: number }).n}` };
		},
		tool: (label) => ({
			async invoke() {
				asked.push(`start ${label}`);
				await held.hold(label);
				return answered(label);
			},
		}),
		account(call, _label, outcome) {
			asked.push(`account ${call.id}`);
			return outcome;
		},
	};
}

describe("a halt inside the reads", () => {
	it.each(SCHEDULES)("starts only the reads before it, and accounts every call (%s)", async (schedule) => {
		const held = new HeldWork();
		const asked: string[] = [];
		const ledger = memoryLedger();
		const running = executeConcurrent(heldFace(held, asked), callsOf("read 0", "read 1", "read 2", "write 3"), {
			schedule,
			ledger,
			clock: new ManualClock(),
			stillGoing: (index) => (index === 2 ? "cancel" : "go"),
		});
		for (let round = 0; round < 3; round += 1) {
			await settled();
			held.releaseAll();
		}
		const wave = await running;
		const before = "ABORTED_BEFORE_DISPATCH";
		expect(shorts(wave)).toEqual(['"read 0"', '"read 1"', before, before]);
		expect(wave.status).toBe("aborted");
		expect(asked.filter((line) => line.startsWith("start"))).toEqual(["start read 0", "start read 1"]);
		expect(await linesOf(ledger)).toEqual([
			...["model_returned", "tool_called 0", "tool_result 0", "tool_called 1", "tool_result 1"],
			...["cancel_received", "tool_called 2", "tool_result 2", "tool_called 3", "tool_result 3"],
		]);
	});

	it("is asked for before any of the reads starts", async () => {
		const held = new HeldWork();
		const asked: string[] = [];
		const running = executeConcurrent(heldFace(held, asked), callsOf("read 0", "read 1", "write 2"), {
			clock: new ManualClock(),
			stillGoing: (index) => {
				asked.push(`ask ${index}`);
				return "go";
			},
		});
		await settled();
		const firstStart = asked.findIndex((line) => line.startsWith("start"));
		expect(asked.slice(0, firstStart).filter((line) => line.startsWith("ask"))).toEqual(["ask 0", "ask 1"]);
		expect(asked).not.toContain("ask 2");
		held.releaseAll();
		await settled();
		held.releaseAll();
		await running;
		expect(asked.filter((line) => line.startsWith("ask"))).toEqual(["ask 0", "ask 1", "ask 2"]);
	});

	it("is not asked about again once it came", async () => {
		const asked: number[] = [];
		await executeConcurrent(heldFace(new HeldWork()), callsOf("read 0", "read 1", "write 2"), {
			stillGoing: (index) => {
				asked.push(index);
				return "cancel";
			},
		});
		expect(asked).toEqual([0]);
	});
});

describe("a steer", () => {
	it.each(SCHEDULES)(
		"lands where the serial wave writes it, and reaches the model after the step (%s)",
		async (schedule) => {
			const held = new HeldWork();
			const ledger = memoryLedger();
			const running = executeConcurrent(heldFace(held), callsOf("read 0", "read 1", "read 2", "write 3"), {
				schedule,
				ledger,
				clock: new ManualClock(),
				stillGoing: (index) => (index === 1 || index === 3 ? { steer: `before ${index}` } : "go"),
			});
			for (let round = 0; round < 4; round += 1) {
				await settled();
				for (const label of [...held.waiting].reverse()) held.release(label);
			}
			const wave = await running;
			expect(wave.steers).toEqual(["before 1", "before 3"]);
			expect(await linesOf(ledger)).toEqual([
				...["model_returned", "tool_called 0", "tool_result 0"],
				...["steer_received", "tool_called 1", "tool_result 1", "tool_called 2", "tool_result 2"],
				...["steer_received", "tool_called 3", "tool_result 3"],
			]);
			const steered = (await entriesOf(ledger)).filter(({ kind }) => kind === "steer_received");
			expect(steered.map(({ data }) => data)).toEqual([{ text: "before 1" }, { text: "before 3" }]);
		},
	);
});
