// What a caller of a lock may count on, one promise at a time. Any mixture of them is keyed-lock-model.test.ts.

import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { type AcquireOptions, KeyedLock, type LockWaiting } from "../../engine/locks/keyed-lock.js";
import { newLineage } from "../../engine/locks/lineage.js";
import { ManualClock, settled } from "../support/manual-clock.js";

/** Asks for keys and writes down when they were had, or why not. */
function log(lock: KeyedLock): {
	readonly had: string[];
	readonly ask: (name: string, keys: Parameters<KeyedLock["acquire"]>[0]) => Promise<() => void>;
} {
	const had: string[] = [];
	const ask = async (name: string, keys: Parameters<KeyedLock["acquire"]>[0]): Promise<() => void> => {
		const release = await lock.acquire(keys);
		had.push(name);
		return release;
	};
	return { had, ask };
}

const waits = { kind: "waiting" };
const granted = { kind: "granted" };

describe("KeyedLock", () => {
	it("lets callers of one key in one after another, in the order they asked", async () => {
		const { had, ask } = log(new KeyedLock());
		const asked = ["first", "second", "third"].map((name) => ask(name, ["a"]));
		for (const [place, one] of asked.entries()) {
			await settled();
			expect(had).toHaveLength(place + 1);
			(await one)();
		}
		expect(had).toEqual(["first", "second", "third"]);
	});

	it("takes a place at every key at once, so two callers of the same keys in another order both get through", async () => {
		const { had, ask } = log(new KeyedLock());
		const [first, second] = [ask("first", ["a", "b"]), ask("second", ["b", "a"])];
		(await first)();
		(await second)();
		expect(had).toEqual(["first", "second"]);
	});

	it("keeps a free key for a caller that waits for another key", async () => {
		const lock = new KeyedLock();
		const a = await lock.acquire(["a"]);
		const both = lock.request(["a", "b"]);
		expect(lock.request(["b"])).toMatchObject(waits);
		a();
		expect(await (both as LockWaiting).granted).toMatchObject(granted);
	});

	it("lets readers in together, and none past a waiting writer", () => {
		const lock = new KeyedLock();
		expect(lock.request({ read: ["a"] })).toMatchObject(granted);
		expect(lock.request({ read: ["a"] })).toMatchObject(granted);
		expect(lock.request(["a"])).toMatchObject(waits);
		expect(lock.request({ read: ["a"] })).toMatchObject(waits);
	});

	it("takes a key that is asked for twice, or to read and to write, once and exclusively", () => {
		const lock = new KeyedLock();
		const hold = lock.request({ read: ["a", "a", "b"], write: ["b", "a", "a"] });
		expect(hold).toMatchObject(granted);
		expect(lock.request({ read: ["a"] })).toMatchObject(waits);
		expect(lock.size).toBe(2);
	});

	it("H1: does nothing at a second release, also when somebody else holds the key by then", async () => {
		const ways: ((lock: KeyedLock) => Promise<() => void>)[] = [
			(lock) => lock.acquire(["a"]),
			(lock) => lock.acquire(["a"], undefined, { holder: "somebody" }),
			(lock) => lock.acquire(["a", "b"]),
			(lock) => lock.acquire({ read: ["a"] }),
		];
		for (const way of ways) {
			for (const nextWay of ways) {
				const lock = new KeyedLock();
				const release = await way(lock);
				release();
				const next = await nextWay(lock);
				release();
				expect(lock.request(["a"])).toMatchObject(waits);
				next();
			}
		}
	});

	it("gives up the place of a caller that aborts while it waits, and rejects with the reason", async () => {
		const lock = new KeyedLock();
		const { signal, abort } = controller();
		const release = await lock.acquire(["a"]);
		const aborted = lock.acquire(["a", "b"], signal);
		const behind = lock.acquire(["b"]);
		const reason = new Error("enough");
		abort(reason);
		await expect(aborted).rejects.toBe(reason);
		(await behind)();
		release();
		expect(lock.size).toBe(0);
	});

	it("lets none of those through that wait on one signal once it fires", async () => {
		const lock = new KeyedLock();
		const host = new AbortController();
		lock.request({ read: ["a"] });
		// Only the writer is in the reader's way, and the writer gives up first.
		const writer = lock.acquire(["a"], host.signal);
		const reader = lock.acquire({ read: ["a"] }, host.signal);
		host.abort("enough");
		expect(await Promise.allSettled([writer, reader])).toEqual([
			{ status: "rejected", reason: "enough" },
			{ status: "rejected", reason: "enough" },
		]);
		expect(lock.size).toBe(1);
	});

	it("refuses a caller that has aborted already, also when the keys are free or none", async () => {
		const lock = new KeyedLock();
		const signal = AbortSignal.abort("over");
		await expect(lock.acquire(["a"], signal)).rejects.toBe("over");
		await expect(lock.acquire([], signal)).rejects.toBe("over");
		expect(lock.size).toBe(0);
	});

	it("lets a caller without keys go at once", async () => {
		const lock = new KeyedLock();
		const release = await lock.acquire({});
		release();
		expect(lock.size).toBe(0);
	});

	it("AW1: keeps one listener on a signal, however many wait on it, and none afterwards", async () => {
		const lock = new KeyedLock();
		const { signal, abort } = controller();
		const release = await lock.acquire(["a"], signal);
		const waiting = Array.from({ length: 1_000 }, () => lock.acquire(["a"], signal));
		expect(getEventListeners(signal, "abort")).toHaveLength(1);
		release();
		(await waiting[0])?.();
		abort("enough");
		const ends = await Promise.allSettled(waiting);
		// The second was granted when the first let go, before the abort.
		expect(ends.filter(({ status }) => status === "rejected")).toHaveLength(998);
		expect(getEventListeners(signal, "abort")).toHaveLength(0);
	});

	it("ends a wait at its limit with the holder's name, and does not let it through", async () => {
		const clock = new ManualClock();
		const lock = new KeyedLock({ clock, lockMs: 100 });
		const grant = lock.request(["a"], { holder: "save_note" });
		const late = lock.acquire(["b", "a"]);
		const later = lock.acquire(["a"], undefined, { lockMs: 500 });
		const ended = expect(late).rejects.toMatchObject({
			code: "LOCK_WAIT_EXPIRED",
			message: expect.stringContaining('after 100 ms "a" is still kept by save_note'),
		});
		await clock.pass(100);
		await ended;
		expect(lock.request(["b"])).toMatchObject(granted);
		expect(lock.request(["a"])).toMatchObject(waits);
		(grant as { release(): void }).release();
		await later;
		expect(clock.timersSet).toBe(1);
	});

	it("limits also a wait that asked for no limit", () => {
		const clock = new ManualClock();
		const lock = new KeyedLock({ clock, lockMs: Number.POSITIVE_INFINITY });
		lock.request(["a"]);
		lock.request(["a"]);
		expect(clock.timersSet).toBe(1);
	});

	it("names who is in the way, one for each key", () => {
		const lock = new KeyedLock();
		lock.request(["a"], { holder: "one" });
		lock.request(["b"], { holder: "two" });
		const third = lock.request(["b", "a", "c"], { holder: "three" }) as LockWaiting;
		const blockers = third.blockers();
		expect(new Set(blockers.map(({ key, holder }) => `${key}: ${holder}`))).toEqual(new Set(["a: one", "b: two"]));
		expect((lock.request(["c"]) as LockWaiting).blockers()).toEqual([{ key: "c", holder: "three" }]);
	});

	it.each([
		["a text", "abc"],
		["a list of other things", ["a", 1]],
		["nothing", undefined],
		["a list among the readers that is none", { read: "abc" }],
	])("refuses %s as keys", async (_what, keys) => {
		const lock = new KeyedLock();
		await expect(lock.acquire(keys as unknown as string[])).rejects.toMatchObject({ code: "INVALID_OPTIONS" });
	});

	it("refuses keys under a name that nobody reads, and options that it has not", async () => {
		const lock = new KeyedLock();
		const refusal = (said: string) => ({ code: "INVALID_OPTIONS", message: expect.stringContaining(said) });
		const misnamed = { writes: ["a"] } as unknown as string[];
		await expect(lock.acquire(misnamed)).rejects.toMatchObject(refusal('"writes" is not known; perhaps "write"'));
		const options = { holders: "one" } as AcquireOptions;
		await expect(lock.acquire(["a"], undefined, options)).rejects.toMatchObject(refusal('"holders" is not known'));
		expect(() => new KeyedLock({ lockMS: 5 } as object)).toThrow('"lockMS" is not known; perhaps "lockMs" is meant');
		expect(lock.size).toBe(0);
	});

	it.each([0, -1, Number.NaN, "5", null, 5n, {}])("refuses a limit that is no number of 1 or more: %s", (lockMs) => {
		const refused = expect.objectContaining({ code: "INVALID_OPTIONS" });
		const limit = { lockMs } as { lockMs: number };
		expect(() => new KeyedLock().request(["a"], limit)).toThrowError(refused);
		// Left empty, a lock has the limit that it has by itself.
		if (lockMs !== null) expect(() => new KeyedLock(limit)).toThrowError(refused);
	});

	it("stands once at each of thousands of held keys, however often and in whichever list a caller names it", async () => {
		const lock = new KeyedLock();
		const keys = Array.from({ length: 5_000 }, (_, at) => `key ${at}`);
		const first = await lock.acquire(keys);
		const { had, ask } = log(lock);
		const second = ask("second", { write: [...keys, ...keys].reverse(), read: keys });
		const third = ask("third", { read: [...keys, ...keys] });
		expect(lock.size).toBe(keys.length);
		first();
		(await second)();
		(await third)();
		expect([had, lock.size]).toEqual([["second", "third"], 0]);
	});

	it("says whether keys are free without taking them", () => {
		const lock = new KeyedLock();
		const lineage = newLineage();
		lock.request({ read: ["a"], write: ["b"] }, { lineage });
		expect(lock.isFree({ read: ["a", "c"] })).toBe(true);
		expect(lock.isFree(["a"])).toBe(false);
		expect(lock.isFree({ read: ["b"] })).toBe(false);
		expect(lock.isFree(["b"], newLineage(lineage))).toBe(true);
		expect(lock.size).toBe(2);
	});

	it("tells a watch of exclusive grants since it began, and of nothing else", async () => {
		const lock = new KeyedLock();
		const [watch, stopped] = [lock.watch({ read: ["a", "b"] }), lock.watch(["a"])];
		lock.request({ read: ["a"], write: ["c"] });
		expect(watch.changed).toBe(false);
		stopped.stop();
		stopped.stop();
		lock.request(["b"]);
		expect(watch.changed).toBe(true);
		lock.request(["a"]);
		watch.stop();
		expect([watch.changed, stopped.changed, lock.watch(["b"]).changed]).toEqual([true, false, false]);
		const plain = lock.watch(["d"]);
		await lock.acquire(["d"]);
		expect(plain.changed).toBe(true);
	});
});

function controller(): { readonly signal: AbortSignal; readonly abort: (reason: unknown) => void } {
	const made = new AbortController();
	return { signal: made.signal, abort: (reason) => made.abort(reason) };
}
