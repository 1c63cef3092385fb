// A tool that stops its thread without an answer is one lost answer: the calls beside it keep theirs, and what it means
// for the call is decided by whether it may have changed something.

import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createEngine, type Engine, memoryLedger, onThread, tool, type WaveResult } from "../../engine/index.js";
import { threadTools } from "../support/build-workers.js";
import { linesOf } from "../support/law-kit.js";

const exits = onThread(threadTools("faults"), "exitNow");
const echoes = onThread(threadTools("plain"), "echo");
const parameters = z.object({ code: z.number().optional(), n: z.number().optional() });

const tools = [
	tool({ name: "echo", parameters, effect: "read", execute: echoes }),
	tool({ name: "lost_read", parameters, effect: "read", execute: exits }),
	tool({ name: "lost_write", parameters, effect: "write", execute: exits }),
	tool({ name: "lost_note", parameters, effect: "write", isConcurrencySafe: true, execute: exits }),
];

const engines: Engine[] = [];

afterEach(async () => {
	for (const engine of engines.splice(0)) await engine.close();
});

function engineOf() {
	const ledger = memoryLedger();
	const engine = createEngine({ tools, ledger, threads: { max: 2 } });
	engines.push(engine);
	return { engine, ledger };
}

const calls = (...names: string[]) => names.map((name, n) => ({ id: `id-${n}`, name, args: { n, code: 3 } }));

/** The number that was echoed, or the code of what went wrong. */
function ends(wave: WaveResult): unknown[] {
	return wave.results.map(({ outcome }) => (outcome.ok ? (outcome.value as { n: number }).n : outcome.error.code));
}

describe("a tool that stops its thread without an answer", () => {
	it("is one lost answer among the reads beside it, and the calls after it run on another thread", async () => {
		const { engine, ledger } = engineOf();
		const wave = await engine.executeWave(calls("echo", "lost_read", "echo", "echo", "lost_read", "echo"));
		expect(ends(wave)).toEqual([0, "WORKER_LOST", 2, 3, "WORKER_LOST", 5]);
		expect(await linesOf(ledger)).toHaveLength(1 + 2 * 6);
	});

	it("Law 8: is unknown where it may have changed something, and is not run again", async () => {
		const { engine } = engineOf();
		const wave = await engine.executeWave(calls("lost_write", "lost_note", "echo"));
		expect(ends(wave)).toEqual(["OUTCOME_UNKNOWN", "OUTCOME_UNKNOWN", 2]);
		for (const { outcome } of wave.results.slice(0, 2)) {
			expect(outcome).toMatchObject({ error: { details: { reason: "WORKER_LOST" } } });
		}
	});

	it("Law 1: leaves no call without an outcome when every thread is lost at once and more calls wait", async () => {
		const { engine } = engineOf();
		const names = Array.from({ length: 12 }, (_, n) => (n % 3 === 2 ? "echo" : "lost_read"));
		const wave = await engine.executeWave(calls(...names));
		expect(ends(wave)).toEqual(names.map((name, n) => (name === "echo" ? n : "WORKER_LOST")));
	});
});
