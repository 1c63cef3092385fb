// A face that throws costs the call it threw for, and a face of one closure makes serial waves.

import { describe, expect, it } from "vitest";
import type { ConcurrentInvoke } from "../../engine/admission/concurrent-invoke.js";
import { answered, failed } from "../../engine/core/outcome.js";
import { executeConcurrent, memoryLedger, openAhead, serialFace } from "../../engine/index.js";
import { HeldWork } from "../support/held-work.js";
import { callsOf, linesOf, shorts } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";

/** A face of reads in which the named member throws for the call `id-1`. */
function throwingIn(member: string, accounted: string[] = []): ConcurrentInvoke<string> {
	const throwAt = (where: string, id: string): void => {
		if (where === member && id === "id-1") throw new Error(`${member} broke`);
	};
	return {
		resolveCall(call) {
			throwAt("resolveCall", call.id);
			return call;
		},
		metaOf(call) {
			throwAt("metaOf", call.id);
			return { name: call.name, effect: "read" };
		},
		admit(call) {
			throwAt("admit", call.id);
			return { cleared: call.id };
		},
		tool(id) {
			throwAt("tool", id);
			return {
				invoke() {
					throwAt("invoke", id);
					return answered(id);
				},
			};
		},
		account(call, _ticket, outcome) {
			accounted.push(call.id);
			throwAt("account", call.id);
			return outcome;
		},
	};
}

describe("a face that throws", () => {
	it.each(["resolveCall", "metaOf", "admit", "tool", "account"])(
		"in %s fails that call alone as the policy's fault",
		async (member) => {
			const ledger = memoryLedger();
			const wave = await executeConcurrent(throwingIn(member), callsOf("a 0", "a 1", "a 2"), { ledger });
			expect(shorts(wave)).toEqual(['"id-0"', "POLICY_FAILED", '"id-2"']);
			expect(JSON.stringify(wave.results[1])).toContain(`${member} broke`);
			expect(await linesOf(ledger)).toHaveLength(1 + 2 * 3);
		},
	);

	it("in what a cleared call runs on has a tool that failed", async () => {
		const wave = await executeConcurrent(throwingIn("invoke"), callsOf("a 0", "a 1", "a 2"));
		expect(shorts(wave)).toEqual(['"id-0"', "TOOL_FAILED", '"id-2"']);
	});

	it.each([
		["account", "POLICY_FAILED"],
		["invoke", "TOOL_FAILED"],
	] as const)("that answers %s with what is no outcome, nor any text, costs that call alone", async (member, code) => {
		const nothingLikeIt = Object.create(null) as never;
		const base = throwingIn("nothing");
		const face: ConcurrentInvoke<string> = {
			...base,
			tool: (id) => (member === "invoke" && id === "id-1" ? { invoke: async () => nothingLikeIt } : base.tool(id)),
			account: async (call, _ticket, outcome) => (member === "account" && call.id === "id-1" ? nothingLikeIt : outcome),
		};
		const wave = await executeConcurrent(face, callsOf("a 0", "a 1", "a 2"));
		expect(shorts(wave)).toEqual(['"id-0"', code, '"id-2"']);
		expect(JSON.stringify(wave.results[1])).toContain("null prototype");
	});

	it("is asked to account every call with a ticket once, and none that it answered", async () => {
		const accounted: string[] = [];
		await executeConcurrent(throwingIn("tool", accounted), callsOf("a 0", "a 1", "a 2"));
		expect(accounted).toEqual(["id-0", "id-1", "id-2"]);
		const answering: string[] = [];
		await executeConcurrent(throwingIn("admit", answering), callsOf("a 0", "a 1", "a 2"));
		expect(answering).toEqual(["id-0", "id-2"]);
	});

	it("is asked to account an aborted call that has a ticket", async () => {
		const host = new AbortController();
		const accounted: string[] = [];
		const face: ConcurrentInvoke<string> = {
			...throwingIn("nothing", accounted),
			tool: () => ({ invoke: () => new Promise(() => undefined) }),
		};
		const running = executeConcurrent(face, callsOf("a 0", "a 1"), { signal: host.signal, maxParallelToolCalls: 1 });
		await settled();
		host.abort();
		expect(shorts(await running)).toEqual(["ABORTED", "ABORTED_BEFORE_DISPATCH"]);
		expect(accounted).toEqual(["id-0", "id-1"]);
	});
});

describe("serialFace", () => {
	it("answers each call as it admits it, so its waves are serial", async () => {
		const held = new HeldWork();
		const asked: string[] = [];
		const face = serialFace(async (call) => {
			asked.push(call.id);
			await held.hold(call.id);
			return answered(call.id);
		});
		const running = executeConcurrent(face, callsOf("a", "a", "a"), { maxParallelToolCalls: 5 });
		for (const id of ["id-0", "id-1", "id-2"]) {
			await settled();
			expect(held.waiting).toEqual([id]);
			held.release(id);
		}
		expect(shorts(await running)).toEqual(['"id-0"', '"id-1"', '"id-2"']);
		expect(asked).toEqual(["id-0", "id-1", "id-2"]);
	});

	it("writes entries without effect or render, and costs a throw its own call alone", async () => {
		const ledger = memoryLedger();
		const face = serialFace(({ id }) => {
			if (id === "id-0") throw new Error("the closure broke");
			return id === "id-1" ? failed("DENIED", { message: "Not now." }) : answered(2);
		});
		expect(shorts(await executeConcurrent(face, callsOf("a", "b", "c"), { ledger }))).toEqual([
			"POLICY_FAILED",
			"DENIED",
			"2",
		]);
		for await (const { kind, data } of ledger.entries()) {
			if (kind === "tool_called") expect(data).not.toHaveProperty("effect");
		}
	});
});

describe("a face's own early starts", () => {
	it("run what the face lends, once, and nothing where it lends nothing", async () => {
		const begun: string[] = [];
		const base = throwingIn("nothing");
		const lend = (id: string) => ({
			invoke() {
				begun.push(id);
				return answered(`early ${id}`);
			},
		});
		const face: ConcurrentInvoke<string> = {
			...base,
			tool: (id) => lend(id),
			ahead: (call) => (call.id === "id-0" ? lend(call.id) : undefined),
		};
		const calls = callsOf("a 0", "a 1");
		const ahead = openAhead(face);
		for (const [index, call] of calls.entries()) ahead.offer(index, call);
		await settled();
		expect(begun).toEqual(["id-0"]);
		expect(shorts(await executeConcurrent(face, calls, { ahead }))).toEqual(['"early id-0"', '"early id-1"']);
		expect(begun).toEqual(["id-0", "id-1"]);
	});
});
