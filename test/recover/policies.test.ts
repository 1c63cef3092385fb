// What policies know of a run that goes on after a crash, and what they kept out of its ledger.

import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
	budget,
	dedup,
	definePolicy,
	type Middleware,
	memo,
	memoryLedger,
	type Policy,
	type RecordedAnswer,
	redact,
	taint,
} from "../../engine/index.js";
import { cutBefore, linesIn, recordsOf, recovered } from "../support/crash-kit.js";
import { benchOf, callsOf, shorts, toolOf } from "../support/law-kit.js";
import { lasting } from "../support/pause-kit.js";

/** Remembers what it is told, in order. */
function watching(): { readonly policy: Policy; readonly told: string[] } {
	const told: string[] = [];
	const policy = definePolicy({
		name: "watching",
		admit({ name }, { step, index }) {
			told.push(`admit ${step}.${index} ${name}`);
			return "clear";
		},
		account({ name }, outcome, { step, index }) {
			told.push(`account ${step}.${index} ${name} ${outcome.ok}`);
		},
	});
	return { policy, told };
}

describe("the policies of a recovered run", () => {
	it("hear of each call once, in the order and the segments of a run that nobody cut", async () => {
		const ledger = memoryLedger();
		const uncut = watching();
		const tools = ["look", "put"].map((name) => toolOf(name, () => 1, { effect: name === "put" ? "write" : "read" }));
		const { engine } = benchOf({ tools, ledger: lasting(ledger), policies: [uncut.policy] });
		await engine.executeWave(callsOf("look", "put"), { runId: "r", step: 0 });
		await engine.executeWave(callsOf("look", "look", "put", "look"), { runId: "r", step: 1 });
		const records = await recordsOf(ledger);
		for (let left = 7; left <= records.length; left += 1) {
			const cut = memoryLedger();
			cut.append(records.slice(0, left));
			const { policy, told } = watching();
			await recovered(cut, { tools, policies: [policy] });
			const unknown = told.map((line) => line.replace("1.2 put false", "1.2 put true"));
			expect(unknown).toEqual(uncut.told);
		}
	});

	it("count what was spent before the crash, in earlier steps too, and nothing of it twice", async () => {
		const ledger = memoryLedger();
		const limits = () => [budget({ run: { calls: 4 } })];
		const tools = [toolOf("look", () => 1)];
		const { engine } = benchOf({ tools, ledger: lasting(ledger), policies: limits() });
		await engine.executeWave(callsOf("look", "look"), { runId: "r", step: 0 });
		const wave = await engine.executeWave(callsOf("look", "look", "look"), { runId: "r", step: 1 });
		expect(shorts(wave)).toEqual(["1", "1", "DENIED"]);
		const records = await recordsOf(ledger);
		for (let left = 6; left <= records.length; left += 1) {
			const cut = memoryLedger();
			cut.append(records.slice(0, left));
			const { wave: rest } = await recovered(cut, { tools, policies: limits() });
			expect(shorts(rest)).toEqual(["1", "1", "DENIED"]);
			expect(await linesIn(cut)).toEqual(await linesIn(ledger));
		}
	});

	it("account nothing of what another of them had answered from memory", async () => {
		const ledger = memoryLedger();
		const look = toolOf("look", () => 1);
		const put = toolOf("put", () => 2, { effect: "write" });
		const limits = () => [memo(), budget({ run: { calls: 2 } })];
		const { engine } = benchOf({ tools: [look, put], ledger: lasting(ledger), policies: limits() });
		await engine.executeWave(callsOf("look 1"), { runId: "r", step: 0 });
		const calls = callsOf("look 1", "look 1", "missing", "put 2", "look 3");
		const again = await engine.executeWave(calls, { runId: "r", step: 1 });
		expect(shorts(again)).toEqual(["1", "1", "UNKNOWN_TOOL", "2", "DENIED"]);
		const records = await recordsOf(ledger);
		const unknown = ["1", "1", "UNKNOWN_TOOL", "OUTCOME_UNKNOWN", "DENIED"];
		for (let left = 4; left <= records.length; left += 1) {
			const cut = memoryLedger();
			cut.append(records.slice(0, left));
			const { wave } = await recovered(cut, { tools: [look, put], policies: limits() });
			const hasBegun = records[left - 1]?.kind === "intent" || records[left - 2]?.kind === "intent";
			expect(shorts(wave)).toEqual(hasBegun ? unknown : shorts(again));
		}
	});

	it("know the taint that an earlier step brought in", async () => {
		const ledger = memoryLedger();
		const page = toolOf("page", () => "from outside", { annotations: { openWorldHint: true } });
		const put = toolOf("put", () => 1, { effect: "write" });
		const { engine } = benchOf({ tools: [page, put], ledger: lasting(ledger), policies: [taint()] });
		await engine.executeWave(callsOf("page"), { runId: "r", step: 0 });
		expect(shorts(await engine.executeWave(callsOf("put"), { runId: "r", step: 1 }))).toEqual(["DENIED"]);
		const cut = memoryLedger();
		cut.append((await recordsOf(ledger)).slice(0, 4));
		const { wave } = await recovered(cut, { tools: [page, put], policies: [taint()] });
		expect(shorts(wave)).toEqual(["DENIED"]);
	});

	it("hear of the form that middleware had made of a call, as it ran", async () => {
		const middleware: Middleware[] = [
			{ name: "ten", wrapToolCall: (call, next) => next({ ...call, args: { n: 10 } }) },
		];
		const seeing = () => {
			const seen: string[] = [];
			const policy = definePolicy({
				name: "seeing",
				admit(_call, { index, args, rewritten }) {
					seen.push(`admit ${index} ${JSON.stringify(args)} ${rewritten === true}`);
					return "clear";
				},
				account: (_call, _outcome, { index, args }) => void seen.push(`account ${index} ${JSON.stringify(args)}`),
			});
			return { policy, seen };
		};
		const ledger = memoryLedger();
		const uncut = seeing();
		const look = toolOf("look", ({ n }) => n, { isConcurrencySafe: false });
		const options = { tools: [look], middleware };
		const { engine } = benchOf({ ...options, ledger: lasting(ledger), policies: [uncut.policy] });
		await engine.executeWave(callsOf("look 1", "look 2"), { runId: "r" });
		for (const place of ["tool_called 1", "tool_result 1"]) {
			const cut = await cutBefore(ledger, place);
			const { policy, seen } = seeing();
			const { wave } = await recovered(cut, { ...options, policies: [policy] });
			expect(shorts(wave)).toEqual(["10", "10"]);
			expect(seen).toEqual(uncut.seen);
			expect(await linesIn(cut)).toEqual(await linesIn(ledger));
		}
	});

	it("dedup answers a recovered run no second time: what was recorded is neither asked for nor written again", async () => {
		const ledger = memoryLedger();
		const look = toolOf("look", () => 1);
		const { engine } = benchOf({ tools: [look], ledger: lasting(ledger) });
		const { results } = await engine.executeWave(callsOf("look 1", "look 2"), { runId: "r" });
		const answers: RecordedAnswer[] = results.map(({ index, name, outcome }) => {
			return { runId: "r", step: 0, index, name, args: { n: index + 1 }, outcome };
		});
		const { policy, told } = watching();
		const cut = await cutBefore(ledger, "tool_called 1");
		const { wave } = await recovered(cut, { tools: [look], policies: [dedup({ answers }), policy] });
		expect(shorts(wave)).toEqual(["1", "1"]);
		expect(told).toEqual([]);
		expect(await linesIn(cut)).toEqual(await linesIn(ledger));
	});
});

const SECRET = `ghp_${"a1B2".repeat(9)}`;

describe("arguments that the ledger does not hold", () => {
	const ran: unknown[] = [];
	const tellingAll = (rest = {}) => toolOf("use", (args) => ran.push(args), { effect: "write", ...rest });
	const calls = [
		{ id: "0", name: "use", args: { token: SECRET } },
		{ id: "1", name: "use", args: { plain: true } },
	];

	async function cutAt(place: string, rest = {}) {
		const ledger = memoryLedger();
		const { engine } = benchOf({ tools: [tellingAll(rest)], ledger: lasting(ledger), policies: [redact()] });
		await engine.executeWave(calls, { runId: "r" });
		ran.length = 0;
		return cutBefore(ledger, place);
	}

	it("RV2: never reach a tool: the call says so, and the others run", async () => {
		const cut = await cutAt("intent 0");
		const { wave } = await recovered(cut, { tools: [tellingAll()], policies: [redact()] });
		expect(shorts(wave)).toEqual(["INVALID_ARGUMENTS", "1"]);
		expect(wave.results[0]?.outcome).toMatchObject({ error: { details: { reason: "CRASHED" } } });
		expect(ran).toEqual([{ plain: true }]);
	});

	it("RV2: are no reason to think that a write had not begun, idempotent or not", async () => {
		for (const idempotent of [false, true]) {
			const cut = await cutAt("tool_called 0", { idempotent });
			const { wave } = await recovered(cut, { tools: [tellingAll({ idempotent })], policies: [redact()] });
			expect(shorts(wave)).toEqual(["OUTCOME_UNKNOWN", "1"]);
		}
	});

	it("AL1: are those that a policy of the host's own had changed, in whatever way", async () => {
		const ledger = memoryLedger();
		const own = definePolicy({
			name: "own",
			record: ({ data }) => JSON.parse(JSON.stringify(data).replaceAll(SECRET, "harmless")),
		});
		const { engine } = benchOf({ tools: [tellingAll()], ledger: lasting(ledger), policies: [own] });
		await engine.executeWave(calls, { runId: "r" });
		ran.length = 0;
		const cut = await cutBefore(ledger, "intent 0");
		const { wave } = await recovered(cut, { tools: [tellingAll()], policies: [own] });
		expect(shorts(wave)).toEqual(["INVALID_ARGUMENTS", "1"]);
		expect(ran).toEqual([{ plain: true }]);
	});

	it("are no way to a call that had settled before the run paused: it keeps its outcome, and the run goes on", async () => {
		const ledger = memoryLedger();
		const hiding = definePolicy({
			name: "hiding",
			record: ({ data }) => JSON.parse(JSON.stringify(data).replaceAll('"n":7', '"n":"hidden"')),
		});
		const asking = toolOf("ask", (_args, context) => context.interrupt("which?"), { mayAsk: true });
		const look = toolOf("look", (args) => `seen ${ran.push(args)}`, {
			effect: "read",
			parameters: z.object({ n: z.number() }),
		});
		const tools = [asking, look];
		const { engine } = benchOf({ tools, ledger: lasting(ledger), policies: [hiding] });
		const asked = [
			{ id: "0", name: "ask", args: {} },
			{ id: "1", name: "look", args: { n: 7 } },
		];
		ran.length = 0;
		await engine.executeWave(asked, { runId: "r" });
		const { wave } = await recovered(ledger, { tools, policies: [hiding] }, { answers: { "r/0/0/1": "this" } });
		expect([shorts(wave), ran]).toEqual([['"this"', '"seen 1"'], [{ n: 7 }]]);
	});

	it("that were no data are as unreadable as they were", async () => {
		const ledger = memoryLedger();
		const { engine } = benchOf({ tools: [tellingAll()], ledger: lasting(ledger) });
		const wrong = { id: "0", name: "use", args: { run: () => 1 } };
		await engine.executeWave([wrong], { runId: "r" });
		const cut = await cutBefore(ledger, "tool_called 0");
		const { wave } = await recovered(cut, { tools: [tellingAll()] });
		expect(shorts(wave)).toEqual(["INVALID_ARGUMENTS"]);
		expect(await linesIn(cut)).toEqual(await linesIn(ledger));
	});
});
