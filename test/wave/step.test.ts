// A step: what a reply that streams can come to.

import { describe, expect, it } from "vitest";
import { WAVE_CALLS_MAX } from "../../engine/core/limits.js";
import type { BadEnd } from "../../engine/index.js";
import { benchOf, callsOf, linesOf, shorts, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";

describe("a step", () => {
	it("ST1: is settled or discarded once, and says which it was to whoever comes after", async () => {
		const { engine, held } = benchOf();
		const [settledStep, discardedStep] = [engine.openStep(), engine.openStep()];
		const wave = settledStep.settle(callsOf("read 0"));
		await settled();
		held.releaseAll();
		await wave;
		await discardedStep.discard("failed");
		await expect(settledStep.settle()).rejects.toMatchObject({
			code: "STEP_CLOSED",
			message: expect.stringMatching(/settled already/),
		});
		await expect(discardedStep.discard("failed")).rejects.toMatchObject({
			message: expect.stringMatching(/discarded already/),
		});
		const [call] = callsOf("read 0");
		expect(() => call && discardedStep.offer(call)).toThrow(/discarded already/);
	});

	it.each(["failed", "cancelled", "restarted"] as const)(
		"ST2: that ended as %s runs nothing and writes nothing",
		async (reason) => {
			const { engine, ledger, entered } = benchOf();
			const step = engine.openStep();
			for (const call of callsOf("write 0", "read 1")) step.offer(call);
			expect(await step.discard(reason)).toMatchObject({ status: "aborted", results: [] });
			expect(entered).toEqual([]);
			expect(await linesOf(ledger)).toEqual([]);
		},
	);

	it.each(["bogus", undefined, "timeout"])("cannot be discarded as %j, and stays open", async (reason) => {
		const { engine, held } = benchOf();
		const step = engine.openStep();
		for (const call of callsOf("read 0")) step.offer(call);
		await expect(step.discard(reason as BadEnd)).rejects.toMatchObject({
			code: "INVALID_OPTIONS",
			message: expect.stringContaining("none of length, filtered, failed, restarted, cancelled"),
		});
		const wave = step.settle();
		await settled();
		held.releaseAll();
		expect(shorts(await wave)).toEqual(["0"]);
	});

	it.each(["length", "filtered"] as const)(
		"ST2: that was cut (%s) accounts each whole call and runs none",
		async (reason) => {
			const { engine, ledger, entered } = benchOf();
			const step = engine.openStep();
			for (const call of callsOf("write 0", "missing 1")) step.offer(call);
			expect(shorts(await step.discard(reason))).toEqual(["RESPONSE_INCOMPLETE", "RESPONSE_INCOMPLETE"]);
			expect(entered).toEqual([]);
			expect(await linesOf(ledger)).toHaveLength(5);
		},
	);

	it("takes the calls of the new attempt after a restart, from its first place on", async () => {
		const { engine, held, entered } = benchOf();
		const step = engine.openStep();
		for (const call of callsOf("read 0", "read 1")) step.offer(call);
		await step.discard("restarted");
		for (const call of callsOf("read 7")) step.offer(call);
		await settled();
		expect(entered).toEqual(["read 0", "read 1", "read 7"]);
		held.releaseAll();
		expect(shorts(await step.settle())).toEqual(["7"]);
	});

	it("refuses to settle on what was offered while a place is empty, and names it", async () => {
		const { engine } = benchOf();
		const step = engine.openStep();
		const [call] = callsOf("read 0");
		if (call !== undefined) step.offer(call, 2);
		await expect(step.settle()).rejects.toMatchObject({
			code: "INVALID_OPTIONS",
			message: expect.stringMatching(/call 0 was never offered/),
		});
	});

	it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, WAVE_CALLS_MAX, 2 ** 32, 2 ** 53])(
		"refuses a call at the place %d, where no list would keep it",
		async (place) => {
			const step = benchOf().engine.openStep();
			for (const call of callsOf("read 0")) expect(() => step.offer(call, place)).toThrow(/its index is/);
			expect(shorts(await step.settle())).toEqual([]);
		},
	);

	it("that settles while a schema never answers ends at once when it is aborted", async () => {
		const never = {
			"~standard": { version: 1 as const, vendor: "test", validate: () => new Promise<never>(() => undefined) },
		};
		const slow = toolOf("slow", () => "ran", { parameters: never });
		const { engine } = benchOf({ tools: [slow] });
		const controller = new AbortController();
		const step = engine.openStep({ signal: controller.signal });
		for (const call of callsOf("slow 0", "read 1")) step.offer(call);
		const wave = step.settle();
		await settled();
		controller.abort();
		expect(await wave).toMatchObject({ status: "aborted" });
		expect(shorts(await wave)).toEqual(["ABORTED_BEFORE_DISPATCH", "ABORTED_BEFORE_DISPATCH"]);
	});

	it("starts nothing early once its signal has aborted", async () => {
		const controller = new AbortController();
		const { engine, entered } = benchOf();
		const step = engine.openStep({ signal: controller.signal });
		controller.abort();
		for (const call of callsOf("read 0")) step.offer(call);
		await settled();
		expect(entered).toEqual([]);
		expect(shorts(await step.settle())).toEqual(["ABORTED_BEFORE_DISPATCH"]);
	});
});
