// What becomes of a call that had begun to act when its process ended, and that its tool allows to run again, where
// something keeps it from doing so.

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type EngineOptions, type Ledger, memoryLedger, type ResumeOptions, type Tool } from "../../engine/index.js";
import { cutBefore, recovered, recoveredWave } from "../support/crash-kit.js";
import { benchOf, callsOf, short, toolOf } from "../support/law-kit.js";
import { lasting, reloaded } from "../support/pause-kit.js";

const did: string[] = [];

function setting(rest: Parameters<typeof toolOf>[2] = {}): Tool {
	const set = ({ n = 0 }) => {
		did.push(`set ${n}`);
		return n;
	};
	return toolOf("set", set, { effect: "write", idempotent: true, ...rest });
}

const fail = toolOf("fail", () => {
	throw new Error("no");
});
const look = toolOf("look", ({ n = 0 }) => n);
const whole = toolOf("set", () => 0, {
	effect: "write",
	idempotent: true,
	parameters: z.object({ whole: z.string() }),
});
const refusing = { rule: "none", violation: "No writes.", alternative: "Read." };

/** What keeps the call from running again: what the engine that recovers it has, and what its resume says. */
const KEEPS: Record<string, readonly [Partial<EngineOptions>, ResumeOptions?]> = {
	"the tool is not idempotent any more": [{ tools: [setting({ idempotent: false }), look, fail] }],
	"the tool only reads now": [{ tools: [setting({ effect: "read", idempotent: false }), look, fail] }],
	"the tool is gone": [{ tools: [look, fail] }],
	"its arguments do not fit any more": [{ tools: [whole, look, fail] }],
	"its keys cannot be told": [
		{
			tools: [
				setting({
					lockKeys: () => {
						throw new Error("no keys");
					},
				}),
				look,
				fail,
			],
		},
	],
	"a policy refuses it": [
		{
			policies: [{ name: "closed", admit: ({ name }) => (name === "set" ? { deny: refusing } : "clear") }],
		},
	],
	"a policy fails": [
		{
			policies: [
				{
					name: "broken",
					admit() {
						throw new Error("broken");
					},
				},
			],
		},
	],
	"middleware answers in its place": [
		{
			middleware: [
				{
					name: "veto",
					wrapToolCall: async () => ({
						ok: false,
						error: { code: "DECLINED", message: "Not today.", recovery: "Go on without it." },
					}),
				},
			],
		},
	],
	"a person declines it": [{ tools: [setting({ requiresApproval: true }), look, fail], asker: () => false }],
	"nobody can be asked about it": [{ tools: [setting({ requiresApproval: true }), look, fail], asker: "none" }],
	"the host aborts": [{}, { signal: AbortSignal.abort(new Error("enough")) }],
	"the host cancels": [{}, { stillGoing: () => "cancel" }],
	"an error stops the step": [{ onError: "stop" }],
};

/** A run `r` whose process ended while the second of two calls, an idempotent write, ran. */
async function cutOff(): Promise<Ledger> {
	const ledger = memoryLedger();
	const { engine } = benchOf({ tools: [setting(), fail], ledger: lasting(ledger) });
	await engine.executeWave(callsOf("fail 1", "set 2"), { runId: "r" });
	did.length = 0;
	return cutBefore(ledger, "tool_called 1");
}

describe("a call that had begun, and that may run again", () => {
	it.each(Object.keys(KEEPS))("TU2: is not known where %s, and does not run", async (name) => {
		const [options, resume] = KEEPS[name] ?? [{}];
		const ledger = await cutOff();
		const { wave } = await recovered(ledger, { tools: [setting(), look, fail], ...options }, resume);
		const outcome = wave.results[1]?.outcome;
		expect(outcome).toMatchObject({ error: { code: "OUTCOME_UNKNOWN", details: { reason: "CRASHED" } } });
		expect(did).toEqual([]);
		// And so it stands: the next recovery knows no more.
		const again = await recovered(ledger, { tools: [setting(), look, fail] });
		expect([again.wave.results[1]?.outcome, did]).toEqual([outcome, []]);
	});

	it("runs again where nothing keeps it, and ends as it then ends", async () => {
		const fine = await recovered(await cutOff(), { tools: [setting(), fail] });
		expect([short(fine.wave.results[1]?.outcome ?? { ok: false, error: never }), did]).toEqual(["2", ["set 2"]]);
		const failing = toolOf("set", fail.execute as never, { effect: "write", idempotent: true });
		const failed = await recovered(await cutOff(), { tools: [failing, fail] });
		expect(failed.wave.results[1]?.outcome).toMatchObject({ error: { code: "TOOL_FAILED" } });
	});

	it("has what a policy knows of it, which is a value", async () => {
		const knowing = { name: "knowing", admit: ({ name }: { name: string }) => (name === "set" ? known : "clear") };
		const known = { answer: { ok: true, value: "kept" } } as const;
		const { wave } = await recovered(await cutOff(), { tools: [setting(), fail], policies: [knowing] });
		expect([wave.results[1]?.outcome, did]).toEqual([known.answer, []]);
	});

	it("has begun across a pause that came before it ran again, too", async () => {
		const ask = toolOf("ask", (_args, { interrupt }) => interrupt("why"), {
			effect: "write",
			idempotent: true,
			isConcurrencySafe: true,
			mayAsk: true,
		});
		const tools = [ask, setting({ isConcurrencySafe: true })];
		const ledger = memoryLedger();
		const first = benchOf({ tools: [toolOf("ask", () => 0, ask), ...tools.slice(1)], ledger: lasting(ledger) });
		await first.engine.executeWave(callsOf("ask 1", "set 2"), { runId: "r" });
		const cut = await cutBefore(ledger, "tool_called 0");
		did.length = 0;
		// One at a time: the first asks before the second has its turn.
		const { wave } = await recovered(cut, { tools, maxParallelToolCalls: 1 });
		expect([wave.status, did]).toEqual(["paused", []]);
		const signal = AbortSignal.abort(new Error("enough"));
		for (const checkpoint of [wave.checkpoint, await recoveredWave(cut, "r")]) {
			const { engine } = benchOf({ tools, ledger: memoryLedger() });
			const ended = await engine.resume(reloaded(checkpoint), { signal });
			expect(ended.results[1]?.outcome).toMatchObject({ error: { code: "OUTCOME_UNKNOWN" } });
			expect(did).toEqual([]);
		}
	});
});

const never = { code: "ABORTED", message: "", recovery: "" } as const;
