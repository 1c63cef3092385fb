// Early starts with keys: they take none, start only past free ones, and run again when somebody else had them.

import { describe, expect, it } from "vitest";
import { type EngineOptions, KeyedLock, type LockKeys } from "../../engine/index.js";
import { type Bench, benchOf, callsOf, shorts, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";

interface KeyedBench extends Bench {
	readonly locks: KeyedLock;
	/** How often keys were worked out. */
	readonly asked: number[];
}

/** A bench with the read `scan n`, whose keys are `keysOf(n)`; it waits to be released as `scan n`. */
function keyedOf(
	keysOf: (n: number) => LockKeys | Promise<LockKeys>,
	options: Partial<EngineOptions> = {},
): KeyedBench {
	const asked: number[] = [];
	const locks = new KeyedLock();
	const scan = toolOf(
		"scan",
		async ({ n = 0 }) => {
			bench.entered.push(`scan ${n}`);
			await bench.held.hold(`scan ${n}`);
			return n;
		},
		{
			lockKeys: (args) => {
				asked.push((args as { n: number }).n);
				return keysOf((args as { n: number }).n);
			},
		},
	);
	const bench = benchOf({ tools: [scan], locks, ...options });
	return { ...bench, locks, asked };
}

async function offered(bench: KeyedBench, ...written: string[]) {
	const step = bench.engine.openStep();
	for (const call of callsOf(...written)) step.offer(call);
	await settled();
	return step;
}

const discarded = ({ events }: Bench): string[] =>
	events.flatMap((event) => (event.kind === "ahead_discarded" ? [`${event.index} ${event.reason}`] : []));

describe("an early start with keys", () => {
	it.each([
		["that are exclusive", ["k"]],
		["that are shared", { read: ["k"] }],
	])("starts past free keys %s, holds none, and is used", async (_kind, keys) => {
		const bench = keyedOf(() => keys);
		const step = await offered(bench, "scan 0");
		expect(bench.entered).toEqual(["scan 0"]);
		expect(bench.locks.size).toBe(0);
		const wave = step.settle();
		await settled();
		expect(bench.locks.isFree(["k"])).toBe(false);
		bench.held.releaseAll();
		expect(shorts(await wave)).toEqual(["0"]);
		expect([bench.entered, discarded(bench)]).toEqual([["scan 0"], []]);
		expect(bench.locks.size).toBe(0);
	});

	it("EC1: has its keys worked out once, by a promise too, and also where admission takes the promise over", async () => {
		const gate = deferred<LockKeys>();
		const bench = keyedOf((n) => (n === 1 ? gate.promise : Promise.resolve(["a"])));
		const step = await offered(bench, "scan 0", "scan 1");
		expect(bench.entered).toEqual(["scan 0"]);
		const wave = step.settle();
		await settled();
		gate.resolve(["b"]);
		await settled();
		bench.held.releaseAll();
		expect(shorts(await wave)).toEqual(["0", "1"]);
		expect(bench.asked).toEqual([0, 1]);
	});

	it("asks again at admission for keys that could not be told early, and fails as it would have", async () => {
		const bench = keyedOf(() => {
			throw new Error("no idea");
		});
		const step = await offered(bench, "scan 0");
		expect(shorts(await step.settle())).toEqual(["LOCK_KEYS_FAILED"]);
		expect(bench.asked).toEqual([0, 0]);
	});

	it("does not start past keys that somebody holds, and does not queue for them", async () => {
		const bench = keyedOf((n) => [n === 0 ? "taken" : "free"]);
		const release = await bench.locks.acquire(["taken"]);
		const step = await offered(bench, "scan 0", "scan 1");
		expect(bench.entered).toEqual(["scan 1"]);
		release();
		await settled();
		expect(bench.entered).toEqual(["scan 1"]);
		const wave = step.settle();
		await settled();
		bench.held.releaseAll();
		expect(shorts(await wave)).toEqual(["0", "1"]);
	});

	it("runs again when one of its keys was granted exclusively before its admission", async () => {
		const bench = keyedOf(() => ({ read: ["k"] }));
		const step = await offered(bench, "scan 0");
		bench.held.releaseAll();
		(await bench.locks.acquire(["k"]))();
		const wave = step.settle();
		await settled();
		expect(bench.entered).toEqual(["scan 0", "scan 0"]);
		bench.held.releaseAll();
		expect(shorts(await wave)).toEqual(["0"]);
		expect(discarded(bench)).toEqual(["0 keys were granted"]);
	});

	it("runs again when the keys are granted to others while admission waits for them", async () => {
		const bench = keyedOf(() => ({ read: ["k"] }));
		const step = await offered(bench, "scan 0");
		const reading = await bench.locks.acquire({ read: ["k"] });
		const writing = bench.locks.acquire(["k"]);
		const wave = step.settle();
		await settled();
		reading();
		(await writing)();
		await settled();
		expect(bench.entered).toEqual(["scan 0", "scan 0"]);
		bench.held.releaseAll();
		await wave;
	});

	it("is used although others have read its keys meanwhile", async () => {
		const bench = keyedOf(() => ({ read: ["k"] }));
		const step = await offered(bench, "scan 0");
		(await bench.locks.acquire({ read: ["k"] }))();
		const wave = step.settle();
		bench.held.releaseAll();
		await wave;
		expect(bench.entered).toEqual(["scan 0"]);
	});

	it("does not run beside another early start that would exclude it", async () => {
		const bench = keyedOf((n) => (n === 0 ? ["k"] : { read: ["k"] }));
		await offered(bench, "scan 0", "scan 1");
		expect(bench.entered).toEqual(["scan 0"]);
	});

	it("may take its own keys again, and make calls, once it was admitted", async () => {
		const again = toolOf(
			"again",
			async (_args, { lock, invokeTool }) => {
				bench.entered.push("again");
				await bench.held.hold("again");
				(await lock(["own"]))();
				return (await invokeTool("answer", {})) ?? null;
			},
			{ lockKeys: () => ["own"] },
		);
		const bench = benchOf({ tools: [again, toolOf("answer", () => 42)], locks: new KeyedLock() });
		const step = bench.engine.openStep();
		for (const call of callsOf("again")) step.offer(call);
		await settled();
		const wave = step.settle();
		await settled();
		bench.held.releaseAll();
		expect(shorts(await wave)).toEqual(["42"]);
		expect(bench.entered).toEqual(["again"]);
		expect(discarded(bench)).toEqual([]);
	});
});

function deferred<Value>() {
	let resolve: (value: Value) => void = () => undefined;
	const promise = new Promise<Value>((settle) => {
		resolve = settle;
	});
	return { promise, resolve };
}
