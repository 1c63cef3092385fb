// An abort while calls are in the hands of their middleware, and what is left afterwards.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KeyedLock } from "../../engine/index.js";
import { HeldWork } from "../support/held-work.js";
import { benchOf, callsOf, linesOf, shorts } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";
import { middlewareOf, rewriting, StandingTools, standingCalls } from "../support/middleware-kit.js";
import { Picks } from "../support/picks.js";

const cases = fc.record({
	effects: fc.array(fc.constantFrom("read" as const, "write" as const), { minLength: 1, maxLength: 6 }),
	alone: fc.subarray([0, 1, 2, 3, 4, 5]),
	schedule: fc.constantFrom("serial", "barriers", "barriers"),
	maxParallelToolCalls: fc.integer({ min: 1, max: 4 }),
	onError: fc.constantFrom("continue", "stop"),
	picks: fc.array(fc.nat(15), { minLength: 1, maxLength: 12 }),
	/** How many picks are played before the abort. */
	playedFirst: fc.nat(14),
});

describe("an abort", () => {
	it("WG2: settles every call at once as what it was doing says, and nothing starts or is left afterwards", async () => {
		const ends = fc.asyncProperty(cases, async ({ effects, alone, picks, playedFirst, ...options }) => {
			const held = new HeldWork();
			const seen = new StandingTools(held.hold);
			const locks = new KeyedLock();
			const waits = middlewareOf(async ({ index }, next) => {
				await held.hold(`before ${index}`);
				const outcome = await next();
				await held.hold(`after ${index}`);
				return outcome;
			});
			const change = Object.fromEntries(alone.map((index) => [index, { safe: false }]));
			const tools = seen.tools;
			const { engine, clock, ledger } = benchOf({ tools, locks, middleware: [waits, rewriting(change)], ...options });
			const host = new AbortController();
			const calls = standingCalls(...effects.map((effect) => ({ effect, safe: true })));
			const running = engine.executeWave(calls, { signal: host.signal });
			const order = new Picks(picks, held);
			for (let played = 0; played < playedFirst; played += 1) await order.once();
			await settled();
			const began = [...seen.began];
			const waiting = new Set(held.waiting);
			host.abort();
			const wave = await running;
			expect(clock.timersSet).toBe(0);
			const expected = effects.map((effect, index) => {
				if (!began.some((one) => one.startsWith(`${index}`))) return "ABORTED_BEFORE_DISPATCH";
				if (!waiting.has(`do ${index}`) && !waiting.has(`after ${index}`)) return `${index}`;
				return effect === "read" ? "ABORTED" : "OUTCOME_UNKNOWN";
			});
			expect(shorts(wave)).toEqual(expected);
			const pairs = effects.flatMap((_, index) => [`tool_called ${index}`, `tool_result ${index}`]);
			expect(await linesOf(ledger)).toEqual(["model_returned", ...pairs]);
			for (let round = 0; round < 4; round += 1) {
				held.releaseAll();
				await settled();
			}
			expect(seen.began).toEqual(began);
			expect([locks.size, held.waiting]).toEqual([0, []]);
		});
		await fc.assert(ends, { numRuns: 400 });
	});

	it("lets none of the calls in that wait for the step alone, in whatever order they began to", async () => {
		const held = new HeldWork();
		const seen = new StandingTools(held.hold);
		const late = middlewareOf(async ({ name, args, index }, next) => {
			await held.hold(`middleware ${index}`);
			return index === 0 ? next() : next({ name, args: { ...args, safe: false } });
		});
		const { engine } = benchOf({ tools: seen.tools, middleware: [late] });
		const host = new AbortController();
		const wave = engine.executeWave(standingCalls({}, {}, {}, {}), { signal: host.signal });
		await settled();
		for (const index of [0, 3, 2, 1]) {
			held.release(`middleware ${index}`);
			await settled();
		}
		host.abort();
		expect(shorts(await wave)).toEqual(["ABORTED", ...Array(3).fill("ABORTED_BEFORE_DISPATCH")]);
		held.releaseAll();
		await settled();
		expect(seen.began).toEqual(["0"]);
	});

	it("WG1: is what a middleware is told when it asks again, and nothing of the call runs any more", async () => {
		const told: string[] = [];
		const retries = middlewareOf(async (_call, next) => {
			for (let time = 0; time < 3; time += 1) {
				const outcome = await next();
				told.push(outcome.ok ? "ok" : outcome.error.code);
			}
			return next();
		});
		const { engine, held, entered } = benchOf({ middleware: [retries] });
		const host = new AbortController();
		const wave = engine.executeWave(callsOf("read 0"), { signal: host.signal });
		await settled();
		host.abort();
		expect(shorts(await wave)).toEqual(["ABORTED"]);
		await settled();
		held.releaseAll();
		await settled();
		expect(told).toEqual(["ABORTED", "ABORTED", "ABORTED"]);
		expect(entered).toEqual(["read 0"]);
	});

	it("of a call that waits for its keys names the reason, as without middleware", async () => {
		const locks = new KeyedLock();
		const seen = new StandingTools();
		const release = await locks.acquire(["k"]);
		const host = new AbortController();
		const { engine } = benchOf({ tools: seen.tools, locks, middleware: [middlewareOf((_call, next) => next())] });
		const wave = engine.executeWave(standingCalls({ name: "keyed", keys: ["k"] }), { signal: host.signal });
		await settled();
		host.abort(new Error("enough"));
		const { results } = await wave;
		expect(results[0]?.outcome).toMatchObject({ error: { code: "ABORTED", cause: { message: "enough" } } });
		release();
		expect(locks.size).toBe(0);
	});

	it("is not waited for by a closing engine whose middleware hangs", async () => {
		const hangs = middlewareOf(() => new Promise(() => undefined));
		const { engine } = benchOf({ middleware: [hangs] });
		const wave = engine.executeWave(callsOf("read 0", "write 1"));
		await settled();
		await engine.close();
		expect(shorts(await wave)).toEqual(["ABORTED_BEFORE_DISPATCH", "ABORTED_BEFORE_DISPATCH"]);
	});
});

describe("a stop on errors", () => {
	it("does not wait for the middleware of later calls", async () => {
		const held = new HeldWork();
		const seen = new StandingTools();
		const slow = middlewareOf(async ({ index }, next) => {
			if (index === 1) await held.hold("middleware");
			return next();
		});
		const { engine } = benchOf({ tools: seen.tools, middleware: [slow], onError: "stop" });
		const wave = await engine.executeWave(standingCalls({ fails: 1 }, {}, {}));
		expect(shorts(wave)).toEqual(["TOOL_FAILED", "STOPPED_BY_ERROR", "STOPPED_BY_ERROR"]);
		held.releaseAll();
		await settled();
		expect(seen.began).toEqual(["0", "2"]);
	});
});
