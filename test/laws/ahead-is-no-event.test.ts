// Law 5: what ran ahead is not an event. It reaches the ledger and the model only if the reply ends well and admission
// clears the same call.

import { describe, expect, it } from "vitest";
import type { Policy } from "../../engine/policy/policy.js";
import { benchOf, callsOf, entriesOf, linesOf, shorts, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";

const [first, second] = callsOf("read 0", "read 1") as [ReturnType<typeof callsOf>[0], ReturnType<typeof callsOf>[0]];

describe("Law 5: ahead is not an event", () => {
	it("a read that ran ahead runs once, and its answer is used when the reply ends well", async () => {
		const { engine, held, ledger, entered, events } = benchOf();
		const step = engine.openStep({});
		step.offer(first);
		step.offer(second);
		await settled();
		expect(entered).toEqual(["read 0", "read 1"]);
		held.release("read 1");
		await settled();
		expect(await linesOf(ledger)).toEqual([]);
		const running = step.settle();
		held.release("read 0");
		const wave = await running;
		expect(shorts(wave)).toEqual(["0", "1"]);
		expect(wave.results.map(({ ahead }) => ahead)).toEqual([true, true]);
		expect(entered).toEqual(["read 0", "read 1"]);
		expect(events.filter(({ kind }) => kind === "ahead_used")).toHaveLength(2);
	});

	it.each(["failed", "restarted", "cancelled"] as const)(
		"a reply that %s leaves nothing in the ledger",
		async (reason) => {
			const { engine, held, ledger, entered, events } = benchOf();
			const step = engine.openStep({});
			step.offer(first);
			step.offer(second);
			await settled();
			held.release("read 0");
			await settled();
			await step.discard(reason);
			held.releaseAll();
			await settled();
			expect(entered).toEqual(["read 0", "read 1"]);
			expect(await entriesOf(ledger)).toEqual([]);
			const discarded = events.filter((event) => event.kind === "ahead_discarded");
			expect(discarded.map((event) => event.kind === "ahead_discarded" && event.reason)).toEqual([reason, reason]);
		},
	);

	it.each(["length", "filtered"] as const)(
		"a reply cut by %s runs nothing and accounts each whole call",
		async (reason) => {
			const { engine, held, ledger, entered } = benchOf();
			const step = engine.openStep({});
			const calls = callsOf("read 0", "write 1", "missing 2");
			for (const call of calls) step.offer(call);
			await settled();
			expect(entered).toEqual(["read 0"]);
			held.releaseAll();
			await step.discard(reason);
			await settled();
			expect(entered).toEqual(["read 0"]);
			const entries = await entriesOf(ledger);
			const outcomes = entries.filter(({ kind }) => kind === "tool_result").map(({ data }) => data.outcome);
			const incomplete = expect.objectContaining({
				ok: false,
				error: expect.objectContaining({ code: "RESPONSE_INCOMPLETE" }),
			});
			expect(outcomes).toEqual([incomplete, incomplete, incomplete]);
		},
	);

	it("a cut reply is accounted whole: nobody is asked about it, and none of its calls stops another", async () => {
		const { engine } = benchOf({ onError: "stop" });
		const asked: number[] = [];
		const step = engine.openStep({
			stillGoing(index) {
				asked.push(index);
				return "cancel";
			},
		});
		for (const call of callsOf("write 0", "missing 1", "read 2")) step.offer(call);
		const wave = await step.discard("length");
		const incomplete = "RESPONSE_INCOMPLETE";
		expect(shorts(wave)).toEqual([incomplete, incomplete, incomplete]);
		expect(asked).toEqual([]);
	});

	it("a call whose arguments the reply closed with are others is run anew", async () => {
		const { engine, held, entered, events } = benchOf();
		const step = engine.openStep({});
		step.offer({ ...first, args: { n: 9 } });
		await settled();
		held.release("read 9");
		const running = step.settle([first]);
		await settled();
		held.release("read 0");
		expect(shorts(await running)).toEqual(["0"]);
		expect(entered).toEqual(["read 9", "read 0"]);
		expect(events.filter((event) => event.kind === "ahead_discarded")).toMatchObject([
			{ reason: "not the admitted call" },
		]);
	});

	it("a call whose arguments came as text in another order of fields is the same call", async () => {
		const { engine, held, entered } = benchOf();
		const step = engine.openStep({});
		step.offer({ ...first, args: '{"m": 1, "n": 4}' });
		await settled();
		const running = step.settle([{ ...first, args: { n: 4, m: 1 } }]);
		held.release("read 4");
		expect(shorts(await running)).toEqual(["4"]);
		expect(entered).toEqual(["read 4"]);
	});

	it("an answer that admission then refuses reaches neither the model nor the ledger", async () => {
		const none: Policy = {
			name: "none",
			admit: () => ({ deny: { rule: "r", violation: "No.", alternative: "Else." } }),
		};
		const secret = toolOf("secret", () => "a secret");
		const { engine, ledger } = benchOf({ tools: [secret], policies: [none] });
		const step = engine.openStep({});
		step.offer({ id: "a", name: "secret", args: {} });
		await settled();
		const wave = await step.settle();
		expect(shorts(wave)).toEqual(["DENIED"]);
		expect(JSON.stringify([wave, await entriesOf(ledger)])).not.toContain("a secret");
	});

	it("a step takes no more once it was settled or thrown away", async () => {
		const { engine } = benchOf();
		const settledStep = engine.openStep({});
		await settledStep.settle([]);
		expect(() => settledStep.offer(first)).toThrow(expect.objectContaining({ code: "STEP_CLOSED" }));
		const discarded = engine.openStep({});
		await discarded.discard("failed");
		await expect(async () => discarded.settle()).rejects.toMatchObject({ code: "STEP_CLOSED" });
	});
});
