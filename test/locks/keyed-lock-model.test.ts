// Any sequence of asking, releasing, aborting and waiting, against a list that says what must be true of a lock.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { waitingOf } from "../../engine/locks/lineage.js";
import { SOAK } from "../support/property-seed.js";
import { type Asking, type Counts, LockWorld } from "./lock-world.js";

type Kind = "ask" | "take" | "call" | "release" | "releaseAgain" | "abort" | "tick";

const LIMITS_MS = [1, 3, 500, 500];
const STEP_MAX = 2 ** 28 - 1;
/** How many scripts a failure may be shrunk by: without a bound that takes longer than anybody waits for its message. */
const SHRINKS_MAX = 2_000;
/** The work is bounded by its steps; this only finds a hang, on however busy a machine. */
const TEST_MS = 600_000 * SOAK;

// A step is one number, which costs little to make and shrinks well: what is done, to which, with which keys and limit.
function play(world: LockWorld, step: number, kinds: readonly Kind[]): void {
	const kind = kinds[(step & 0xff) % kinds.length];
	const pick = (step >> 8) & 0xf;
	if (kind === "ask") {
		world.ask({ lineage: pick, ...keysOf(step), ...waitOf(step) });
	} else if (kind !== undefined) {
		world[kind](pick);
	}
}

// Half of the asks name many keys, a key in both lists too; half name few, so that not everybody meets everybody.
function keysOf(step: number): Pick<Asking, "write" | "read"> {
	const [write, read, parted] = [(step >> 12) & 0xf, (step >> 16) & 0xf, (step >> 23) & 0xf];
	const areMany = ((step >> 27) & 1) === 1;
	return areMany ? { write, read } : { write: write & parted, read: read & ~parted };
}

function waitOf(step: number): Pick<Asking, "lockMs" | "shares"> {
	return { lockMs: LIMITS_MS[(step >> 20) & 3] ?? 1, shares: ((step >> 22) & 1) === 1 };
}

async function playToTheEnd(steps: readonly number[], kinds: readonly Kind[]): Promise<LockWorld> {
	const world = new LockWorld();
	for (const step of steps) {
		play(world, step, kinds);
		await told();
		world.check();
	}
	for (let left = world.alive; left > 0; left = world.alive) {
		world.release(left);
		await told();
		world.check();
		expect(world.alive).toBeLessThan(left);
	}
	expect(world.lock.size).toBe(0);
	expect(world.clock.timers.size).toBe(0);
	for (const lineage of world.lineages) expect([lineage?.held ?? 0, waitingOf(lineage).length]).toEqual([0, 0]);
	return world;
}

// A grant is told by a promise: a few turns of the microtask queue.
async function told(): Promise<void> {
	for (let turn = 0; turn < 3; turn += 1) await undefined;
}

async function playAll(kinds: readonly Kind[], runs: number): Promise<Counts> {
	const total: Counts = { granted: 0, waited: 0, aborted: 0, expired: 0, circles: 0, nested: 0, stale: 0, taken: 0 };
	const steps = fc.array(fc.nat({ max: STEP_MAX }), { maxLength: 400, size: "max" });
	let left = runs * SOAK + SHRINKS_MAX;
	const property = fc.asyncProperty(steps, async (script) => {
		if (left === 0) return;
		left -= 1;
		const { counts } = await playToTheEnd(script, kinds);
		for (const name of Object.keys(total) as (keyof Counts)[]) total[name] += counts[name];
	});
	await fc.assert(property, { numRuns: runs * SOAK });
	return total;
}

describe("KeyedLock, as a model", () => {
	it(
		"H2, Q1, LT1, LT2: grants exactly what nothing earlier is in the way of, whatever is released, aborted or expires",
		async () => {
			const total = await playAll(
				["ask", "ask", "take", "ask", "release", "release", "releaseAgain", "abort", "tick"],
				600,
			);
			expect(total.granted).toBeGreaterThan(20_000);
			expect(total.waited).toBeGreaterThan(20_000);
			expect(total.aborted).toBeGreaterThan(5_000);
			expect(total.expired).toBeGreaterThan(2_000);
			expect(total.stale).toBeGreaterThan(10_000);
			expect(total.circles).toBe(0);
		},
		TEST_MS,
	);

	it(
		"H1: keeps to the same where most take a key without a word, and let go more than once",
		async () => {
			const kinds: Kind[] = ["take", "take", "take", "ask", "release", "release", "release", "release", "releaseAgain"];
			const total = await playAll([...kinds, "releaseAgain", "tick"], 300);
			expect(total.taken).toBeGreaterThan(2_500);
			expect(total.waited).toBeGreaterThan(2_500);
			expect(total.stale).toBeGreaterThan(5_000);
		},
		TEST_MS,
	);

	it(
		"Law 15, Q2: keeps calls apart, loses no waiter and never stands still, however calls nest",
		async () => {
			const kinds: Kind[] = [
				"ask",
				"ask",
				"ask",
				"take",
				"ask",
				"release",
				"release",
				"release",
				"abort",
				"call",
				"tick",
			];
			const total = await playAll(kinds, 1_000);
			expect(total.waited).toBeGreaterThan(10_000);
			expect(total.nested).toBeGreaterThan(5_000);
			expect(total.circles).toBeGreaterThan(100);
		},
		TEST_MS,
	);
});
