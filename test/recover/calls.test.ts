// What becomes of each call of a wave that a crash ended.

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
	type EngineOptions,
	fileLedger,
	type Ledger,
	memoryLedger,
	type ResumeOptions,
	recover,
	sqliteLedger,
	type Tool,
} from "../../engine/index.js";
import { temporaryFolders } from "../ledger/temporary-folder.js";
import { cutBefore, linesIn, recordsOf, recovered, recoveredWave, sketchOf } from "../support/crash-kit.js";
import { benchOf, callsOf, short, shorts, toolOf } from "../support/law-kit.js";
import { lasting } from "../support/pause-kit.js";

const folder = temporaryFolders();

/** Tools that answer at once and tell what they did, and with which idempotency key. */
function tellingTools() {
	const did: string[] = [];
	const keys: string[] = [];
	const telling = (name: string, rest: Parameters<typeof toolOf>[2] = {}): Tool =>
		toolOf(
			name,
			({ n = 0 }, { idempotencyKey }) => {
				did.push(`${name} ${n}`);
				keys.push(idempotencyKey);
				return n;
			},
			rest,
		);
	const tools = [
		telling("look"),
		telling("put", { effect: "write" }),
		telling("note", { effect: "write", isConcurrencySafe: true }),
		telling("set", { effect: "write", idempotent: true }),
	];
	return { did, keys, tools };
}

/** The ledger of a run `r` that came to its end. */
async function whole(calls: readonly string[], tools: readonly Tool[] = tellingTools().tools): Promise<Ledger> {
	const ledger = memoryLedger();
	const { engine } = benchOf({ tools: [...tools], ledger: lasting(ledger) });
	await engine.executeWave(callsOf(...calls), { runId: "r" });
	return ledger;
}

describe("a recovered run", () => {
	it("has the outcomes of calls that were answered, and runs the rest", async () => {
		const cut = await cutBefore(await whole(["look 1", "put 2", "look 3"]), "tool_called 2");
		const { tools, did } = tellingTools();
		const { wave } = await recovered(cut, { tools });
		expect(shorts(wave)).toEqual(["1", "2", "3"]);
		expect(did).toEqual(["look 3"]);
		expect(await linesIn(cut)).toEqual(await linesIn(await whole(["look 1", "put 2", "look 3"])));
	});

	it("RV1: does not repeat a write that had begun: what it did is not known, and the calls behind it run", async () => {
		const cut = await cutBefore(await whole(["look 1", "put 2", "look 3"]), "tool_called 1");
		expect(await sketchOf(cut)).toEqual(["model_returned", "tool_called 0", "tool_result 0", "intent 1"]);
		const { tools, did } = tellingTools();
		const { wave } = await recovered(cut, { tools });
		expect(shorts(wave)).toEqual(["1", "OUTCOME_UNKNOWN", "3"]);
		expect(wave.results[1]?.outcome).toMatchObject({ error: { details: { reason: "CRASHED" } } });
		expect(did).toEqual(["look 3"]);
	});

	it("RV1: does so for each write of a segment whose intents stand, and runs a write that has none", async () => {
		const cut = await cutBefore(await whole(["note 1", "note 2", "put 3"]), "tool_called 0");
		const { tools, did } = tellingTools();
		const { wave } = await recovered(cut, { tools });
		expect(shorts(wave)).toEqual(["OUTCOME_UNKNOWN", "OUTCOME_UNKNOWN", "3"]);
		expect(did).toEqual(["put 3"]);
	});

	it("repeats a write that was declared idempotent, with the same idempotency key", async () => {
		const first = tellingTools();
		const cut = await cutBefore(await whole(["look 1", "set 2"], first.tools), "tool_called 1");
		const { tools, did, keys } = tellingTools();
		const { wave } = await recovered(cut, { tools });
		expect(shorts(wave)).toEqual(["1", "2"]);
		expect(did).toEqual(["set 2"]);
		expect(keys).toEqual([first.keys[1]]);
	});

	it("RV1: repeats no idempotent call that had begun a call which is not", async () => {
		const outer = toolOf("outer", async (_args, { invokeTool }) => invokeTool("put", { n: 5 }), {
			effect: "write",
			idempotent: true,
		});
		const first = tellingTools();
		const cut = await cutBefore(await whole(["outer"], [outer, ...first.tools]), "tool_called 0");
		expect(await sketchOf(cut)).toEqual(["model_returned", "intent 0", "intent 0"]);
		const { tools, did } = tellingTools();
		const { wave } = await recovered(cut, { tools: [outer, ...tools] });
		expect(shorts(wave)).toEqual(["OUTCOME_UNKNOWN"]);
		expect(did).toEqual([]);
	});

	it("RV1: goes by the intent also where the call's own line says that it reads", async () => {
		const { tools, did } = tellingTools();
		const ledger = memoryLedger();
		const stamp = { runId: "r", at: 1 };
		const line = {
			index: 0,
			id: "id-0",
			name: "look",
			args: { n: 1 },
			lineage: [0],
			effect: "read",
			render: "generic",
		};
		ledger.append([
			{ kind: "model_returned", ...stamp, data: { step: 0, calls: [{ id: "id-0", name: "look", args: { n: 1 } }] } },
			{ kind: "intent", ...stamp, data: { step: 0, index: 0, name: "look", idempotent: false, lineage: [0] } },
			{ kind: "tool_called", ...stamp, data: line },
		]);
		const { wave } = await recovered(ledger, { tools });
		expect(shorts(wave)).toEqual(["OUTCOME_UNKNOWN"]);
		expect(did).toEqual([]);
	});

	it("says that a write is not known whatever ends the wave: an abort, a host that cancels, a stop on errors", async () => {
		const failing = toolOf("fail", () => {
			throw new Error("no");
		});
		const { tools } = tellingTools();
		const made = await whole(["fail 1", "put 2"], [failing, ...tools]);
		const endings: [Partial<EngineOptions>, ResumeOptions][] = [
			[{}, { signal: AbortSignal.abort(new Error("enough")) }],
			[{}, { stillGoing: () => "cancel" }],
			[{ onError: "stop" }, {}],
		];
		for (const [options, resume] of endings) {
			const cut = await cutBefore(made, "tool_called 1");
			const { wave } = await recovered(cut, { tools: [failing, ...tools], ...options }, resume);
			expect(short(wave.results[1]?.outcome ?? { ok: true, value: null })).toBe("OUTCOME_UNKNOWN");
		}
	});

	it("does not need the tool of a write that is not known", async () => {
		const cut = await cutBefore(await whole(["put 2"]), "tool_called 0");
		const { wave } = await recovered(cut);
		expect(shorts(wave)).toEqual(["OUTCOME_UNKNOWN"]);
	});

	it("runs none of the calls of a reply that had been cut by its length", async () => {
		const ledger = memoryLedger();
		const first = benchOf({ tools: tellingTools().tools, ledger: lasting(ledger) });
		const step = first.engine.openStep({ runId: "r" });
		for (const call of callsOf("put 1", "put 2")) step.offer(call);
		await step.discard("length");
		for (const place of ["tool_called 0", "tool_called 1"]) {
			const cut = await cutBefore(ledger, place);
			const { tools, did } = tellingTools();
			// Of such calls the host is not asked: what it says comes after the step.
			const stillGoing = () => ({ steer: "too early" });
			const { wave } = await recovered(cut, { tools }, { stillGoing });
			expect([shorts(wave), wave.steers]).toEqual([["RESPONSE_INCOMPLETE", "RESPONSE_INCOMPLETE"], []]);
			expect(did).toEqual([]);
			expect(await linesIn(cut)).toEqual(await linesIn(ledger));
		}
	});

	it("that had come to its end gives its results, and nothing runs or is written but that it was resumed", async () => {
		const ledger = await whole(["look 1", "put 2", "missing"]);
		const before = await sketchOf(ledger);
		const { tools, did } = tellingTools();
		const { wave } = await recovered(ledger, { tools });
		expect(shorts(wave)).toEqual(["1", "2", "UNKNOWN_TOOL"]);
		expect(did).toEqual([]);
		expect(await sketchOf(ledger)).toEqual([...before, "run_resumed"]);
	});

	it("that the ledger does not hold is refused by its name", async () => {
		const ledger = await whole(["look 1"]);
		await expect(recover(ledger, "other")).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
		await expect(recover(ledger, "other")).rejects.toThrow('"other"');
		await expect(recover(memoryLedger(), "r")).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
		await expect(recover(join(folder(), "none"), "r")).rejects.toMatchObject({ code: "LEDGER_FAILED" });
	});

	it("is its own: what other runs of the ledger, other steps and later waves hold is nothing to it", async () => {
		const ledger = memoryLedger();
		const { tools } = tellingTools();
		const { engine } = benchOf({ tools, ledger: lasting(ledger) });
		await engine.executeWave(callsOf("put 1"), { runId: "r", step: 0 });
		await engine.executeWave(callsOf("look 2", "look 3"), { runId: "r", step: 1 });
		await engine.executeWave(callsOf("put 4", "put 5"), { runId: "s", step: 1 });
		const { step } = await recover(ledger, "r");
		expect(step).toBe(1);
		const { wave } = await recovered(ledger, { tools });
		expect(shorts(wave)).toEqual(["2", "3"]);
	});

	it("is read from a path as from a ledger, and with its values in the checkpoint", async () => {
		const big = toolOf("big", () => "x".repeat(200_000));
		const bytes = toolOf("bytes", () => new Uint8Array([1, 2, 3]));
		for (const make of [fileLedger, sqliteLedger]) {
			const path = join(folder(), "l");
			const { engine } = benchOf({ tools: [big, bytes], ledger: make(path) });
			const first = await engine.executeWave(callsOf("big", "bytes"), { runId: "r" });
			await engine.close();
			const checkpoint = await recoveredWave(path, "r");
			const other = benchOf({ tools: [big, bytes] });
			const again = await other.engine.resume(checkpoint);
			expect(again.results.map(({ outcome }) => outcome)).toEqual(first.results.map(({ outcome }) => outcome));
		}
	});
});

describe("a call that a crash cut off between its lines", () => {
	it("has its lines once, whatever of them stood there", async () => {
		const outer = toolOf("outer", async (_args, { invokeTool }) => invokeTool("look", { n: 5 }));
		const tools = [outer, ...tellingTools().tools];
		const ledger = await whole(["look 1", "outer", "look 2"], tools);
		const lines = await linesIn(ledger);
		const count = (await recordsOf(ledger)).length;
		for (let left = 1; left <= count; left += 1) {
			const cut = memoryLedger();
			cut.append((await recordsOf(ledger)).slice(0, left));
			const { wave } = await recovered(cut, { tools });
			expect(shorts(wave)).toEqual(["1", "5", "2"]);
			expect(await linesIn(cut)).toEqual(lines);
		}
	});

	it("RH1: that makes other calls when it runs again has its lines anew, behind those of its first try", async () => {
		let runs = 0;
		const outer = toolOf("outer", async (_args, { invokeTool }) => {
			runs += 1;
			return runs === 2 ? "alone" : invokeTool("look", { n: 5 });
		});
		const tools = [outer, ...tellingTools().tools];
		const full = await recordsOf(await whole(["outer", "look 1"], tools));
		const ledger = memoryLedger();
		ledger.append(full.slice(0, 3));
		const { wave } = await recovered(ledger, { tools });
		expect(shorts(wave)).toEqual(['"alone"', "1"]);
		const again = await recovered(ledger, { tools });
		expect(shorts(again.wave)).toEqual(['"alone"', "1"]);
		expect(runs).toBe(2);
	});

	it("whose host had steered is not steered twice", async () => {
		const ledger = memoryLedger();
		const { tools } = tellingTools();
		const { engine } = benchOf({ tools, ledger: lasting(ledger) });
		const asked: number[] = [];
		const stillGoing = (index: number) => {
			asked.push(index);
			return { steer: `before ${index}` };
		};
		await engine.executeWave(callsOf("look 1", "look 2"), { runId: "r", stillGoing });
		for (const place of ["steer_received", "tool_called 0", "tool_result 0", "tool_called 1", "tool_result 1"]) {
			const cut = await cutBefore(ledger, place);
			asked.length = 0;
			const { wave } = await recovered(cut, { tools }, { stillGoing });
			expect(wave.steers).toEqual(["before 0", "before 1"]);
			expect(await linesIn(cut)).toEqual(await linesIn(ledger));
		}
		expect(asked).toEqual([]);
	});
});
