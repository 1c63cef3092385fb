// The engine's own face: how policies are composed, and that a schema runs once.

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { PolicyFace } from "../../engine/admission/policy-face.js";
import { PlacedCall, type ToolCall } from "../../engine/core/call.js";
import type { Outcome } from "../../engine/core/outcome.js";
import { tool } from "../../engine/core/tool.js";
import { ToolSet } from "../../engine/core/tool-set.js";
import type { Policy, Verdict } from "../../engine/policy/policy.js";
import { ManualClock } from "../support/manual-clock.js";

const answered: Outcome = { ok: true, value: "answered" };
let parses = 0;
const counted = z.object({ n: z.number() }).transform(({ n }) => {
	parses += 1;
	return { n };
});
const read = tool({ name: "read", parameters: counted, effect: "read", execute: ({ n }) => n });

function faceOf(policies: readonly Policy[]): PolicyFace {
	const place = () => ({ invoke: () => answered });
	const rest = { runId: "run", step: 0, clock: new ManualClock(), ahead: "local", asks: false, place } as const;
	return new PolicyFace({ tools: new ToolSet([read]), policies, ...rest });
}

function prepared(face: PolicyFace, args: unknown = { n: 1 }): ToolCall {
	const call = new PlacedCall({ id: "1", name: "read", args }, 0);
	expect(face.prepare(call, 0)).toBeUndefined();
	return call;
}

/** A policy that notes when it is asked, and says what it is given to say. */
function noting(name: string, notes: string[], verdict: () => Verdict | Promise<Verdict> = () => "clear"): Policy {
	return {
		name,
		admit: () => {
			notes.push(`admit ${name}`);
			return verdict();
		},
		account: (_call, outcome) => {
			notes.push(`account ${name} ${outcome.ok}`);
		},
	};
}

describe("policies", () => {
	it("P1: admit in their order and account in reverse, with or without promises", async () => {
		for (const verdict of [(): Verdict => "clear", async (): Promise<Verdict> => "clear"]) {
			const notes: string[] = [];
			const face = faceOf([noting("a", notes), noting("b", notes, verdict), noting("c", notes)]);
			const call = prepared(face);
			const admitted = await face.admit(call, 0);
			if (!("cleared" in admitted)) throw new Error("the call was not cleared");
			expect(await face.account(call, admitted.cleared, answered)).toBe(answered);
			expect(notes).toEqual(["admit a", "admit b", "admit c", "account c true", "account b true", "account a true"]);
		}
	});

	it("P1: the first verdict that is not clear stands, and no later policy is asked", async () => {
		const notes: string[] = [];
		const deny = { rule: "office-hours", violation: "It is night.", alternative: "Call again at nine." };
		const face = faceOf([noting("a", notes), noting("b", notes, () => ({ deny })), noting("c", notes)]);
		expect(await face.admit(prepared(face), 0)).toEqual({
			answered: {
				ok: false,
				error: { code: "DENIED", message: "It is night.", recovery: "Call again at nine.", details: deny },
			},
		});
		expect(notes).toEqual(["admit a", "admit b"]);
	});

	const faults: readonly [string, () => Verdict | Promise<Verdict>][] = [
		[
			"throws",
			() => {
				throw new Error("broken");
			},
		],
		["rejects", () => Promise.reject(new Error("broken"))],
		["answers nonsense", () => "yes" as never],
		["answers nonsense by a promise", async () => ({ answer: 7 }) as never],
		["refuses without a word", () => ({ deny: { rule: "r", violation: "", alternative: "" } })],
	];
	it.each(faults)("P2: one that %s at admission ends the call as POLICY_FAILED, naming it", async (_how, verdict) => {
		const face = faceOf([noting("fragile", [], verdict)]);
		const admitted = await face.admit(prepared(face), 0);
		expect(admitted).toMatchObject({
			answered: {
				error: { code: "POLICY_FAILED", details: { policy: "fragile" }, message: expect.stringContaining("fragile") },
			},
		});
	});

	it.each([
		[{}, "rule"],
		[null, "rule"],
		["no", "rule"],
		[{ rule: 7, violation: "v", alternative: "a" }, "rule"],
		[{ rule: "r", alternative: "a" }, "violation"],
		[{ rule: "r", violation: "v", alternative: "" }, "alternative"],
	])("P2: one that refuses by %j is told which part of its refusal is missing", async (deny, part) => {
		const face = faceOf([noting("fragile", [], () => ({ deny }) as never)]);
		const message = `The policy fragile failed: its refusal has no \`${part}\` that is a sentence`;
		expect(await face.admit(prepared(face), 0)).toMatchObject({
			answered: { error: { code: "POLICY_FAILED", message } },
		});
	});

	it("P2: one that throws at accounting ends the call as POLICY_FAILED, and the policies outside it still account that", async () => {
		const notes: string[] = [];
		const fragile: Policy = {
			name: "fragile",
			account: () => {
				throw new Error("broken");
			},
		};
		const face = faceOf([noting("outer", notes), fragile, noting("inner", notes)]);
		const call = prepared(face);
		const admitted = await face.admit(call, 0);
		if (!("cleared" in admitted)) throw new Error("the call was not cleared");
		const outcome = await face.account(call, admitted.cleared, answered);
		expect(outcome).toMatchObject({ error: { code: "POLICY_FAILED", details: { policy: "fragile" } } });
		expect(notes.slice(2)).toEqual(["account inner true", "account outer false"]);
	});

	it("that want a person asked where nobody can be are a refusal by the rule no-asker", async () => {
		const face = faceOf([noting("careful", [], () => ({ ask: "May it?" }))]);
		expect(await face.admit(prepared(face), 0)).toMatchObject({
			answered: { error: { code: "DENIED", details: { rule: "no-asker" } } },
		});
	});
});

describe("preparation", () => {
	it("P3: runs a schema once for a call that is offered and then comes again, as text or with its fields in another order", () => {
		parses = 0;
		const face = faceOf([]);
		prepared(face, { n: 1 });
		prepared(face, '{ "n": 1 }');
		expect(parses).toBe(1);
		prepared(face, { n: 2 });
		expect(parses).toBe(2);
	});

	it("P1: gives a tool only to a ticket that admission minted", async () => {
		const face = faceOf([]);
		const admitted = await face.admit(prepared(face), 0);
		if (!("cleared" in admitted)) throw new Error("the call was not cleared");
		expect(face.tool(admitted.cleared)).toBeDefined();
		expect(() => face.tool({ ...admitted.cleared })).toThrow(/not minted/);
	});
});
