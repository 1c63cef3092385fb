// Law 15: no deadlock. Whoever waits for keys holds no slot, however deep below it the wait is.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolContext } from "../../engine/core/tool-context.js";
import { type Engine, type EngineOptions, KeyedLock } from "../../engine/index.js";
import { benchOf, callsOf, shorts, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";
import { makesInTurn, NestingTool, passesOn, plans } from "../support/nesting-plans.js";
import { Picks } from "../support/picks.js";

type Acts = (context: ToolContext, engine: Engine) => Promise<unknown>;

const SAFE = { effect: "write", isConcurrencySafe: true } as const;

/**
 * A bench whose `k0` an outsider holds until it is released, with the keyed call `save n`, the call `acts`, which does
 * what the test says, and `down`, which makes that call.
 */
async function crossedBench(acts: Acts, options: Partial<EngineOptions> = {}) {
	const locks = new KeyedLock();
	const saved: unknown[] = [];
	let engine: Engine | undefined;
	const saves = ({ n }: { n?: number | undefined }) => {
		saved.push(n);
		return n;
	};
	const save = toolOf("save", saves, { ...SAFE, lockKeys: (args) => [`k${(args as { n: number }).n}`] });
	const acting = toolOf("acts", (_args, context) => acts(context, engine as Engine), SAFE);
	const takes = toolOf("takes", (_args, { invokeTool }) => invokeTool("save", { n: 0 }), SAFE);
	const down = toolOf("down", (_args, { invokeTool }) => invokeTool("acts", {}), SAFE);
	const bench = benchOf({ tools: [save, acting, takes, down], locks, maxParallelToolCalls: 1, ...options });
	engine = bench.engine;
	return { ...bench, locks, saved, release: await locks.acquire(["k0"]) };
}

/** Runs the calls, lets the outsider go once everyone waits, and gives how the wave ended; nothing where it did not. */
async function endOf({ engine, release }: { engine: Engine; release: () => void }, ...calls: string[]) {
	let outcomes: string[] | undefined;
	void engine.executeWave(callsOf(...calls)).then((wave) => {
		outcomes = shorts(wave);
	});
	await settled();
	release();
	await settled(10);
	return outcomes;
}

const WAITS: readonly (readonly [string, Acts])[] = [
	["a nested call", ({ invokeTool }) => invokeTool("save", { n: 0 })],
	[
		"two nested calls at once",
		({ invokeTool }) => Promise.all([invokeTool("save", { n: 0 }), invokeTool("save", { n: 0 })]).then(() => 0),
	],
	["a call that it makes through the engine", (_context, engine) => engine.invokeTool("save", { n: 0 })],
	["a wave of its own", (_context, engine) => engine.executeWave(callsOf("save 0")).then(() => 0)],
	["keys that it takes while it runs", ({ lock }) => lock(["k0"]).then(() => 0)],
];

describe("Law 15: no deadlock between slots and keys", () => {
	it.each(WAITS)("when the call that has the only slot waits for a key through %s", async (_what, acts) => {
		const bench = await crossedBench(acts);
		expect(await endOf(bench, "save 0", "acts")).toEqual(["0", "0"]);
		expect(bench.locks.size).toBe(0);
	});

	it.each(WAITS)("when a nested call waits for a key through %s", async (_what, acts) => {
		expect(await endOf(await crossedBench(acts), "save 0", "down")).toEqual(["0", "0"]);
	});

	it.each(WAITS)("when a call in the hands of middleware waits for a key through %s", async (_what, acts) => {
		const bench = await crossedBench(acts, { middleware: [passesOn] });
		expect(await endOf(bench, "save 0", "down")).toEqual(["0", "0"]);
	});

	it.each(WAITS)("when parents have all the slots and wait for a key through %s", async (_what, acts) => {
		const bench = await crossedBench(acts, { maxParallelToolCalls: 2 });
		expect(await endOf(bench, "save 0", "acts", "down", "save 0")).toEqual(["0", "0", "0", "0"]);
	});

	it("when the keys of two waves cross, and each wave's only slot is with a parent", async () => {
		const bench = await crossedBench(({ invokeTool }, _engine) => invokeTool("save", { n: 1 }));
		const other = await bench.locks.acquire(["k1"]);
		let crossed: string[] | undefined;
		void bench.engine.executeWave(callsOf("save 1", "takes 0")).then((wave) => {
			crossed = shorts(wave);
		});
		const first = endOf(bench, "save 0", "acts");
		await settled();
		other();
		expect(await first).toEqual(["0", "1"]);
		expect(crossed).toEqual(["1", "0"]);
	});

	it.each(WAITS.filter(([what]) => what !== "a wave of its own"))(
		"and the call has a slot again before it goes on from %s",
		async (what, acts) => {
			const went: string[] = [];
			const bench = await crossedBench(async (context, engine) => {
				await acts(context, engine);
				went.push("on");
			});
			const wave = bench.engine.executeWave(callsOf("acts", "note 1"));
			await settled();
			bench.release();
			await settled();
			expect([bench.held.waiting, bench.saved, went]).toEqual([["note 1"], [], []]);
			bench.held.release("note 1");
			expect(shorts(await wave)).toEqual(["nothing", "1"]);
			expect([bench.saved.length > 0, went]).toEqual([!what.startsWith("keys"), ["on"]]);
		},
	);

	it("whatever calls take, make, wait for or do not, and whatever settles first", async () => {
		const cases = fc.record({
			plans,
			maxParallelToolCalls: fc.integer({ min: 1, max: 3 }),
			schedule: fc.constantFrom("barriers", "leading-reads", "serial"),
			middleware: fc.constantFrom([], [passesOn]),
			picks: fc.array(fc.nat(15), { minLength: 1, maxLength: 12 }),
		});
		const ends = fc.asyncProperty(cases, async ({ plans: calls, picks, ...options }) => {
			let engine: Engine | undefined;
			const nesting = new NestingTool(() => engine as Engine);
			const locks = new KeyedLock();
			const bench = benchOf({ ...options, tools: [nesting.tool], locks });
			engine = bench.engine;
			const wave = engine.executeWave(
				calls.map((args) => ({ id: "", name: "nest", args })),
				{ runId: "own" },
			);
			const { results } = await new Picks(picks, nesting.held).drive(nesting.allOf(wave));
			expect(results.map(({ outcome }) => outcome.ok)).toEqual(calls.map(() => true));
			expect(locks.size).toBe(0);
			// A parent has a slot again when it goes on, so no more calls are at work than the cap lets.
			if (calls.every(makesInTurn)) expect(nesting.mostAtWork).toBeLessThanOrEqual(options.maxParallelToolCalls);
		});
		await fc.assert(ends, { numRuns: 500 });
	});
});
