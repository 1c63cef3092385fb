// A tool that names no keys, whatever it hands over in their place, does not run unlocked: its call fails, early or not.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KeyedLock, type LockKeys } from "../../engine/index.js";
import { benchOf, callsOf, shorts, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";
import { GOOD_KEYS, ODD_KEYS } from "../support/thread-tools/odd-keys.js";

const odd = Object.entries(ODD_KEYS);
const good = Object.entries(GOOD_KEYS);
// A promise in their place is what `lockKeys` may hand over, and is waited for as the promise of keys that it is.
const isAwaited = (what: string): boolean => /^a (promise|thenable)/.test(what) && !what.includes("to read");

type MakeKeys = () => unknown;

/** What becomes of a call whose `lockKeys` hands this over, and how many keys it had when it ran. */
async function ranWith(make: MakeKeys, isLater: boolean): Promise<{ error?: unknown; held: number[] }> {
	const locks = new KeyedLock();
	const held: number[] = [];
	const lockKeys = () => (isLater ? Promise.resolve().then(make) : make()) as LockKeys;
	const save = toolOf("save", () => held.push(locks.size), { effect: "write", lockKeys });
	const { results } = await benchOf({ tools: [save], locks }).engine.executeWave(callsOf("save 0"));
	const outcome = results[0]?.outcome;
	expect(locks.size).toBe(0);
	return outcome?.ok === false ? { error: outcome.error, held } : { held };
}

describe.each([
	["at once", false],
	["by a promise", true],
])("a tool whose lockKeys hands over %s", (_when, isLater) => {
	it.each(odd.filter(([what]) => !isAwaited(what)))("%s does not run, and says why", async (_what, [make, said]) => {
		const { error, held } = await ranWith(make, isLater);
		expect(error).toMatchObject({
			code: "LOCK_KEYS_FAILED",
			message: expect.stringMatching(/^Could not tell what the call changes: Could not lock keys: /),
		});
		expect(error).toMatchObject({ message: expect.stringContaining(said) });
		expect(held).toEqual([]);
	});

	it.each(good)("%s runs with every key that it names", async (_what, [make, count]) => {
		expect(await ranWith(make, isLater)).toEqual({ held: [count] });
	});
});

describe("an early start", () => {
	const unheard: unknown[] = [];
	const hear = (error: unknown): void => void unheard.push(error);
	beforeEach(() => void process.on("unhandledRejection", hear));
	afterEach(() => {
		process.off("unhandledRejection", hear);
		expect(unheard.splice(0)).toEqual([]);
	});

	const started = async (make: MakeKeys, isLater: boolean): Promise<{ entered: string[]; ends: string[] }> => {
		const keysOf = (n: number): unknown => (n === 0 ? ["other"] : isLater ? Promise.resolve().then(make) : make());
		const scan = toolOf(
			"scan",
			async ({ n = 0 }) => {
				bench.entered.push(`scan ${n}`);
				await bench.held.hold(`scan ${n}`);
				return n;
			},
			{ lockKeys: (args) => keysOf((args as { n: number }).n) as LockKeys },
		);
		const bench = benchOf({ tools: [scan], locks: new KeyedLock() });
		const step = bench.engine.openStep();
		// The first is at work while the second's keys are looked at beside its own.
		for (const call of callsOf("scan 0", "scan 1")) step.offer(call);
		await settled();
		const entered = [...bench.entered];
		const wave = step.settle();
		await settled();
		bench.held.releaseAll();
		return { entered, ends: shorts(await wave) };
	};

	describe.each([
		["at once", false],
		["by a promise", true],
	])("whose keys are given %s", (_when, isLater) => {
		it.each(odd.filter(([what]) => !isAwaited(what)))("never begins with %s", async (_what, [make]) => {
			expect(await started(make, isLater)).toEqual({ entered: ["scan 0"], ends: ["0", "LOCK_KEYS_FAILED"] });
		});

		it.each(good)("begins with %s", async (_what, [make]) => {
			expect(await started(make, isLater)).toEqual({ entered: ["scan 0", "scan 1"], ends: ["0", "1"] });
		});
	});
});
