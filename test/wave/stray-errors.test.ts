// What a wave is told to have failed of: the ledger where the ledger failed, and whatever else it was where it did not.

import { describe, expect, it } from "vitest";
import { POLICY_MS_MAX } from "../../engine/core/limits.js";
import {
	createEngine,
	executeConcurrent,
	type Ledger,
	memoryLedger,
	type Policy,
	serialFace,
} from "../../engine/index.js";
import { benchOf, callsOf, shorts, toolOf } from "../support/law-kit.js";
import { ManualClock, settled } from "../support/manual-clock.js";
import { asking, lasting, reloaded } from "../support/pause-kit.js";

const full = new Error("the disk is full");
const throws = (): never => {
	throw full;
};

/** A ledger of the host's own that fails in its own words. */
function failing(how: "append" | "barrier" | "barrier at once"): Ledger {
	const memory = memoryLedger();
	return {
		append: how === "append" ? throws : (records) => memory.append(records),
		barrier: how === "barrier" ? () => Promise.reject(full) : how === "append" ? () => memory.barrier() : throws,
		entries: () => memory.entries(),
		intents: () => memory.intents(),
		records: () => memory.records(),
		close: () => memory.close(),
	};
}

describe("a ledger that fails in words of its own", () => {
	it.each(["append", "barrier", "barrier at once"] as const)("fails the wave as LEDGER_FAILED (%s)", async (how) => {
		const said = { code: "LEDGER_FAILED", cause: full, message: expect.stringContaining("the disk is full") };
		const { engine } = benchOf({ tools: [toolOf("plain", () => 1)], ledger: failing(how) });
		await expect(engine.executeWave(callsOf("plain"))).rejects.toMatchObject(said);
		const face = serialFace(() => ({ ok: true, value: 1 }));
		await expect(executeConcurrent(face, callsOf("a"), { ledger: failing(how) })).rejects.toMatchObject(said);
	});

	it("fails a wave that pauses as LEDGER_FAILED", async () => {
		const { tool } = asking("ask", 1);
		for (const how of ["barrier", "barrier at once"] as const) {
			const { engine } = benchOf({ tools: [tool], ledger: failing(how) });
			await expect(engine.executeWave(callsOf("ask 0"))).rejects.toMatchObject({ code: "LEDGER_FAILED", cause: full });
		}
	});
});

describe("an error that is not the ledger's", () => {
	it.each(["now", "setTimer"] as const)("is told as what it is (a clock whose %s throws)", async (member) => {
		const clock = new ManualClock();
		const broken = new TypeError("this clock is broken");
		const breakIt = (): void => {
			clock[member] = () => {
				throw broken;
			};
		};
		const breaks = toolOf("breaks", () => settled().then(breakIt));
		const waits = toolOf("waits", () => new Promise(() => undefined));
		const engine = createEngine({ tools: [breaks, waits], clock, maxParallelToolCalls: 1 });
		await expect(engine.executeWave(callsOf("breaks", "waits"))).rejects.toBe(broken);
	});

	it("is no failure of the wave where it is a policy's that hangs as it is told what happened before a pause", async () => {
		const { tool } = asking("ask", 1);
		const plain = toolOf("plain", () => 1);
		const ledger = lasting(memoryLedger());
		const { engine } = benchOf({ tools: [tool, plain], ledger });
		const paused = await engine.executeWave(callsOf("plain", "ask 1"));
		const hangs: Policy = {
			name: "hangs",
			account: (call) => (call.name === "plain" ? new Promise(() => {}) : undefined),
		};
		const other = benchOf({ tools: [tool, plain], ledger, policies: [hangs] });
		const [question] = paused.questions;
		const resumed = other.engine.resume(reloaded(paused.checkpoint), { answers: { [question?.id ?? ""]: "yes" } });
		await other.clock.pass(POLICY_MS_MAX * 2);
		expect(shorts(await resumed)[0]).toBe("1");
	});

	it.each(["isConcurrencySafe", "lockKeys", "timeoutMs", "approval", "observed", "idempotent", "title"])(
		"is POLICY_FAILED for its call alone where a registration's %s throws",
		async (member) => {
			const meta = (name: string) => ({ name, effect: "write" as const, idempotent: true });
			const face = {
				metaOf: ({ id, name }: { id: string; name: string }) =>
					id === "id-1" ? Object.defineProperty(meta(name), member, { enumerable: true, get: throws }) : meta(name),
				admit: () => ({ cleared: 1 }),
				tool: () => ({ invoke: async () => ({ ok: true as const, value: 1 }) }),
				account: (_call: unknown, _ticket: number, outcome: never) => outcome,
			};
			expect(shorts(await executeConcurrent(face, callsOf("a", "b", "c")))).toEqual(["1", "POLICY_FAILED", "1"]);
		},
	);
});
