// What a tool says it read, before its early start and at its admission.

import { describe, expect, it } from "vitest";
import { OBSERVED_MS_MAX } from "../../engine/core/limits.js";
import { type Bench, benchOf, callsOf, shorts, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";

interface StampedBench extends Bench {
	/** What `observed` answers, in turn; the last stands. */
	readonly stamps: unknown[];
}

/** A bench with the read `look n`, which waits to be released as `look n`; a stamp that is an error is thrown. */
function stampedOf(...stamps: unknown[]): StampedBench {
	const look = toolOf(
		"look",
		async ({ n = 0 }) => {
			bench.entered.push(`look ${n}`);
			await bench.held.hold(`look ${n}`);
			return n;
		},
		{
			observed: (args) => {
				expect(args).toEqual({ n: 0 });
				const stamp = stamps.length > 1 ? stamps.shift() : stamps[0];
				if (stamp instanceof Error) throw stamp;
				return stamp;
			},
		},
	);
	const bench = benchOf({ tools: [look] });
	return { ...bench, stamps };
}

async function offered(bench: Bench) {
	const step = bench.engine.openStep();
	for (const call of callsOf("look 0")) step.offer(call);
	await settled();
	return step;
}

async function settledWave(bench: Bench, step: Awaited<ReturnType<typeof offered>>): Promise<string[]> {
	const wave = step.settle();
	await settled();
	bench.held.releaseAll();
	await settled();
	bench.held.releaseAll();
	return shorts(await wave);
}

const discarded = ({ events }: Bench): string[] =>
	events.flatMap((event) => (event.kind === "ahead_discarded" ? [event.reason] : []));

describe("an early start whose tool says what it read", () => {
	it.each([
		["a value", { size: 3, at: [1, 2] }, { at: [1, 2], size: 3 }],
		["a promise", Promise.resolve("same"), Promise.resolve("same")],
		["null", null, null],
		["a large number", 12n, 12n],
	])("is used when %s is the same at its admission", async (_kind, before, now) => {
		const bench = stampedOf(before, now);
		const step = await offered(bench);
		expect(bench.entered).toEqual(["look 0"]);
		expect(await settledWave(bench, step)).toEqual(["0"]);
		expect(bench.entered).toEqual(["look 0"]);
	});

	it.each([
		["is another one", 1, 2],
		["is another one by a promise", Promise.resolve(1), Promise.resolve(2)],
		["cannot be told any more", 1, new Error("gone")],
		["is a rejection", 1, Promise.reject(new Error("gone")).catch(() => Promise.resolve(undefined))],
	])("EC2: runs again when the stamp at its admission %s", async (_kind, before, now) => {
		const bench = stampedOf(before, now);
		const step = await offered(bench);
		expect(await settledWave(bench, step)).toEqual(["0"]);
		expect(bench.entered).toEqual(["look 0", "look 0"]);
		expect(discarded(bench)).toEqual(["what it read moved"]);
	});

	it.each([
		["throws", new Error("no")],
		["answers nothing", undefined],
		["answers what is not data", () => 1],
	])("does not start early where observed %s, and the call runs all the same", async (_kind, stamp) => {
		const bench = stampedOf(stamp);
		const step = await offered(bench);
		expect(bench.entered).toEqual([]);
		expect(await settledWave(bench, step)).toEqual(["0"]);
	});

	it("does not start before its stamp is there, and not at all once the reply has ended", async () => {
		let tell: (stamp: number) => void = () => undefined;
		const bench = stampedOf(new Promise((resolve) => (tell = resolve)), 1);
		const step = await offered(bench);
		const wave = step.settle();
		tell(1);
		await settled();
		expect(bench.events.filter((event) => event.kind === "call_began").map((event) => event.ahead)).toEqual([false]);
		bench.held.releaseAll();
		await wave;
	});

	it("EC2: is thrown away when its tool does not say at admission what it reads, within a bound", async () => {
		const bench = stampedOf(1, new Promise(() => undefined));
		const step = await offered(bench);
		const wave = step.settle();
		await bench.clock.pass(OBSERVED_MS_MAX - 1);
		expect(bench.entered).toEqual(["look 0"]);
		await bench.clock.pass(1);
		expect(bench.entered).toEqual(["look 0", "look 0"]);
		bench.held.releaseAll();
		expect(shorts(await wave)).toEqual(["0"]);
	});

	it("is neither used nor left running when the wave is aborted while it is looked at", async () => {
		const controller = new AbortController();
		const bench = stampedOf(1, new Promise(() => undefined));
		const step = bench.engine.openStep({ signal: controller.signal });
		for (const call of callsOf("look 0")) step.offer(call);
		await settled();
		const wave = step.settle();
		await settled();
		controller.abort();
		expect(shorts(await wave)).toEqual(["ABORTED_BEFORE_DISPATCH"]);
		expect(discarded(bench)).toEqual(["not the admitted call"]);
	});
});
