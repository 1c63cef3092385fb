// What a tool answers, and what it is given, is the same on a thread as inline.

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ErrorCause, Outcome } from "../../engine/core/outcome.js";
import { inlineExecutor } from "../../workers/inline.js";
import { type ErrorAsData, throwDescribed, throwGiven } from "../support/thread-tools/faults.js";
import { echo } from "../support/thread-tools/plain.js";
import { gist, RealPool, startCall } from "./thread-kit.js";

// What JSON text would carry as something else.
const LIKE_JSON = [
	-0,
	[1, -0],
	{ deep: { zero: -0 } },
	Number.NaN,
	new Array(3),
	{ left: undefined },
	new Date(0),
	Object.create(null),
	{ ["__proto__"]: { polluted: true } },
	"\ud800",
];

let pool: RealPool;
beforeAll(() => {
	pool = new RealPool();
});
afterAll(async () => {
	await pool.executor.close(0);
});

describe("a value", () => {
	it("is answered as it is inline, whatever it is", async () => {
		const inline = inlineExecutor();
		const anything = fc.anything({
			withBigInt: true,
			withDate: true,
			withMap: true,
			withSet: true,
			withSparseArray: true,
			withTypedArray: true,
		});
		await fc.assert(
			fc.asyncProperty(anything, async (value) => {
				const there = await pool.start("plain/echo", { args: value }).ended;
				const here = await startCall(inline, echo, { args: value }).ended;
				expect(there).toStrictEqual(here);
			}),
			{ numRuns: 300, examples: LIKE_JSON.map((value) => [value]) },
		);
	});

	it.each([0, 1, 16 * 1024 - 1, 16 * 1024, 1 << 20])("of %d bytes arrives whole, as plain bytes", async (length) => {
		expectBytes(gist(await pool.run("plain/bytes", { length })), new Uint8Array(length).fill(7));
	});

	it.each(["a", "ä", "€", "\ud800"])("of two million %j arrives as it was", async (of) => {
		const value = gist(await pool.run("plain/text", { length: 2_000_000, of }));
		expect(value === of.repeat(2_000_000)).toBe(true);
	});

	it("in a shared pool of bytes, or in the memory of a WebAssembly module, is copied and the thread goes on", async () => {
		for (let repeat = 0; repeat < 3; repeat += 1) {
			expectBytes(gist(await pool.run("plain/pooledBytes")), new Uint8Array(Buffer.from("a pooled buffer")));
			expectBytes(gist(await pool.run("plain/wasmBytes")), new Uint8Array(64 * 1024));
		}
	});

	it("that left with an earlier answer is refused, not answered empty", async () => {
		expectBytes(gist(await pool.run("plain/keptBytes")), new Uint8Array(1 << 20).fill(3));
		expect(await pool.run("plain/keptBytes")).toMatchObject({
			error: { code: "NOT_CLONEABLE", message: expect.stringContaining("moved away") },
		});
	});

	it("over the limit is OUTPUT_TOO_LARGE, and one that is no data names its path", async () => {
		expect(gist(await pool.run("faults/answerHuge"))).toBe("OUTPUT_TOO_LARGE");
		expect(await pool.run("faults/answerCycle")).toMatchObject({ error: { details: { path: "$.self" } } });
	});
});

// Comparing a million numbers one by one takes seconds.
function expectBytes(value: unknown, wanted: Uint8Array): void {
	expect(Object.getPrototypeOf(value)).toBe(Uint8Array.prototype);
	expect(Buffer.compare(value as Uint8Array, wanted)).toBe(0);
}

describe("an error", () => {
	const { described } = fc.letrec<{ described: ErrorAsData }>((tie) => ({
		described: fc.record({
			name: fc.string(),
			message: fc.string(),
			code: fc.option(fc.oneof(fc.string(), fc.integer())),
			cause: fc.option(tie("described"), { depthSize: "small" }),
		}),
	}));

	it("is what it is inline: its name, message, code and causes, and it has a stack of its own", async () => {
		const inline = inlineExecutor();
		await fc.assert(
			fc.asyncProperty(described, async (error) => {
				const there = await pool.start("faults/throwDescribed", { args: error }).ended;
				const here = await startCall(inline, throwDescribed, { args: error }).ended;
				expect(withoutStacks(there)).toStrictEqual(withoutStacks(here));
				expect(there).toMatchObject({ error: { cause: { stack: expect.stringMatching(/faults\.mjs/) } } });
			}),
			{ numRuns: 200 },
		);
	});

	it("that is no error at all is what it is inline", async () => {
		const inline = inlineExecutor();
		await fc.assert(
			fc.asyncProperty(fc.anything(), async (given) => {
				const there = await pool.start("faults/throwGiven", { args: given }).ended;
				const here = await startCall(inline, throwGiven, { args: given }).ended;
				expect(withoutStacks(there)).toStrictEqual(withoutStacks(here));
			}),
			{ numRuns: 200 },
		);
	});
});

function withoutStacks(outcome: Outcome): unknown {
	if (outcome.ok) throw new Error("it was to throw");
	const strip = ({ stack: _stack, cause, ...kept }: ErrorCause): object => ({ ...kept, cause: cause && strip(cause) });
	return { ...outcome.error, cause: outcome.error.cause && strip(outcome.error.cause) };
}

describe("arguments", () => {
	it("that cannot be cloned refuse their own call alone, with the path", async () => {
		const cases = [{ fine: 1 }, { rows: [{ bad: () => 1 }] }, { fine: 2 }];
		const calls = cases.map((args) => pool.start("plain/echo", { args, read: true }));
		const [first, refused, last] = await Promise.all(calls.map(({ ended }) => ended));
		expect([first, last]).toEqual([
			{ ok: true, value: { fine: 1 } },
			{ ok: true, value: { fine: 2 } },
		]);
		expect(refused).toMatchObject({ error: { code: "NOT_CLONEABLE", details: { path: "$.rows[0].bad" } } });
		expect(calls[1]?.begins()).toBe(0);
	});
});
