// Law 14: ten thousand pauses and resumes leave nothing behind.

import { describe, expect, it } from "vitest";
import { KeyedLock, memoryLedger } from "../../engine/index.js";
import { benchOf, callsOf, toolOf } from "../support/law-kit.js";
import { gatedTools } from "../support/pause-kit.js";

const PAUSES = 10_000;

/** A signal that counts who listens. */
function countedSignal(): { readonly signal: AbortSignal; readonly listening: () => number } {
	const { signal } = new AbortController();
	let listening = 0;
	const add = signal.addEventListener.bind(signal);
	const remove = signal.removeEventListener.bind(signal);
	signal.addEventListener = (...args: Parameters<typeof add>) => {
		listening += 1;
		add(...args);
	};
	signal.removeEventListener = (...args: Parameters<typeof remove>) => {
		listening -= 1;
		remove(...args);
	};
	return { signal, listening: () => listening };
}

describe("Law 14: nothing grows", () => {
	it("over ten thousand pauses and resumes of one run: no listener, timer or lock entry, and a checkpoint of one size", async () => {
		const locks = new KeyedLock();
		const { signal, listening } = countedSignal();
		const endless = toolOf(
			"endless",
			async (_args, { interrupt, lock }) => {
				await lock(["while it asks"]);
				await interrupt("again?");
				return "done";
			},
			{ effect: "write", lockKeys: () => ["note"], mayAsk: true },
		);
		const { engine, clock } = benchOf({ tools: [endless, ...gatedTools().tools], locks, ledger: memoryLedger() });
		let wave = await engine.executeWave(callsOf("gated 1", "endless"), { runId: "r", signal });
		const size = JSON.stringify(wave.checkpoint).length;
		for (let pause = 1; pause < PAUSES && wave.checkpoint !== undefined; pause += 1) {
			wave = await engine.resume(wave.checkpoint, { answers: {}, signal });
		}
		expect(wave.status).toBe("paused");
		expect(JSON.stringify(wave.checkpoint).length).toBe(size);
		expect({ listening: listening(), timers: clock.timersSet, keys: locks.size }).toEqual({
			listening: 0,
			timers: 0,
			keys: 0,
		});
	}, 120_000);

	it("over ten thousand questions of one asker: no listener, timer or lock entry", async () => {
		const locks = new KeyedLock();
		const { signal, listening } = countedSignal();
		const asks = toolOf(
			"asks",
			async ({ n = 0 }, { interrupt }) => {
				for (let time = 0; time < n; time += 1) await interrupt(time);
			},
			{ effect: "write", lockKeys: () => ["note"] },
		);
		const { engine, clock } = benchOf({ tools: [asks], locks, asker: () => true, timeouts: { askMs: 1_000 } });
		const calls = callsOf(...Array.from({ length: 10 }, () => "asks 10"));
		for (let round = 0; round < PAUSES / 100; round += 1) await engine.executeWave(calls, { signal });
		expect({ listening: listening(), timers: clock.timersSet, keys: locks.size }).toEqual({
			listening: 0,
			timers: 0,
			keys: 0,
		});
	}, 120_000);
});
