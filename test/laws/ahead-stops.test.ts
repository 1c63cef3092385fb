// Law 6: ahead stops at the first call that is not a read, by index and not by arrival.

import { describe, expect, it } from "vitest";
import type { EngineOptions } from "../../engine/index.js";
import { type Bench, benchOf, callsOf, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";

/** Offers calls, each at its index, and lets everything start that will. */
async function offered(at: Record<number, string>, options: Partial<EngineOptions> = {}): Promise<Bench> {
	const bench = benchOf(options);
	const step = bench.engine.openStep({});
	for (const [index, written] of Object.entries(at)) {
		const [call] = callsOf(written);
		if (call !== undefined) step.offer(call, Number(index));
	}
	await settled();
	return bench;
}

describe("Law 6: ahead stops at the first call that is not a read", () => {
	it("so nothing after a write starts, and the write does not either", async () => {
		expect((await offered({ 0: "read 0", 1: "write 1", 2: "read 2" })).entered).toEqual(["read 0"]);
	});

	it("nor after a write that may run beside others", async () => {
		expect((await offered({ 0: "read 0", 1: "note 1", 2: "read 2" })).entered).toEqual(["read 0"]);
	});

	it("nor after a read that must have the step alone, and that read does not start either", async () => {
		const entered: string[] = [];
		const alone = toolOf("alone", ({ n }) => entered.push(`alone ${n}`), { isConcurrencySafe: false });
		const bench = await offered({ 0: "read 0", 1: "alone 1", 2: "read 2" }, { tools: [alone] });
		expect([bench.entered, entered]).toEqual([["read 0"], []]);
	});

	it("nor after a tool that nobody knows", async () => {
		expect((await offered({ 0: "missing 0", 1: "read 1" })).entered).toEqual([]);
	});

	it("nor while a call of lower index has not arrived, and then in call order", async () => {
		const { engine, entered } = benchOf();
		const step = engine.openStep({});
		const [zero, one, two] = callsOf("read 0", "read 1", "read 2");
		if (zero === undefined || one === undefined || two === undefined) throw new Error("three calls were written");
		step.offer(two, 2);
		step.offer(one, 1);
		await settled();
		expect(entered).toEqual([]);
		step.offer(zero, 0);
		await settled();
		expect(entered).toEqual(["read 0", "read 1", "read 2"]);
	});

	it("nor when the lower index turns out to be a write after the read had arrived", async () => {
		const { engine, entered } = benchOf();
		const step = engine.openStep({});
		const [zero, one] = callsOf("write 0", "read 1");
		if (zero === undefined || one === undefined) throw new Error("two calls were written");
		step.offer(one, 1);
		step.offer(zero, 0);
		await settled();
		expect(entered).toEqual([]);
	});

	it("a read that reaches outside starts early only where the host said any", async () => {
		expect((await offered({ 0: "fetch 0" })).entered).toEqual([]);
		expect((await offered({ 0: "fetch 0" }, { ahead: "any" })).entered).toEqual(["fetch 0"]);
	});

	it("and nothing at all starts early where the host said false", async () => {
		expect((await offered({ 0: "read 0" }, { ahead: false })).entered).toEqual([]);
	});

	it("the effect of the call decides, not the tool's usual one", async () => {
		const entered: string[] = [];
		const mixed = toolOf("mixed", ({ n }) => entered.push(`mixed ${n}`), {
			effect: (args: unknown) => ((args as { n: number }).n === 0 ? "read" : "write"),
		});
		await offered({ 0: "mixed 0", 1: "mixed 1", 2: "mixed 0" }, { tools: [mixed] });
		expect(entered).toEqual(["mixed 0"]);
	});

	it("no more start early than may run at once", async () => {
		const options = { maxParallelToolCalls: 2 };
		const { entered, held } = await offered({ 0: "read 0", 1: "read 1", 2: "read 2" }, options);
		expect(entered).toEqual(["read 0", "read 1"]);
		held.release("read 0");
		await settled();
		expect(entered).toEqual(["read 0", "read 1", "read 2"]);
	});
});
