// Calls that middleware made ones that are not safe, beside others of their step.

import { describe, expect, it } from "vitest";
import { KeyedLock } from "../../engine/index.js";
import { DispatchGate } from "../../engine/wave/dispatch-gate.js";
import { HeldWork } from "../support/held-work.js";
import { type Bench, benchOf, shorts } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";
import { middlewareOf, rewriting, StandingTools, standingCalls } from "../support/middleware-kit.js";

const ALONE = { effect: "write" } as const;

/** Releases what waits, one after another, and says what waited each time. */
async function rounds(held: HeldWork, wave: Promise<{ readonly results: Parameters<typeof shorts>[0]["results"] }>) {
	const seen: string[] = [];
	for (await settled(); held.waiting.length > 0; await settled()) {
		seen.push(held.waiting.map((label) => label.replace("do ", "")).join(" "));
		held.releaseAll();
	}
	return { seen, outcomes: shorts(await wave) };
}

function heldBench(options: Parameters<typeof benchOf>[0]): Bench & { readonly seen: StandingTools } {
	const held = new HeldWork();
	const seen = new StandingTools(held.hold);
	return { ...benchOf({ tools: seen.tools, ...options }), held, seen };
}

describe("a safe call that middleware makes one that is not", () => {
	it("waits for the calls beside it, runs alone, and those after it wait for it", async () => {
		const { engine, held, seen } = heldBench({ middleware: [rewriting({ 1: ALONE })] });
		const wave = engine.executeWave(standingCalls({}, {}, {}, {}));
		expect(await rounds(held, wave)).toEqual({ seen: ["0", "1", "2 3"], outcomes: ["0", "1", "2", "3"] });
		expect(seen.faults).toEqual([]);
	});

	it("waits for later calls too that run by the time it is seen", async () => {
		const slow = middlewareOf(async ({ name, args, index }, next) => {
			if (index !== 1) return next();
			await held.hold("do rewriting");
			return next({ name, args: { ...args, ...ALONE } });
		});
		const { engine, held } = heldBench({ middleware: [slow] });
		const wave = engine.executeWave(standingCalls({}, {}, {}));
		await settled();
		expect(held.waiting).toEqual(["do rewriting", "do 0", "do 2"]);
		held.release("do rewriting");
		await settled();
		held.release("do 0");
		await settled();
		expect(held.waiting).toEqual(["do 2"]);
		expect(await rounds(held, wave)).toEqual({ seen: ["2", "1"], outcomes: ["0", "1", "2"] });
	});

	it("DG1: has the step in call order with others like it, though a later one was seen first", async () => {
		const late = middlewareOf(async ({ name, args, index }, next) => {
			await held.hold(`do middleware ${index}`);
			return next({ name, args: { ...args, ...ALONE } });
		});
		const { engine, held } = heldBench({ middleware: [late] });
		const wave = engine.executeWave(standingCalls({}, {}, {}));
		await settled();
		for (const index of [2, 1, 0]) {
			held.release(`do middleware ${index}`);
			await settled();
		}
		expect(await rounds(held, wave)).toEqual({ seen: ["0", "1", "2"], outcomes: ["0", "1", "2"] });
	});

	it("DG2: keeps the step for all its attempts, and what it makes of itself in the last of them", async () => {
		const retries = middlewareOf(async ({ name, args, index }, next) => {
			if (index !== 0) return next();
			await next({ name, args: { ...args, ...ALONE, fails: 1 } });
			await held.hold("do between");
			return next();
		});
		const { engine, held } = heldBench({ middleware: [retries] });
		const wave = engine.executeWave(standingCalls({}, {}));
		expect(await rounds(held, wave)).toEqual({ seen: ["0", "between", "0", "1"], outcomes: ["0", "1"] });
	});

	it.each([1, 2, 9])("completes under a cap of %i, which holds all the while", async (maxParallelToolCalls) => {
		const middleware = [rewriting({ 0: ALONE, 2: ALONE, 3: ALONE })];
		const { engine, held, seen } = heldBench({ middleware, maxParallelToolCalls });
		const wave = engine.executeWave(standingCalls({}, {}, {}, {}, {}, {}));
		expect((await rounds(held, wave)).outcomes).toEqual(["0", "1", "2", "3", "4", "5"]);
		expect(seen.mostAtOnce).toBeLessThanOrEqual(maxParallelToolCalls);
		expect(seen.faults).toEqual([]);
	});

	it("SP1: leaves its slot to calls that still run, which then need one again for their keys", async () => {
		const locks = new KeyedLock();
		const middleware = [rewriting({ 1: ALONE })];
		const { engine, held } = heldBench({ middleware, locks, maxParallelToolCalls: 2 });
		const release = await locks.acquire(["k"]);
		const wave = engine.executeWave(standingCalls({ name: "keyed", keys: ["k"] }, {}, {}, {}));
		await settled();
		expect(held.waiting).toEqual([]);
		release();
		expect(await rounds(held, wave)).toEqual({ seen: ["0", "1", "2 3"], outcomes: ["0", "1", "2", "3"] });
	});

	it("takes its keys inside, so a call that waits for the step keeps nobody from a key", async () => {
		const locks = new KeyedLock();
		const middleware = [rewriting({ 1: { ...ALONE, keys: ["k"] } })];
		const { engine, held } = heldBench({ middleware, locks });
		const wave = engine.executeWave(standingCalls({ name: "keyed" }, { name: "keyed" }));
		await settled();
		expect(locks.isFree(["k"])).toBe(true);
		expect(await rounds(held, wave)).toEqual({ seen: ["0", "1"], outcomes: ["0", "1"] });
	});

	it("is one at a time under a stop on errors where it writes, though it is safe", async () => {
		const middleware = [rewriting({ 0: { ...ALONE, safe: true, fails: 1 }, 1: { ...ALONE, safe: true } })];
		const { engine, held, seen } = heldBench({ middleware, onError: "stop" });
		const wave = engine.executeWave(standingCalls({}, {}));
		expect(await rounds(held, wave)).toEqual({ seen: ["0"], outcomes: ["TOOL_FAILED", "STOPPED_BY_ERROR"] });
		expect(seen.began).toEqual(["0 as write"]);
	});

	it("counts the wait as waiting for the gate", async () => {
		const { engine, held, clock } = heldBench({ middleware: [rewriting({ 1: ALONE })] });
		const wave = engine.executeWave(standingCalls({}, {}));
		await clock.pass(30);
		held.releaseAll();
		await clock.pass(20);
		held.releaseAll();
		const { results } = await wave;
		expect(results.map(({ timing }) => [timing.gateMs, timing.slotMs, timing.ranMs])).toEqual([
			[0, 0, 30],
			[30, 0, 20],
		]);
	});
});

describe("calls with keys whose middleware takes its time", () => {
	it("AT3: ask for their keys in call order, so that the earlier change of one thing is made first", async () => {
		const slow = middlewareOf(async ({ index }, next) => {
			if (index === 0) await held.hold("do middleware");
			return next();
		});
		const { engine, held } = heldBench({ middleware: [slow], locks: new KeyedLock() });
		const same = { name: "keyed", effect: "write" as const, safe: true, keys: ["k"] };
		const wave = engine.executeWave(standingCalls(same, same));
		expect(await rounds(held, wave)).toEqual({ seen: ["middleware", "0", "1"], outcomes: ["0", "1"] });
	});
});

describe("the dispatch gate", () => {
	it("lets a share in beside an exclusive call of a higher index that still waits", async () => {
		let account: () => void = () => undefined;
		const accounted = new Promise<void>((resolve) => {
			account = resolve;
		});
		const gate = new DispatchGate(() => accounted);
		const order: string[] = [];
		const alone = gate
			.exclusive(1, () => true)
			.then((share) => {
				order.push("1 alone");
				share?.leave();
				gate.drop(1);
			});
		const later = gate.share(2).then(() => order.push("2"));
		const earlier = await gate.share(0);
		order.push("0");
		account();
		await settled();
		earlier.leave();
		await Promise.all([alone, later]);
		expect(order).toEqual(["0", "1 alone", "2"]);
	});
});
