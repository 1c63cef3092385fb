// A policy that answers late, when nobody waits for it any more: the policies after it are not asked.

import { describe, expect, it } from "vitest";
import { POLICY_MS_MAX } from "../../engine/core/limits.js";
import type { ToolContext } from "../../engine/core/tool-context.js";
import { type Middleware, type Policy, scriptedModel } from "../../engine/index.js";
import { HeldWork } from "../support/held-work.js";
import { benchOf, callsOf, linesOf, short, shorts, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";

type Stage = "admit" | "begin";

/** A policy that clears the calls with this `n` late, and one behind it that tells what it was asked. */
function lateAt(stage: Stage, late: number) {
	const held = new HeldWork();
	const asked: string[] = [];
	const first: Policy = {
		name: "late",
		[stage]: ({ args }: { readonly args: unknown }) => {
			const { n } = args as { readonly n?: number };
			return n === late ? held.hold("late").then(() => "clear" as const) : "clear";
		},
	};
	const behind: Policy = {
		name: "behind",
		[stage]: ({ name, args }: { readonly name: string; readonly args: unknown }) => {
			asked.push(`${name} ${(args as { readonly n?: number }).n}`);
			return "clear" as const;
		},
	};
	return { held, asked, policies: [first, behind] };
}

const look = toolOf("look", ({ n = 0 }) => n);
const maker = toolOf("maker", (_args, { invokeTool }: ToolContext) => invokeTool("look", { n: 1 }) as Promise<never>);
const put = toolOf("put", ({ n = 0 }) => n, { effect: "write" });
const another: Middleware = { name: "another", wrapToolCall: ({ name }, next) => next({ name, args: { n: 1 } }) };

describe("AK1: once a call was aborted, no further policy is asked about it", () => {
	it.each([
		["of the reply", "admit", "look 1", []],
		["that a call makes", "admit", "maker 0", []],
		["in a form that middleware made", "admit", "look 7", [another]],
		["that is about to begin", "begin", "put 1", []],
	] as const)("a call %s", async (_which, stage, call, middleware) => {
		const { held, asked, policies } = lateAt(stage, 1);
		const { engine, ledger } = benchOf({ tools: [look, maker, put], policies, middleware });
		const controller = new AbortController();
		const wave = engine.executeWave(callsOf(call), { signal: controller.signal });
		await settled();
		expect(held.waiting).toEqual(["late"]);
		const before = [...asked];
		controller.abort(new Error("enough"));
		await wave;
		const lines = await linesOf(ledger);
		held.release("late");
		await settled();
		expect(asked).toEqual(before);
		expect(await linesOf(ledger)).toEqual(lines);
	});

	it("by itself, and the calls beside it go on", async () => {
		const { held, asked, policies } = lateAt("admit", 1);
		const { engine } = benchOf({ tools: [look], policies });
		const calls = [0, 1, 2].map((n) => ({ name: "look", args: { n } }));
		const run = engine.run({ model: scriptedModel([{ calls }, "done"]), input: "x", runId: "r" });
		await settled();
		expect(run.abortCall(1)).toBe(true);
		held.release("late");
		const { messages } = await run;
		expect(asked).toEqual(["look 0", "look 2"]);
		const answers = messages.flatMap((message) => (message.role === "tool" ? [short(message.outcome)] : []));
		expect(answers).toEqual(["0", "ABORTED_BEFORE_DISPATCH", "2"]);
	});

	it("nor where several together took longer than an admission may", async () => {
		const held = new HeldWork();
		const asked: string[] = [];
		const slow = (name: string): Policy => ({
			name,
			admit: () => {
				asked.push(name);
				return held.hold(name).then(() => "clear" as const);
			},
		});
		const { engine, clock } = benchOf({ tools: [look], policies: [slow("a"), slow("b"), slow("c")] });
		const wave = engine.executeWave(callsOf("look 1"));
		await settled();
		await clock.pass(POLICY_MS_MAX * 0.6);
		held.release("a");
		await settled();
		await clock.pass(POLICY_MS_MAX * 0.6);
		expect(shorts(await wave)).toEqual(["POLICY_FAILED"]);
		held.release("b");
		await settled();
		expect(asked).toEqual(["a", "b"]);
	});
});
