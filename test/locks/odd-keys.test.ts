// What names no keys is held by nobody, so a lock refuses it at every door, whatever it looks like.

import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { isEngineError, KeyedLock, type LockKeys } from "../../engine/index.js";
import { SOAK } from "../support/property-seed.js";
import { GOOD_KEYS, ODD_KEYS } from "../support/thread-tools/odd-keys.js";

type Door = (lock: KeyedLock, keys: LockKeys) => unknown;

const DOORS: readonly (readonly [name: string, door: Door])[] = [
	["acquire", (lock, keys) => lock.acquire(keys)],
	["acquire with options", (lock, keys) => lock.acquire(keys, new AbortController().signal, { holder: "one" })],
	["request", (lock, keys) => lock.request(keys)],
	["isFree", (lock, keys) => lock.isFree(keys)],
	["watch", (lock, keys) => lock.watch(keys).stop()],
];

/** The message of the refusal, or what happened instead. */
async function refusalOf(door: Door, lock: KeyedLock, keys: unknown): Promise<string> {
	try {
		await door(lock, keys as LockKeys);
	} catch (error) {
		return isEngineError(error) && error.code === "INVALID_OPTIONS" ? error.message : `another error: ${String(error)}`;
	}
	return `was taken; ${lock.size} keys are held`;
}

describe.each(DOORS)("%s", (_name, door) => {
	it.each(Object.entries(ODD_KEYS))("refuses %s, saying what it was and what to give", async (_what, [make, said]) => {
		const lock = new KeyedLock();
		const message = await refusalOf(door, lock, make());
		expect(message).toMatch(/^Could not lock keys: /);
		expect(message).toContain(said);
		expect(lock.size).toBe(0);
	});

	it.each(Object.entries(GOOD_KEYS))("takes %s", async (_what, [make]) => {
		const lock = new KeyedLock();
		expect(await refusalOf(door, lock, make())).toMatch(/^was taken/);
	});
});

it.each(Object.entries(GOOD_KEYS))("%s: every key that is named is held", (_what, [make, count]) => {
	const lock = new KeyedLock();
	lock.request(make());
	expect(lock.size).toBe(count);
});

it.each<[string, (failing: Promise<string>) => unknown]>([
	["in place of keys", (failing) => failing],
	["in place of a key", (failing) => ["a", failing]],
	["in place of a list", (failing) => ({ read: failing })],
	["in a list", (failing) => ({ write: [failing] })],
])("hears out a promise that was given %s, since nobody else does", (_where, keysOf) => {
	const failing = Promise.reject(new Error("no such file"));
	const heard = vi.spyOn(failing, "then");
	expect(() => new KeyedLock().request(keysOf(failing) as LockKeys)).toThrow("await it");
	expect(heard).toHaveBeenCalledWith(undefined, expect.any(Function));
});

const areTexts = (list: unknown): list is string[] =>
	Array.isArray(list) && Array.from(list).every((key) => typeof key === "string");

/** How many keys a value names, `undefined` if it is no keys: in a few lines, for values without a class of their own. */
function keyCount(value: unknown): number | undefined {
	if (areTexts(value)) return new Set(value).size;
	const isPlain = Object.prototype.toString.call(value) === "[object Object]" && !Array.isArray(value);
	if (!isPlain) return undefined;
	const { read = [], write = [], ...others } = value as { read?: unknown; write?: unknown };
	if (Object.keys(others).length > 0 || !areTexts(read) || !areTexts(write)) return undefined;
	return new Set([...read, ...write]).size;
}

const anyValue = fc.anything({
	withBigInt: true,
	withBoxedValues: true,
	withDate: true,
	withMap: true,
	withSet: true,
	withTypedArray: true,
	withSparseArray: true,
	withNullPrototype: true,
});
const texts = fc.array(fc.string(), { maxLength: 4 });
const list = fc.oneof(texts, fc.array(fc.oneof(fc.string(), anyValue), { maxLength: 3 }), anyValue);
const lists = fc.record({ read: list, write: list, reads: list }, { requiredKeys: [], noNullPrototype: false });
const someKeys = fc.oneof(anyValue, list, fc.record({ read: texts, write: texts }, { requiredKeys: [] }), lists);

it("LK1: any value at all is refused at every door, or every key that it names is held", async () => {
	const check = async (keys: unknown): Promise<void> => {
		const count = keyCount(keys);
		const expected = count === undefined ? /^Could not lock keys: / : /^was taken/;
		for (const [name, door] of DOORS) {
			expect(`${name}: ${await refusalOf(door, new KeyedLock(), keys)}`).toMatch(
				new RegExp(expected.source.replace("^", `^${name}: `)),
			);
		}
		if (count === undefined) return;
		const lock = new KeyedLock();
		const release = await lock.acquire(keys as LockKeys);
		expect(lock.size).toBe(count);
		release();
		expect(lock.size).toBe(0);
	};
	await fc.assert(fc.asyncProperty(someKeys, check), { numRuns: 1_000 * SOAK });
});
