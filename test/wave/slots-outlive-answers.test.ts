// A call that was answered before its work has ended: whose slot waits for the end, whose does not, and what an abort does
// with those who wait for it.

import { describe, expect, it } from "vitest";
import { BEGIN, type Beginnable } from "../../engine/core/invocable.js";
import { type Outcome, threw } from "../../engine/core/outcome.js";
import { type ConcurrentInvoke, executeConcurrent, KeyedLock, type WaveResult } from "../../engine/index.js";
import { callsOf, shorts } from "../support/law-kit.js";
import { ManualClock, settled } from "../support/manual-clock.js";

/** A face whose calls begin and end by hand, on work that a stop ends (`thread n`) or that nothing ends (`inline n`). */
class HandFace implements ConcurrentInvoke<string> {
	readonly began: string[] = [];
	readonly #ends = new Map<string, (outcome: Outcome) => void>();
	readonly #lockKeys: string[] | undefined;

	constructor(lockKeys?: string[]) {
		this.#lockKeys = lockKeys;
	}

	metaOf(call: { readonly name: string }) {
		const keys = this.#lockKeys;
		return { name: call.name, effect: "read" as const, ...(keys && { lockKeys: () => keys }) };
	}

	admit(call: { readonly name: string; readonly args: unknown }) {
		return { cleared: `${call.name} ${(call.args as { n: number }).n}` };
	}

	tool(which: string): Beginnable {
		const endsWhenStopped = which.startsWith("thread");
		return {
			[BEGIN]: (_context, hooks) => {
				this.began.push(which);
				hooks.onBegan();
				const ended = new Promise<Outcome>((resolve) => void this.#ends.set(which, resolve));
				return endsWhenStopped ? { ended, stop: () => undefined, endsWhenStopped } : { ended, stop: () => undefined };
			},
			invoke: () => threw("begin is asked for"),
		};
	}

	account(_call: unknown, _ticket: string, outcome: Outcome): Outcome {
		return outcome;
	}

	async end(which: string): Promise<void> {
		this.#ends.get(which)?.({ ok: true, value: which });
		await settled();
	}
}

function started(calls: string[], { signal, face = new HandFace() }: { signal?: AbortSignal; face?: HandFace } = {}) {
	const clock = new ManualClock();
	const limits = { maxParallelToolCalls: 1, timeouts: { toolMs: 100, graceMs: 10_000 } };
	const locks = new KeyedLock();
	const wave = executeConcurrent(face, callsOf(...calls), { ...limits, clock, locks, ...(signal && { signal }) });
	let result: WaveResult | undefined;
	void wave.then((ended) => {
		result = ended;
	});
	return { face, clock, wave, result: () => result };
}

describe("the slot of a call that timed out", () => {
	it("waits for the end of work that a stop ends, while the call's answer goes on", async () => {
		const { face, clock, wave } = started(["thread 0", "thread 1"]);
		await clock.pass(5_000);
		expect(face.began).toEqual(["thread 0"]);
		await face.end("thread 0");
		expect(face.began).toEqual(["thread 0", "thread 1"]);
		await face.end("thread 1");
		const { results } = await wave;
		expect(shorts({ results })).toEqual(["TIMED_OUT", '"thread 1"']);
		expect(results.map(({ timing }) => [timing.slotMs, timing.ranMs])).toEqual([
			[0, 100],
			[5_000, 0],
		]);
		expect(clock.timersSet).toBe(0);
	});

	it("is free at the answer of work that nothing can end", async () => {
		const { face, clock, wave } = started(["inline 0", "inline 1"]);
		await clock.pass(100);
		expect(face.began).toEqual(["inline 0", "inline 1"]);
		await face.end("inline 1");
		expect(shorts(await wave)).toEqual(["TIMED_OUT", '"inline 1"']);
	});

	it("is free at the bound where a thread does not exit", async () => {
		const { face, clock, wave } = started(["thread 0", "thread 1"]);
		await clock.pass(100 + 10_000 + 4_999);
		expect(face.began).toEqual(["thread 0"]);
		await clock.pass(1);
		expect(face.began).toEqual(["thread 0", "thread 1"]);
		await face.end("thread 1");
		await wave;
	});

	it("does not keep the wave: the last call's answer ends it", async () => {
		const { clock, result } = started(["thread 0"]);
		await clock.pass(100);
		expect(shorts(result() ?? { results: [] })).toEqual(["TIMED_OUT"]);
	});
});

describe("an abort while a slot is waited for", () => {
	it("answers who waits at once, though the slot comes only later", async () => {
		const host = new AbortController();
		const { face, clock, result } = started(["thread 0", "thread 1"], { signal: host.signal });
		await clock.pass(100);
		host.abort();
		await settled();
		expect(shorts(result() ?? { results: [] })).toEqual(["TIMED_OUT", "ABORTED_BEFORE_DISPATCH"]);
		await face.end("thread 0");
		expect(face.began).toEqual(["thread 0"]);
	});

	it("answers a call that has its keys and waits for a slot, and lets its keys go", async () => {
		const host = new AbortController();
		const face = new HandFace(["k"]);
		const { clock, result } = started(["thread 0", "thread 1"], { signal: host.signal, face });
		await clock.pass(100);
		expect(face.began).toEqual(["thread 0"]);
		host.abort();
		await settled();
		expect(shorts(result() ?? { results: [] })).toEqual(["TIMED_OUT", "ABORTED_BEFORE_DISPATCH"]);
	});
});
