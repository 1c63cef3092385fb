// The keys of a call: how they are worked out, in which order they are asked for, and when they are let go.

import { describe, expect, it } from "vitest";
import { type EngineOptions, KeyedLock, type LockKeys, type ToolContext } from "../../engine/index.js";
import { HeldWork } from "../support/held-work.js";
import { type Bench, benchOf, callsOf, shorts, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";

interface KeyedBench extends Bench {
	readonly locks: KeyedLock;
	/** Where `lockKeys` waits, if a test lets it. */
	readonly keys: HeldWork;
}

/** A bench with the safe write `save n`, whose key is `keyOf(n)`; it waits to be released as `save n`. */
function keyedOf(keyOf: (n: number) => LockKeys | Promise<LockKeys>, options: Partial<EngineOptions> = {}): KeyedBench {
	const held = new HeldWork();
	const entered: string[] = [];
	const save = toolOf(
		"save",
		async ({ n = 0 }) => {
			entered.push(`save ${n}`);
			await held.hold(`save ${n}`);
			return n;
		},
		{ effect: "write", isConcurrencySafe: true, lockKeys: (args) => keyOf((args as { n: number }).n) },
	);
	const locks = options.locks ?? new KeyedLock();
	const bench = benchOf({ tools: [save], locks, ...options });
	return { ...bench, held, entered, locks, keys: new HeldWork() };
}

async function finish({ held }: Bench, wave: Promise<unknown>): Promise<void> {
	for (let round = 0; round < 8; round += 1) {
		held.releaseAll();
		await settled();
	}
	await wave;
}

describe("calls whose keys meet", () => {
	it("run one after another in call order, and others beside them", async () => {
		const bench = keyedOf((n) => [n < 2 ? "same" : "other"]);
		const wave = bench.engine.executeWave(callsOf("save 0", "save 1", "save 2"));
		await settled();
		expect(bench.entered).toEqual(["save 0", "save 2"]);
		bench.held.release("save 0");
		await settled();
		expect(bench.entered).toEqual(["save 0", "save 2", "save 1"]);
		await finish(bench, wave);
		expect(bench.locks.size).toBe(0);
	});

	it("KT1: ask in call order though a later one knows its keys first", async () => {
		const keys = new HeldWork();
		const bench = keyedOf(async (n) => {
			if (n === 0) await keys.hold("keys 0");
			return ["same"];
		});
		const wave = bench.engine.executeWave(callsOf("save 0", "save 1"));
		await settled();
		expect(bench.entered).toEqual([]);
		keys.releaseAll();
		await settled();
		expect(bench.entered).toEqual(["save 0"]);
		await finish(bench, wave);
		expect(bench.entered).toEqual(["save 0", "save 1"]);
	});

	it("hold no slot while they wait: a cap of one lets a call with another key by", async () => {
		const bench = keyedOf((n) => [n === 2 ? "free" : "taken"], { maxParallelToolCalls: 1 });
		const release = await bench.locks.acquire(["taken"]);
		const wave = bench.engine.executeWave(callsOf("save 0", "save 1", "save 2"));
		await settled();
		expect(bench.entered).toEqual(["save 2"]);
		release();
		await finish(bench, wave);
		expect(bench.entered).toEqual(["save 2", "save 0", "save 1"]);
	});

	it("meet across engines and waves, through the lock they share", async () => {
		const first = keyedOf(() => ["same"]);
		const second = keyedOf(() => ["same"], { locks: first.locks });
		const one = first.engine.executeWave(callsOf("save 0"));
		await settled();
		const two = second.engine.executeWave(callsOf("save 1"));
		await settled();
		expect(second.entered).toEqual([]);
		await finish(first, one);
		await settled();
		expect(second.entered).toEqual(["save 1"]);
		await finish(second, two);
	});

	it("do not meet in a lock that is not shared", async () => {
		const [first, second] = [keyedOf(() => ["same"]), keyedOf(() => ["same"])];
		const waves = [first.engine.executeWave(callsOf("save 0")), second.engine.executeWave(callsOf("save 1"))];
		await settled();
		expect([first.entered, second.entered]).toEqual([["save 0"], ["save 1"]]);
		await finish(first, Promise.resolve());
		await finish(second, Promise.all(waves));
	});

	it("that wait count none of it as running", async () => {
		const bench = keyedOf(() => ["same"], { timeouts: { toolMs: 100 } });
		const release = await bench.locks.acquire(["same"]);
		const wave = bench.engine.executeWave(callsOf("save 0"));
		await settled();
		await bench.clock.pass(5_000);
		release();
		await settled();
		expect(bench.entered).toEqual(["save 0"]);
		await bench.clock.pass(99);
		bench.held.releaseAll();
		const { results } = await wave;
		expect(results[0]).toMatchObject({ outcome: { ok: true }, timing: { lockMs: 5_000, ranMs: 99 } });
	});
});

describe("a call's keys", () => {
	it("Law 9: outlive a time limit: the next call waits until the first one's own promise has settled", async () => {
		const bench = keyedOf(() => ["same"], { timeouts: { toolMs: 100 } });
		const wave = bench.engine.executeWave(callsOf("save 0", "save 1"));
		await settled();
		await bench.clock.pass(400);
		expect(bench.entered).toEqual(["save 0"]);
		bench.held.release("save 0");
		await settled();
		expect(bench.entered).toEqual(["save 0", "save 1"]);
		bench.held.release("save 1");
		expect(shorts(await wave)).toEqual(["OUTCOME_UNKNOWN", "1"]);
	});

	it("Law 9: outlive an abort of their run", async () => {
		const controller = new AbortController();
		const bench = keyedOf(() => ["same"]);
		const wave = bench.engine.executeWave(callsOf("save 0"), { signal: controller.signal });
		await settled();
		controller.abort();
		expect(shorts(await wave)).toEqual(["OUTCOME_UNKNOWN"]);
		expect(bench.locks.size).toBe(1);
		bench.held.releaseAll();
		await settled();
		expect(bench.locks.size).toBe(0);
	});

	it("are worked out once, with the very context that the tool runs with", async () => {
		const contexts: ToolContext[] = [];
		const save = toolOf("save", (_args, context) => contexts.push(context), {
			effect: "write",
			lockKeys: async (_args, context) => {
				contexts.push(context);
				return ["same"];
			},
		});
		expect(shorts(await benchOf({ tools: [save] }).engine.executeWave(callsOf("save 0")))).toEqual(["2"]);
		expect(contexts[1]).toBe(contexts[0]);
	});

	it.each([
		[
			"throws",
			() => {
				throw new Error("no such note");
			},
		],
		["rejects", () => Promise.reject(new Error("no such note"))],
	])("that cannot be told, because lockKeys %s, fail the call before it runs", async (_how, keyOf) => {
		const bench = keyedOf(keyOf);
		const wave = await bench.engine.executeWave(callsOf("save 0"));
		expect(wave.results[0]?.outcome).toMatchObject({
			error: { code: "LOCK_KEYS_FAILED", message: "Could not tell what the call changes: no such note" },
		});
		expect(bench.entered).toEqual([]);
	});

	it("that are no list of texts fail the call, saying what they are", async () => {
		const bench = keyedOf(() => [7] as never);
		const wave = await bench.engine.executeWave(callsOf("save 0"));
		expect(wave.results[0]?.outcome).toMatchObject({
			error: { code: "LOCK_KEYS_FAILED", message: expect.stringContaining("7") },
		});
	});

	it("CK1: a call aborted while it works them out never runs, also when it turns out to need none", async () => {
		const keys = new HeldWork();
		const controller = new AbortController();
		const bench = keyedOf(async () => {
			await keys.hold("keys");
			return [];
		});
		const wave = bench.engine.executeWave(callsOf("save 0"), { signal: controller.signal });
		await settled();
		controller.abort(new Error("enough"));
		keys.releaseAll();
		expect((await wave).results[0]?.outcome).toMatchObject({
			error: { code: "ABORTED", cause: { message: "enough" } },
		});
		expect(bench.entered).toEqual([]);
	});

	it("CK1: a call aborted while it waits for them gives up its place and fails with the abort's reason", async () => {
		const controller = new AbortController();
		const bench = keyedOf(() => ["same"]);
		const release = await bench.locks.acquire(["same"]);
		const wave = bench.engine.executeWave(callsOf("save 0"), { signal: controller.signal });
		await settled();
		controller.abort(new Error("enough"));
		expect((await wave).results[0]?.outcome).toMatchObject({
			error: { code: "ABORTED", cause: { message: "enough" } },
		});
		release();
		await settled();
		expect(bench.locks.size).toBe(0);
		expect(bench.entered).toEqual([]);
	});

	it("CK2: a wait ends at lockMs with the holder's name, and the call does not run", async () => {
		const bench = keyedOf(() => ["same"], { timeouts: { lockMs: 100 } });
		await bench.locks.acquire(["same"], undefined, { holder: "the night job" });
		const wave = bench.engine.executeWave(callsOf("save 0"));
		await settled();
		await bench.clock.pass(100);
		expect((await wave).results[0]?.outcome).toMatchObject({
			error: { code: "LOCK_WAIT_EXPIRED", message: expect.stringContaining("the night job") },
		});
		expect(bench.entered).toEqual([]);
	});

	it("CK2: a lockKeys that never settles ends at lockMs", async () => {
		const bench = keyedOf(() => new Promise<never>(() => undefined), { timeouts: { lockMs: 100 } });
		const wave = bench.engine.executeWave(callsOf("save 0"));
		await settled();
		await bench.clock.pass(100);
		expect(shorts(await wave)).toEqual(["LOCK_KEYS_FAILED"]);
	});
});
