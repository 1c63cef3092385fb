// What reaches a run while it is ending: when its last lines are being made durable, when its checkpoint is being sealed,
// and while a stop predicate of the host has not said yet whether it goes on.

import { describe, expect, it } from "vitest";
import { type Ledger, memoryLedger, scriptedModel } from "../../engine/index.js";
import { benchOf, entriesOf, short, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";

const asks = (...names: string[]) => ({ calls: names.map((name) => ({ name, args: {} })) });

/** A ledger whose barriers wait from the moment a line of the kind was appended. */
function ledgerHeldAfter(kind: string): { readonly ledger: Ledger; readonly release: () => void } {
	const real = memoryLedger();
	let release = (): void => undefined;
	let held: Promise<void> | undefined;
	const ledger: Ledger = {
		append(lines) {
			if (lines.some((line) => line.kind === kind)) {
				held = new Promise((resolve) => {
					release = resolve;
				});
			}
			real.append(lines);
		},
		async barrier() {
			await held;
			await real.barrier();
		},
		entries: () => real.entries(),
		intents: () => real.intents(),
		records: () => real.records(),
		close: () => real.close(),
	};
	return { ledger, release: () => release() };
}

describe("a run that is ending", () => {
	it("RL4: takes no steer once nobody would read it, and its last line stays the last", async () => {
		const { ledger, release } = ledgerHeldAfter("run_finished");
		const { engine } = benchOf({ ledger });
		const run = engine.run({ model: scriptedModel(["done"]), input: "x" });
		await settled();
		expect(run.steer("too late")).toBe(false);
		run.abort();
		release();
		expect(await run).toMatchObject({ status: "done", steps: 1 });
		expect((await entriesOf(ledger)).map(({ kind }) => kind).at(-1)).toBe("run_finished");
	});

	it("RL4: hands every steer that it took while it paused to whoever goes on with it", async () => {
		const { ledger, release } = ledgerHeldAfter("run_paused");
		const taken: string[] = [];
		const ask = toolOf(
			"ask",
			(_args, context) => {
				if (run.steer("in the call")) taken.push("in the call");
				return context.interrupt("sure?");
			},
			{ mayAsk: true },
		);
		const { engine } = benchOf({ tools: [ask], ledger });
		const model = scriptedModel([asks("ask"), "end"]);
		const run = engine.run({ model, input: "x", runId: "r" });
		await settled();
		for (let turn = 0; turn < 50; turn += 1) {
			if (run.steer(`steer ${turn}`)) taken.push(`steer ${turn}`);
			if (turn === 10) release();
			await Promise.resolve();
		}
		const paused = await run;
		if (paused.status !== "paused") throw new Error(`the run is ${paused.status}`);
		// The line of the pause holds what was taken; what comes behind it is told that it comes too late.
		expect(taken).toEqual(["in the call"]);
		const rest = await engine.resume(paused.checkpoint, { model, answers: { "r/0/0/1": true } });
		const told = rest.messages.flatMap((message) => (message.role === "user" ? [message.text] : []));
		expect(told.slice(1)).toEqual(taken);
	});

	it("aborts a call, or says that it did not, and its checkpoint asks what it lists", async () => {
		for (let turns = 1; turns < 120; turns += 1) {
			const gated = toolOf("gated", () => 1, { requiresApproval: true });
			const { engine } = benchOf({ tools: [gated, toolOf("look", () => 2)] });
			const model = scriptedModel([asks("look", "gated"), "end"]);
			const run = engine.run({ model, input: "x", runId: "r" });
			for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
			const isAborted = run.abortCall(1);
			const first = await run;
			const answers = { "r/0/1/0": true };
			const { messages } =
				first.status === "paused" ? await engine.resume(first.checkpoint, { model, answers }) : first;
			const last = messages.flatMap((one) => (one.role === "tool" && one.index === 1 ? [short(one.outcome)] : []));
			expect(last, `aborted after ${turns} turns`).toEqual([isAborted ? "ABORTED_BEFORE_DISPATCH" : "1"]);
		}
	});
});

describe("a run whose engine closes", () => {
	it("ends as aborted, at whatever moment of its reply and its wave that is", async () => {
		const ends = new Map<string, number>();
		for (let turns = 1; turns < 120; turns += 1) {
			const { engine } = benchOf({ tools: [toolOf("look", () => 1), toolOf("put", () => 2, { effect: "write" })] });
			const model = scriptedModel([asks("look", "put", "look"), asks("look"), "end"]);
			const run = engine.run({ model, input: "x" });
			for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
			void engine.close();
			const { status } = await run;
			ends.set(status, (ends.get(status) ?? 0) + 1);
		}
		expect([...ends.keys()]).toEqual(["aborted"]);
	});
});

describe("a stop predicate", () => {
	it("that never says anything does not hold an abort of the run up", async () => {
		const { engine } = benchOf({ tools: [toolOf("look", () => 1)] });
		const stop = (): Promise<boolean> => new Promise(() => undefined);
		const run = engine.run({ model: scriptedModel([asks("look"), "end"]), input: "x", stop });
		await settled();
		run.abort("enough");
		expect(await run).toMatchObject({ status: "aborted", reason: "enough", steps: 1 });
	});

	it("nor the run's total limit, and one that gives up because of an abort has not failed", async () => {
		const { engine, clock } = benchOf({ tools: [toolOf("look", () => 1)], timeouts: { totalMs: 100 } });
		const model = scriptedModel([asks("look"), "end"]);
		const late = engine.run({ model, input: "x", stop: () => new Promise(() => undefined) });
		await settled();
		await clock.pass(100);
		expect(await late).toMatchObject({ status: "limit", limit: "totalMs" });
		const host = new AbortController();
		const stop = (): Promise<boolean> => {
			return new Promise((_resolve, reject) => host.signal.addEventListener("abort", () => reject(new Error("gone"))));
		};
		const run = engine.run({ model, input: "x", stop, signal: host.signal });
		await settled();
		host.abort("enough");
		expect(await run).toMatchObject({ status: "aborted", reason: "enough" });
	});
});
