// The last word of policies: when it is asked for, what it is told, and what becomes of a call that it ends.

import { describe, expect, it } from "vitest";
import {
	approvals,
	type BeginView,
	createEngine,
	type Effect,
	type JsonValue,
	type Middleware,
	memoryLedger,
	type Policy,
	type ToolCall,
	tool,
	toolLocks,
} from "../../engine/index.js";
import { anything } from "../support/law-kit.js";
import { entriesOf } from "../support/wave-driver.js";

const NO = { deny: { rule: "late", violation: "It is too late.", alternative: "Call earlier." } };

interface World {
	readonly begin: NonNullable<Policy["begin"]>;
	readonly effect?: Effect;
	readonly execute?: () => unknown;
	readonly policies?: readonly Policy[];
	readonly middleware?: readonly Middleware[];
}

/** Runs one call of a tool that holds the key `k`; what happens is told in the order that it happens in. */
async function ran({ begin, effect = "write", execute, policies = [], middleware = [] }: World) {
	const told: string[] = [];
	const watching: Policy = {
		name: "watching",
		admit: () => {
			told.push("admitted");
			return "clear";
		},
		begin: (call, view) => {
			told.push("begins");
			return begin(call, view);
		},
		account: (_call, outcome) => void told.push(`accounted ${outcome.ok ? "ok" : outcome.error.code}`),
	};
	const act = tool({
		name: "act",
		parameters: anything,
		effect,
		lockKeys: () => ["k"],
		execute: () => {
			told.push("acts");
			return (execute?.() ?? null) as JsonValue;
		},
	});
	const ledger = memoryLedger();
	const durable = ledger.barrier.bind(ledger);
	ledger.barrier = () => {
		told.push("barrier");
		return durable();
	};
	const asker = () => {
		told.push("asked");
		return true;
	};
	const engine = createEngine({ tools: [act], policies: [...policies, watching], ledger, middleware, asker });
	const wave = await engine.executeWave([{ id: "c", name: "act", args: {} }], { runId: "run" });
	await engine.close();
	return { told, outcome: wave.results[0]?.outcome, entries: await entriesOf(ledger) };
}

describe("a policy's last word on a call", () => {
	it("is asked for when a person has been, with the call's keys held and before its intent is written", async () => {
		const views: BeginView[] = [];
		const free: boolean[] = [];
		const begin = (_call: ToolCall, view: BeginView) => {
			views.push(view);
			free.push(toolLocks.isFree(["k"]));
			return "clear" as const;
		};
		const { told } = await ran({ begin, policies: [approvals()] });
		const from = told.indexOf("asked");
		expect(told.slice(from, told.indexOf("acts") + 1)).toEqual(["asked", "begins", "barrier", "acts"]);
		expect(views).toMatchObject([{ runId: "run", index: 0, effect: "write", held: ["k"], alone: true }]);
		expect(free).toEqual([false]);
		expect(views[0]?.again).toBeUndefined();
	});

	it("is not asked for of a read", async () => {
		const { told } = await ran({ begin: () => NO, effect: "read" });
		expect(told).toContain("acts");
		expect(told).not.toContain("begins");
	});

	it.each<[string, World["begin"], string]>([
		["refuses it", () => NO, "DENIED"],
		["refuses it by a promise", async () => NO, "DENIED"],
		[
			"throws",
			() => {
				throw new Error("no idea");
			},
			"POLICY_FAILED",
		],
		["rejects", () => Promise.reject(new Error("no idea")), "POLICY_FAILED"],
		["says what is no verdict", () => "yes" as never, "POLICY_FAILED"],
		["wants a person asked", () => ({ ask: "Sure?" }) as never, "DENIED"],
	])(
		"ends the call where it %s: it does not act, is accounted, and lets go of its keys",
		async (_what, begin, code) => {
			const { told, outcome, entries } = await ran({ begin });
			expect(outcome).toMatchObject({ ok: false, error: { code } });
			expect(told).not.toContain("acts");
			expect(told).toContain(`accounted ${code}`);
			expect(entries.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["tool_called", "tool_result"]));
			expect(toolLocks.isFree(["k"])).toBe(true);
		},
	);

	it("is asked for again of each attempt that a middleware makes", async () => {
		let attempts = 0;
		const execute = () => {
			attempts += 1;
			if (attempts === 1) throw new Error("not yet");
			return attempts;
		};
		const twice: Middleware = {
			name: "twice",
			wrapToolCall: async (call, next) => {
				const first = await next(call);
				return first.ok ? first : next(call);
			},
		};
		const { told, outcome } = await ran({ begin: () => "clear", execute, middleware: [twice] });
		expect(outcome).toMatchObject({ ok: true, value: 2 });
		expect(told.filter((what) => what === "begins")).toHaveLength(2);
	});
});
