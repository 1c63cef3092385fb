// A tool that takes a lock while it runs holds every key that it names or is refused, inline and on a thread, where most of
// what is no keys would arrive as something else.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEngine, type Engine, KeyedLock, onThread, tool } from "../../engine/index.js";
import { threadTools } from "../support/build-workers.js";
import { anything } from "../support/law-kit.js";
import { GOOD_KEYS, lockOdd, ODD_KEYS } from "../support/thread-tools/odd-keys.js";

const odd = Object.entries(ODD_KEYS);
const good = Object.entries(GOOD_KEYS);

describe("a tool that takes keys while it runs", () => {
	let engine: Engine;
	const locks = new KeyedLock();
	beforeAll(() => {
		const placed = { parameters: anything, effect: "write", isConcurrencySafe: true } as const;
		const inline = tool({ ...placed, name: "inline", execute: (args, context) => lockOdd(args as never, context) });
		const onOne = tool({ ...placed, name: "on a thread", execute: onThread(threadTools("odd-keys"), "lockOdd") });
		engine = createEngine({ tools: [inline, onOne], locks, threads: { max: 1 } });
	});
	afterAll(() => engine.close());

	describe.each(["inline", "on a thread"])("%s", (name) => {
		const said = async (what: string): Promise<unknown> => {
			const { results } = await engine.executeWave([{ id: "", name, args: { name: what } }]);
			expect(locks.size).toBe(0);
			return results[0]?.outcome;
		};

		it.each(odd)("does not get %s", async (what, [, saying]) => {
			const outcome = await said(what);
			expect(outcome).toEqual({ ok: true, value: expect.stringMatching(/^INVALID_OPTIONS Could not lock keys: /) });
			expect(outcome).toEqual({ ok: true, value: expect.stringContaining(saying) });
		});

		it.each(good)("gets %s", async (what) => {
			expect(await said(what)).toEqual({ ok: true, value: "held" });
		});
	});
});
