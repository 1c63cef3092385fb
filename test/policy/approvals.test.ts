// The host's word on which calls a person must approve.

import { describe, expect, it } from "vitest";
import { approvals, type Effect, memoryLedger, type ToolCall } from "../../engine/index.js";
import { benchOf, callsOf, canonicalOf, shorts, toolOf } from "../support/law-kit.js";
import { idsOf, reloaded } from "../support/pause-kit.js";
import { called, refusal, verdict, viewOf } from "./policy-kit.js";

const EFFECTS: readonly Effect[] = [
	"read",
	"write",
	{ write: "notes" },
	"egress",
	{ connector: "mail" },
	"spawn",
	"govern",
];

function word(options: Parameters<typeof approvals>[0], name: string, effect: Effect): string {
	const said = verdict(approvals(options), called(name), viewOf({ effect }));
	return typeof said === "string" ? said : Object.keys(said).join();
}

describe("approvals", () => {
	it("asks about everything but reads where nothing else is said", () => {
		expect(EFFECTS.map((effect) => word({}, "any", effect))).toEqual([
			"clear",
			"ask",
			"ask",
			"ask",
			"ask",
			"ask",
			"ask",
		]);
	});

	it("is about the calls for which every condition of a rule holds", () => {
		const ask = [
			{ tools: ["send"], effects: ["write", "connector"] as const, when: ({ args }: ToolCall) => args !== 1 },
		];
		const said = (name: string, effect: Effect, args: unknown = 0) =>
			verdict(approvals({ ask }), called(name, args), viewOf({ effect }));
		expect(said("send", { write: "notes" })).toEqual({ ask: "Its effect is write(notes)." });
		expect(said("send", { connector: "mail" })).toEqual({ ask: "Its effect is connector(mail)." });
		expect([said("put", "write"), said("send", "egress"), said("send", "write", 1)]).toEqual([
			"clear",
			"clear",
			"clear",
		]);
	});

	it("puts never before always, and always before a question, whatever the order of the lists", () => {
		const [a, b, c] = ["a", "b", "c"].map((name) => ({ tools: [name] }));
		const lists = { ask: [{}], allow: [a ?? {}, b ?? {}], deny: [b ?? {}, c ?? {}] };
		expect(["a", "b", "c", "d"].map((name) => word(lists, name, "read"))).toEqual(["clear", "deny", "deny", "ask"]);
	});

	it("gives the first rule's reason to the person, and to the model where it refuses", () => {
		const policy = approvals({
			deny: [{ tools: ["drop"], reason: "Tables are dropped by hand." }, { tools: ["wipe"] }],
			ask: [{ effects: ["spawn"], reason: "It runs a program." }, {}],
		});
		expect(verdict(policy, called("run"), viewOf({ effect: "spawn" }))).toEqual({ ask: "It runs a program." });
		expect(refusal(verdict(policy, called("drop"), viewOf()))).toMatchObject({
			rule: "approvals",
			violation: "Tables are dropped by hand.",
		});
		expect(refusal(verdict(policy, called("wipe"), viewOf())).violation).toContain("wipe");
	});

	it("fails the call whose rule says neither yes nor no", async () => {
		const { engine } = benchOf({ policies: [approvals({ ask: [{ when: (async () => false) as never }] })] });
		expect(shorts(await engine.executeWave(callsOf("write 1")))).toEqual(["POLICY_FAILED"]);
	});

	it.each<[object, string]>([
		[{ asks: [] }, '"asks" is not known; perhaps "ask" is meant'],
		[{ ask: "write" }, 'ask is "write", not a list'],
		[{ ask: ["write"] }, 'ask[0] is "write", not a rule'],
		[{ deny: [{ tool: "send" }] }, '"deny[0].tool" is not known; perhaps "tools" is meant'],
		[{ allow: [{ tools: "send" }] }, 'allow[0].tools is "send", not a list'],
		[{ allow: [{ tools: [1] }] }, "allow[0].tools holds 1"],
		[{ ask: [{ effects: ["wirte"] }] }, 'ask[0].effects holds "wirte"'],
		[{ ask: [{ when: true }] }, "ask[0].when is true"],
		[{ ask: [{ reason: "" }] }, 'ask[0].reason is ""'],
	])("refuses %j", (options, problem) => {
		const made = () => approvals(options as never);
		expect(made).toThrow(
			expect.objectContaining({ code: "INVALID_OPTIONS", message: expect.stringContaining(problem) }),
		);
	});
});

describe("a wave under approvals", () => {
	const did: string[] = [];
	const tools = ["put", "send", "drop"].map((name) =>
		toolOf(name, ({ n }) => did.push(`${name} ${n}`) && n, { effect: name === "send" ? "egress" : "write" }),
	);
	const policies = () => [
		approvals({
			deny: [{ tools: ["drop"] }],
			allow: [{ tools: ["put"], when: ({ args }) => (args as { n: number }).n < 5 }],
		}),
	];

	it("asks about the calls of its rules alone, and an `always` covers the tool for the rest of the run", async () => {
		did.length = 0;
		const { engine } = benchOf({ tools, policies: policies() });
		const wave = await engine.executeWave(callsOf("put 1", "drop 2", "put 7", "send 3", "put 8"), { runId: "r" });
		expect(wave.questions.map(({ id, question }) => [id, (question as { detail?: string }).detail])).toEqual([
			["r/0/2/0", "Its effect is write."],
		]);
		const answers = { "r/0/2/0": { approve: true, always: true } };
		const second = await engine.resume(reloaded(wave.checkpoint), { answers });
		expect(idsOf(second)).toEqual(["r/0/3/0"]);
		const third = await engine.resume(reloaded(second.checkpoint), { answers: { "r/0/3/0": false } });
		expect(shorts(third)).toEqual(["1", "DENIED", "7", "DECLINED", "8"]);
		expect(did).toEqual(["put 1", "put 7", "put 8"]);
	});

	it("leaves a tool's own wish to be approved as it is, also where the policy would let the call run", async () => {
		did.length = 0;
		const own = toolOf("own", () => did.push("own"), { requiresApproval: true });
		for (const listed of [[], [approvals({ allow: [{}] })]]) {
			const { engine } = benchOf({ tools: [own], policies: listed });
			expect((await engine.executeWave(callsOf("own"), { runId: "r" })).questions).toHaveLength(1);
		}
		expect(did).toEqual([]);
	});

	it("refuses, by the rule no-asker, where nobody can be asked", async () => {
		const { engine } = benchOf({ tools, policies: policies(), asker: "none" });
		const wave = await engine.executeWave(callsOf("send 1", "put 1"));
		expect(wave.results[0]?.outcome).toMatchObject({ error: { code: "DENIED", details: { rule: "no-asker" } } });
		expect(shorts(wave)[1]).toBe("1");
	});

	it("writes the lines of a run in which nobody had to be asked, once everything is approved", async () => {
		const calls = callsOf("put 1", "put 7", "send 3");
		const plain = memoryLedger();
		await benchOf({ tools, ledger: plain }).engine.executeWave(calls, { runId: "r" });
		const ledger = memoryLedger();
		const asked = benchOf({ tools, ledger, policies: policies(), asker: async () => ({ approve: true }) });
		await asked.engine.executeWave(calls, { runId: "r" });
		// What was asked and answered is outside of the canonical view, as empty lines.
		expect((await canonicalOf(ledger)).filter((line) => line !== "")).toEqual(await canonicalOf(plain));
	});
});
