// Two copies of the package on one thread share the lock, and the lineage of calls goes through both.

import { describe, expect, it, vi } from "vitest";

type Copy = typeof import("../../engine/locks/tool-locks.js") &
	typeof import("../../engine/locks/lineage.js") &
	typeof import("../../engine/locks/keyed-lock.js");

async function freshCopy(): Promise<Copy> {
	vi.resetModules();
	const { toolLocks } = await import("../../engine/locks/tool-locks.js");
	const lineage = await import("../../engine/locks/lineage.js");
	const { KeyedLock } = await import("../../engine/locks/keyed-lock.js");
	return { toolLocks, ...lineage, KeyedLock };
}

describe("toolLocks", () => {
	it("is one lock for copies whose classes differ", async () => {
		const [one, two] = [await freshCopy(), await freshCopy()];
		expect(two.KeyedLock).not.toBe(one.KeyedLock);
		const release = await one.toolLocks.acquire(["a"]);
		expect(two.toolLocks.request(["a"]).kind).toBe("waiting");
		release();
	});

	it("LG1: takes again what a call of the other copy holds, and sees circles through both", async () => {
		const [one, two] = [await freshCopy(), await freshCopy()];
		const [left, right] = [one.newLineage(), two.newLineage()];
		const hold = (copy: Copy, key: string) => copy.toolLocks.acquire([key]);
		const b = await one.runInLineage(left, () => hold(one, "b"));
		const again = await one.runInLineage(left, () =>
			two.runInLineage(two.newLineage(two.currentLineage()), () => hold(two, "b")),
		);
		const c = await two.runInLineage(right, () => hold(two, "c"));
		const waiting = one.runInLineage(left, () => hold(one, "c"));
		await expect(two.runInLineage(right, () => hold(two, "b"))).rejects.toMatchObject({ errorCode: "TOOL_LOCK_CYCLE" });
		for (const release of [b, again, c]) release();
		(await waiting)();
	});
});
