// What the inline executor promises beyond the contract: no promise for an answer that is there, and a bounded close.

import { expect, it } from "vitest";
import type { Outcome } from "../../engine/core/outcome.js";
import { inlineExecutor } from "../../workers/inline.js";
import { ManualClock } from "../support/manual-clock.js";
import { quietContext } from "../support/quiet-context.js";

const hooks = { onBegan: () => undefined };

function endedOf(work: () => unknown): Outcome | Promise<Outcome> {
	return inlineExecutor().start({ work, args: {}, context: quietContext(), ahead: false, hooks }).ended;
}

it.each([
	["a value", () => 1, { ok: true, value: 1 }],
	["nothing", () => undefined, { ok: true }],
	["a falsy value", () => "", { ok: true, value: "" }],
])("answers %s without a promise", (_what, work, outcome) => {
	expect(endedOf(work)).toEqual(outcome);
});

it("answers a throw without a promise", () => {
	const ended = endedOf(() => {
		throw new TypeError("no");
	});
	expect(ended).toMatchObject({ ok: false, error: { code: "TOOL_FAILED", message: "no" } });
});

it("takes a thenable whose `then` throws for a throw of the tool", async () => {
	const hostile = {
		// biome-ignore lint/suspicious/noThenProperty: that is the fault under test
		get then(): never {
			throw new Error("do not await me");
		},
	};
	expect(await endedOf(() => hostile)).toMatchObject({
		ok: false,
		error: { code: "TOOL_FAILED", message: "do not await me" },
	});
});

it("refuses an answer over the limit, given at once or late", async () => {
	const huge = "x".repeat(40 * 1024 * 1024);
	const refused = { ok: false, error: { code: "OUTPUT_TOO_LARGE", details: { limitBytes: 64 * 1024 * 1024 } } };
	expect(endedOf(() => ({ deep: [{ huge }] }))).toMatchObject(refused);
	expect(await endedOf(async () => huge)).toMatchObject(refused);
});

it("a close waits for what runs, and at its bound says how much it left", async () => {
	const clock = new ManualClock();
	const executor = inlineExecutor(clock);
	const work = (): Promise<never> => new Promise(() => undefined);
	executor.start({ work, args: {}, context: quietContext(), ahead: false, hooks });
	let report: unknown;
	void executor.close(100).then((closed) => {
		report = closed;
	});
	await clock.pass(5_099);
	expect(report).toBeUndefined();
	await clock.pass(1);
	expect(report).toEqual({ abandoned: 1 });
	expect(clock.timersSet).toBe(0);
});
