// The accountant: order, lines, repeats, faults.

import { describe, expect, it } from "vitest";
import { Accountant, type AccountantParts, type Settled } from "../../engine/accounting/account.js";
import type { Outcome } from "../../engine/core/outcome.js";
import { memoryLedger } from "../../engine/ledger/memory-ledger.js";
import { HeldWork } from "../support/held-work.js";
import { ManualClock, settled } from "../support/manual-clock.js";

const ok = (value: string): Outcome => ({ ok: true, value });
const bad: Outcome = { ok: false, error: { code: "TOOL_FAILED", message: "No.", recovery: "Try." } };

function accountantOf(count: number, rest: Partial<AccountantParts> = {}) {
	const ledger = memoryLedger();
	const accounted: string[] = [];
	const accountant = new Accountant({
		count,
		runId: "run",
		ledger,
		clock: new ManualClock(),
		stopOnError: false,
		before: [],
		onAccounted: ({ index, outcome, replayOf }) =>
			void accounted.push(`${index} ${outcome.ok ? outcome.value : outcome.error.code}${replayOf ?? ""}`),
		onFailure: () => undefined,
		...rest,
	});
	const lines = async (): Promise<string[]> => {
		const read: string[] = [];
		for await (const { kind, data } of ledger.entries()) read.push(`${kind} ${data.index ?? data.text}`);
		return read;
	};
	return { accountant, accounted, lines };
}

function item(index: number, rest: Partial<Settled> = {}): Settled {
	const call = { id: `${index}`, name: "read", args: {} };
	const answer = { kind: "own", outcome: ok(`value ${index}`) } as const;
	return {
		index,
		call,
		registration: undefined,
		path: [index],
		at: 0,
		answer,
		before: [],
		children: [],
		ranAs: undefined,
		account: undefined,
		...rest,
	};
}

describe("the accountant", () => {
	it("A1: accounts in call order whatever arrives first, and goes on as soon as the head has come", async () => {
		const { accountant, accounted } = accountantOf(3);
		accountant.arrive(item(2));
		accountant.arrive(item(1));
		expect(accounted).toEqual([]);
		accountant.arrive(item(0));
		expect(accounted).toEqual(["0 value 0", "1 value 1", "2 value 2"]);
	});

	it("A1: waits for an accounting half that takes its time before it begins the next", async () => {
		const held = new HeldWork();
		const begun: number[] = [];
		const slow = (index: number) => async (outcome: Outcome) => {
			begun.push(index);
			await held.hold(String(index));
			return outcome;
		};
		const { accountant, accounted } = accountantOf(2);
		accountant.arrive(item(0, { account: slow(0) }));
		accountant.arrive(item(1, { account: slow(1) }));
		await settled();
		expect(begun).toEqual([0]);
		held.release("0");
		await settled();
		expect(begun).toEqual([0, 1]);
		held.release("1");
		await accountant.whenAccounted(2);
		expect(accounted).toEqual(["0 value 0", "1 value 1"]);
	});

	it("A2: writes what was received before a call, then its two lines, with nothing between", async () => {
		const { accountant, lines } = accountantOf(2);
		const steer = { kind: "steer_received", runId: "run", at: 0, data: { text: "faster" } } as const;
		accountant.arrive(item(1, { before: [steer] }));
		accountant.arrive(item(0));
		expect(await lines()).toEqual([
			"tool_called 0",
			"tool_result 0",
			"steer_received faster",
			"tool_called 1",
			"tool_result 1",
		]);
	});

	it("A3: gives a repeat the accounted outcome of the call it repeats, not the one that came to accounting", () => {
		const { accountant, accounted } = accountantOf(2);
		accountant.arrive(item(1, { answer: { kind: "repeat", of: 0 } }));
		accountant.arrive(item(0, { account: () => ok("changed") }));
		expect(accounted).toEqual(["0 changed", "1 changed0"]);
	});

	it("stops every later call at the first error where the host chose so, repeats included", () => {
		const { accountant, accounted } = accountantOf(3, { stopOnError: true });
		accountant.arrive(item(2, { answer: { kind: "repeat", of: 0 } }));
		accountant.arrive(item(1));
		accountant.arrive(item(0, { answer: { kind: "own", outcome: bad } }));
		expect(accounted).toEqual(["0 TOOL_FAILED", "1 STOPPED_BY_ERROR", "2 STOPPED_BY_ERROR"]);
	});

	it.each([
		[
			"throws",
			() => {
				throw new Error("broken");
			},
		],
		["rejects", () => Promise.reject(new Error("broken"))],
		["answers no outcome", () => "fine" as never],
	])("takes an accounting half that %s for that call's own failure", async (_how, account) => {
		const { accountant, accounted } = accountantOf(2);
		accountant.arrive(item(0, { account }));
		accountant.arrive(item(1));
		await accountant.whenAccounted(2);
		expect(accounted).toEqual(["0 POLICY_FAILED", "1 value 1"]);
	});

	it("accounts nothing more once the ledger has refused a line, and lets nobody wait for it", async () => {
		const failures: unknown[] = [];
		const broken = Object.assign(memoryLedger(), {
			append: () => {
				throw new Error("disk full");
			},
		});
		const { accountant, accounted } = accountantOf(2, {
			ledger: broken,
			onFailure: (error) => failures.push(error),
		});
		const waiting = accountant.whenAccounted(2);
		accountant.arrive(item(0));
		accountant.arrive(item(1));
		await waiting;
		expect(accounted).toEqual([]);
		expect(failures).toHaveLength(1);
	});
});
