// What calls that nest may count on: keys of their own lineage, and circles that end.

import { describe, expect, it } from "vitest";
import { KeyedLock, type LockGrant, type LockWaiting } from "../../engine/locks/keyed-lock.js";
import { currentLineage, type Lineage, newLineage, runInLineage } from "../../engine/locks/lineage.js";
import { LockCycleError } from "../../engine/locks/lock-cycle.js";

const waits = { kind: "waiting" };
const granted = { kind: "granted" };

function had(lock: KeyedLock, keys: string[], lineage?: Lineage): LockGrant {
	const grant = lock.request(keys, { lineage, holder: `the holder of ${keys}` });
	if (grant.kind !== "granted") throw new Error(`${keys} had to be waited for`);
	return grant;
}

describe("re-entrance", () => {
	it("takes again, past those who wait, what a call around it holds", async () => {
		const lock = new KeyedLock();
		const call = newLineage();
		const outer = await runInLineage(call, () => lock.acquire(["a"]));
		const outsider = lock.request(["a"]) as LockWaiting;
		const inner = await runInLineage(newLineage(newLineage(call)), () => lock.acquire(["a"]));
		outer();
		expect(lock.request(["a"])).toMatchObject(waits);
		inner();
		expect(await outsider.granted).toMatchObject(granted);
	});

	it("keeps the calls that one call runs apart from each other", () => {
		const lock = new KeyedLock();
		const call = newLineage();
		had(lock, ["a"], call);
		had(lock, ["a"], newLineage(call));
		expect(lock.request(["a"], { lineage: newLineage(call) })).toMatchObject(waits);
	});

	it("makes code that a call left running wait like any other once the call let go", async () => {
		const lock = new KeyedLock();
		const call = newLineage();
		const outer = had(lock, ["a"], call);
		let wake = (): void => undefined;
		const left = runInLineage(call, async () => {
			await new Promise<void>((resolve) => {
				wake = resolve;
			});
			return lock.request(["a"]);
		});
		outer.release();
		had(lock, ["a"]);
		wake();
		expect(await left).toMatchObject(waits);
	});

	it("takes a free key before one that waits for the call's own lineage", () => {
		const lock = new KeyedLock();
		const call = newLineage();
		had(lock, ["a"], call);
		expect(lock.request(["a", "b"])).toMatchObject(waits);
		expect(lock.request(["b"], { lineage: call })).toMatchObject(granted);
	});

	it("stays behind a reader that came before it and does not wait for it, whoever stands between", async () => {
		const lock = new KeyedLock();
		const call = newLineage();
		had(lock, ["b"], call);
		const c = had(lock, ["c"]);
		const waitsForCall = lock.request({ write: ["b"], read: ["a"] }) as LockWaiting;
		const reader = lock.request({ read: ["a", "c"] }, { holder: "the reader" }) as LockWaiting;
		const nested = lock.request(["a"], { lineage: newLineage(call) }) as LockWaiting;
		expect(nested.blockers()).toEqual([{ key: "a", holder: "the reader" }]);
		c.release();
		(await reader.granted).release();
		(await nested.granted).release();
		expect(waitsForCall.blockers()).toEqual([{ key: "b", holder: "the holder of b" }]);
	});

	it("goes before those who wait for the call and behind its other branch, so that both get through", async () => {
		const lock = new KeyedLock();
		const call = newLineage();
		const [b, k] = [had(lock, ["b"]), had(lock, ["k"])];
		const outer = lock.request(["b"], { lineage: call }) as LockWaiting;
		lock.request(["b", "c"]);
		// Reads `a` once the call is over, and nothing is in its way there yet.
		lock.request({ write: ["c"], read: ["a"] });
		const branch = lock.request({ write: ["k"], read: ["a"] }, { lineage: call }) as LockWaiting;
		b.release();
		await outer.granted;
		const other = lock.request(["a"], { lineage: call }) as LockWaiting;
		expect(branch.blockers()).toEqual([{ key: "k", holder: "the holder of k" }]);
		k.release();
		expect(await Promise.all([branch.granted, other.granted])).toMatchObject([granted, granted]);
	});

	it("raises a shared hold to an exclusive one for the only reader, and for others once the rest let go", async () => {
		const lock = new KeyedLock();
		const [call, other] = [newLineage(), newLineage()];
		lock.request({ read: ["a"] }, { lineage: call });
		const reader = lock.request({ read: ["a"] }, { lineage: other }) as LockGrant;
		const raised = lock.request(["a"], { lineage: call }) as LockWaiting;
		reader.release();
		expect(await raised.granted).toMatchObject(granted);
		expect(lock.request(["a"], { lineage: call })).toMatchObject(granted);
	});
});

describe("circles", () => {
	it("fail the call that would close one, at once, and let the other go on", async () => {
		const lock = new KeyedLock();
		const [one, two] = [newLineage(), newLineage()];
		had(lock, ["a"], one);
		const b = had(lock, ["b"], two);
		const first = lock.request(["b"], { lineage: newLineage(one), holder: "first" }) as LockWaiting;
		const closes = { lineage: newLineage(two), holder: "second" };
		expect(() => lock.request(["a"], closes)).toThrowError(
			expect.objectContaining({
				errorCode: "TOOL_LOCK_CYCLE",
				message: expect.stringContaining(
					'second waits for "a" of the holder of a, first waits for "b" of the holder of b',
				),
			}),
		);
		b.release();
		expect(await first.granted).toMatchObject(granted);
	});

	it("reject an acquire with LockCycleError", async () => {
		const lock = new KeyedLock();
		const [one, two] = [newLineage(), newLineage()];
		had(lock, ["a"], one);
		had(lock, ["b"], two);
		lock.request(["b"], { lineage: one });
		await expect(runInLineage(two, () => lock.acquire(["a"]))).rejects.toBeInstanceOf(LockCycleError);
	});

	it("are seen between two that both want to write what both read", () => {
		const lock = new KeyedLock();
		const [one, two] = [newLineage(), newLineage()];
		lock.request({ read: ["a"] }, { lineage: one });
		lock.request({ read: ["a"] }, { lineage: two });
		expect(lock.request(["a"], { lineage: one })).toMatchObject(waits);
		expect(() => lock.request(["a"], { lineage: two })).toThrowError(LockCycleError);
	});

	it("are seen through callers outside every call, and across two locks", () => {
		const [left, right] = [new KeyedLock(), new KeyedLock()];
		const [one, two] = [newLineage(), newLineage()];
		had(left, ["a"], one);
		had(right, ["b"], two);
		had(left, ["c"], two);
		left.request(["c", "d"]);
		expect(left.request(["d"], { lineage: one })).toMatchObject(waits);
		expect(() => left.request(["a"], { lineage: two })).toThrowError(LockCycleError);
		const other = newLineage();
		had(left, ["e"], other);
		right.request(["b"], { lineage: other });
		expect(() => left.request(["e"], { lineage: two })).toThrowError(LockCycleError);
	});

	it("that a grant closes fail the branch that waits", async () => {
		const lock = new KeyedLock();
		const [one, two] = [newLineage(), newLineage()];
		const [a, b] = [had(lock, ["a"]), had(lock, ["b"])];
		const [one1, two2] = [lock.request(["a"], { lineage: one }), lock.request(["b"], { lineage: two })];
		const [one2, two1] = [lock.request(["b"], { lineage: one }), lock.request(["a"], { lineage: two })];
		const failed = expect((two1 as LockWaiting).granted).rejects.toBeInstanceOf(LockCycleError);
		a.release();
		b.release();
		await Promise.all([(one1 as LockWaiting).granted, (two2 as LockWaiting).granted, failed]);
		((await (two2 as LockWaiting).granted) as LockGrant).release();
		expect(await (one2 as LockWaiting).granted).toMatchObject(granted);
	});
});

describe("Lineage", () => {
	it("is carried through what its code starts, and ends with it", async () => {
		const lineage = newLineage();
		const later = runInLineage(lineage, async () => {
			await undefined;
			return currentLineage();
		});
		expect(currentLineage()).toBeUndefined();
		expect(await later).toBe(lineage);
	});
});
