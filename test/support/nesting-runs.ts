// Nesting runs
//
// Random small runs as plain data: what a model asks for in each step, calls that call and agents whose calls ask included,
// and the policies that see all of it. Everything is a function of the data, so that a run taken up in another engine comes
// to the same: models answer from the conversation alone, and what a person says from the question alone.
//
// Owns:      the shape of a case, its models and its tools, cases whose calls run one after another.
// Does not:  make cases whose calls run at once (at-once-runs.ts), or run any (nesting-engine.ts).

import fc from "fast-check";
import type { JsonValue } from "../../engine/core/json-value.js";
import type { ToolContext } from "../../engine/core/tool-context.js";
import { agentTool, type Message, type Model, scriptedModel, type Tool } from "../../engine/index.js";
import type { Hold } from "./held-work.js";
import { anything, toolOf } from "./law-kit.js";
import { memoFirst, type NestingPolicyName } from "./nesting-policies.js";

/** A call and, of one that calls, what it does in order. */
export interface Made {
	readonly name: string;
	readonly n: number;
	/** Of `nest`, `fan` and `scan`: calls that are made at once, the next ones when all of those were answered. */
	readonly does?: readonly (readonly Made[])[];
	/** Of an agent: what its model asks for, step by step. */
	readonly replies?: readonly (readonly Made[])[];
}

export interface NestingRun {
	readonly replies: readonly (readonly Made[])[];
	readonly policies: readonly NestingPolicyName[];
	readonly calls: number;
	readonly stopOnError: boolean;
	/** What a test chooses by: who goes on next, or how a pause is gone on from. */
	readonly picks: readonly number[];
	/** Where its ledger is cut. */
	readonly cut: number;
}

const POLICIES = ["witness", "memo", "taint", "budget", "step budget", "dedup"] as const;

const n = fc.nat(3);
const leaf: fc.Arbitrary<Made> = fc.record({
	name: fc.constantFrom("look", "look", "page", "put", "ask", "gated", "fail", "missing"),
	n,
});

function nestOf(inner: fc.Arbitrary<Made>): fc.Arbitrary<Made> {
	const inTurn = fc.array(fc.tuple(inner), { minLength: 1, maxLength: 3 });
	return fc.record({ name: fc.constant("nest"), n, does: inTurn });
}

function agentOf(inner: fc.Arbitrary<Made>): fc.Arbitrary<Made> {
	const reply = fc.array(inner, { minLength: 1, maxLength: 2 });
	return fc.record({
		name: fc.constant("agent"),
		n,
		replies: fc.array(reply, { minLength: 1, maxLength: 2 }),
	});
}

const inner = fc.oneof({ weight: 4, arbitrary: leaf }, { weight: 1, arbitrary: nestOf(leaf) });
const made = fc.oneof(
	{ weight: 3, arbitrary: leaf },
	{ weight: 2, arbitrary: nestOf(inner) },
	{ weight: 2, arbitrary: agentOf(inner) },
);

/** Whose calls that call run alone, and make their calls in turn. */
export const nestingRuns: fc.Arbitrary<NestingRun> = fc.record({
	replies: fc.array(fc.array(made, { minLength: 1, maxLength: 2 }), { minLength: 2, maxLength: 3 }),
	policies: fc.shuffledSubarray([...POLICIES], { minLength: 1 }).map(memoFirst),
	calls: fc.integer({ min: 2, max: 14 }),
	stopOnError: fc.boolean(),
	picks: fc.array(fc.nat(7), { minLength: 1, maxLength: 6 }),
	cut: fc.nat(1_000),
});

function replyOf(calls: readonly Made[]) {
	return { calls: calls.map(({ name, ...args }) => ({ name, args: args as unknown as JsonValue })) };
}

/** Replies by how often it has replied in the conversation. */
function modelOf(replies: (messages: readonly Message[]) => NestingRun["replies"], hold?: Hold): Model {
	return {
		async *stream(request) {
			const at = request.messages.filter(({ role }) => role === "assistant").length;
			await hold?.(`reply ${at}`);
			const reply = replies(request.messages)[at];
			const one = scriptedModel([reply === undefined ? `done after ${at}` : replyOf(reply)]);
			yield* one.stream({ ...request, messages: [] });
		},
	};
}

export function modelIn({ replies }: NestingRun): Model {
	return modelOf(() => replies);
}

function asOutcome(error: { readonly code?: string; readonly message: string }): string {
	return error.code ?? error.message;
}

async function makesCalls(args: unknown, { invokeTool }: ToolContext): Promise<unknown[]> {
	const said: unknown[] = [];
	for (const group of (args as Made).does ?? []) {
		const all = group.map(({ name, ...rest }) => invokeTool(name, rest).catch(asOutcome));
		said.push(...(await Promise.all(all)));
	}
	return said;
}

/** What agents may use: all that are none. */
const write = { effect: "write", idempotent: true } as const;
const safe = { ...write, isConcurrencySafe: true } as const;

function agentNamed(name: string, rest: object, hold?: Hold): Tool {
	const model = modelOf(([first]) => {
		const input = first?.role === "user" ? first.text : "{}";
		return (JSON.parse(input) as Made).replies ?? [];
	}, hold);
	return agentTool({ name, parameters: anything, ...rest, model } as never);
}

/** Writes are idempotent, so that a crash leaves nothing that nobody knows the end of. Each may be held by the test. */
export function nestingTools(hold?: Hold): Tool[] {
	const does = (name: string, answer: Parameters<typeof toolOf>[1], rest: Parameters<typeof toolOf>[2] = {}): Tool =>
		toolOf(
			name,
			async (args, context) => {
				await hold?.(`${name} ${args.n ?? 0}`);
				return answer(args, context);
			},
			rest,
		);
	const same = ({ n = 0 }: { readonly n?: number | undefined }): number => n;
	const slowly = anything.refine(async ({ n = 0 }) => {
		await hold?.(`schema ${n}`);
		return true;
	});
	const keyed = (args: unknown) => [`key ${(args as Made).n % 2}`];
	return [
		does("look", same),
		does("peek", same, { lockKeys: (args: unknown) => ({ read: keyed(args) }) }),
		does("slow", same, { parameters: slowly }),
		does("page", ({ n = 0 }) => `page ${n}`, { annotations: { openWorldHint: true } }),
		does("put", same, write),
		does("note", same, safe),
		does("save", same, { ...safe, lockKeys: keyed }),
		does("send", same, { ...safe, effect: "egress" }),
		does("ask", ({ n = 0 }, { interrupt }) => interrupt(`about ${n}`), { mayAsk: true }),
		does("gated", same, { ...write, requiresApproval: true }),
		does("fail", () => {
			throw new Error("it failed");
		}),
		does("nest", makesCalls, { ...write, mayAsk: true }),
		does("fan", makesCalls, { ...safe, mayAsk: true }),
		does("scan", makesCalls),
		agentNamed("agent", write, hold),
		agentNamed("crew", safe, hold),
		agentNamed("reader", { effect: "read" }, hold),
	];
}

/** What a person says: every third is not approved. */
export function saidTo({ question }: { readonly question: JsonValue }): JsonValue {
	const { kind, args } = question as { kind?: string; args?: { n: number } };
	return kind === "approval" ? (args?.n ?? 0) % 3 !== 2 : `to ${String(question)}`;
}
