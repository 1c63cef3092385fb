// A run writes the same canonical lines, and tells its model the same, under every schedule, with and without early starts,
// and paused and taken to other engines as often as somebody is asked.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	agentTool,
	createEngine,
	type EngineOptions,
	type Message,
	memoryLedger,
	type RunResult,
	type ScriptedReply,
	scriptedModel,
	type Tool,
} from "../../engine/index.js";
import { anything, canonicalOf, short, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";
import { lasting } from "../support/pause-kit.js";

type Script = readonly { readonly calls: readonly string[]; readonly cut: boolean; readonly text: string }[];

interface Case {
	readonly script: Script;
	readonly inner: Script;
	readonly order: readonly number[];
}

const names = fc.constantFrom(
	"look",
	"look",
	"put",
	"note",
	"ask",
	"gated",
	"fail",
	"deep",
	"agent",
	"reader",
	"missing",
);
const innerNames = fc.constantFrom("look", "look", "put", "note", "ask", "gated", "fail", "missing");

function scripts(name: fc.Arbitrary<string>): fc.Arbitrary<Script> {
	const reply = fc.record({
		calls: fc.array(name, { minLength: 1, maxLength: 5 }),
		cut: fc.nat(9).map((n) => n === 0),
		text: fc.constantFrom("", "so"),
	});
	return fc.array(reply, { maxLength: 3 });
}

const cases: fc.Arbitrary<Case> = fc.record({
	script: scripts(names),
	inner: scripts(innerNames),
	order: fc.array(fc.nat(3), { minLength: 1, maxLength: 8 }),
});

function repliesOf(script: Script, rest: string): ScriptedReply[] {
	const replies = script.map(
		({ calls, cut, text }, step): ScriptedReply => ({
			text,
			calls: calls.map((name, n) => ({ name, args: { n: step * 10 + n } })),
			...(cut && { cut: "length" }),
		}),
	);
	return [...replies, rest];
}

/** How long a call takes follows from the case, so that calls settle in many orders. */
function toolsOf({ inner, order }: Case): Tool[] {
	let begun = 0;
	const slowly = async () => {
		const turns = order[begun % order.length] ?? 0;
		begun += 1;
		await settled(turns);
	};
	const does = (name: string, rest: Parameters<typeof toolOf>[2] = {}): Tool =>
		toolOf(
			name,
			async ({ n = 0 }, { interrupt, invokeTool }) => {
				await slowly();
				if (name === "fail") throw new Error(`fail ${n}`);
				if (name === "ask") return interrupt(n);
				return name === "deep" ? [await invokeTool("put", { n }), await invokeTool("ask", { n })] : [name, n];
			},
			rest,
		);
	const agent = (name: string, effect: "read" | "write"): Tool =>
		agentTool({ name, parameters: anything, effect, model: scriptedModel(repliesOf(inner, "inner is done")) });
	return [
		does("look"),
		does("fail"),
		does("put", { effect: "write" }),
		does("note", { effect: "write", isConcurrencySafe: true }),
		does("ask", { mayAsk: true }),
		does("gated", { requiresApproval: true, effect: "write" }),
		does("deep", { effect: "write", mayAsk: true }),
		agent("agent", "write"),
		agent("reader", "read"),
	];
}

const say = (question: unknown): unknown => (typeof question === "number" ? `to ${question}` : true);

async function read(one: Case, options: Partial<EngineOptions>): Promise<unknown> {
	const ledger = memoryLedger();
	const tools = toolsOf(one);
	const model = scriptedModel(repliesOf(one.script, "done"));
	const engines = [createEngine({ ...options, tools, ledger: lasting(ledger) })];
	let run = (await engines[0]?.run({ model, input: "x", runId: "r" })) as RunResult;
	while (run.status === "paused") {
		const next = createEngine({ ...options, tools, ledger: lasting(ledger) });
		engines.push(next);
		// One answer at a time.
		const [asked] = run.questions;
		const answers = { [asked?.id ?? ""]: say(asked?.question) as string };
		run = await next.resume(JSON.parse(JSON.stringify(run.checkpoint)), { model, answers });
	}
	for (const engine of engines) await engine.close();
	const messages = run.messages.map((message: Message) =>
		message.role === "tool" ? short(message.outcome) : message.text,
	);
	return { status: run.status, messages, lines: (await canonicalOf(ledger)).filter((line) => line !== "") };
}

describe("a run", () => {
	it("Law 4: reads the same under every schedule, ahead or not, paused or not", { timeout: 120_000 }, async () => {
		await fc.assert(
			fc.asyncProperty(cases, async (one) => {
				const asker = ({ question }: { readonly question: unknown }) => say(question);
				const serial = await read(one, { asker, schedule: "serial", ahead: false });
				expect(await read(one, { asker })).toEqual(serial);
				expect(await read(one, { asker, schedule: "leading-reads", maxParallelToolCalls: 2 })).toEqual(serial);
				expect(await read(one, {})).toEqual(serial);
			}),
			{ numRuns: 60 },
		);
	});
});
