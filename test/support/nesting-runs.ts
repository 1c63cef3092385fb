// Nesting runs
//
// Random small runs as plain data: what a model asks for in each step, calls that call and agents whose calls ask included,
// and the policies that see all of it. Everything is a function of the data, so that a run taken up in another engine comes
// to the same: models answer from the conversation alone, and what a person says from the question alone.
//
// Owns:      the shape of a case, its tools, its models, its policies.
// Does not:  run one (run/resumed-nested.test.ts).

import fc from "fast-check";
import type { JsonValue } from "../../engine/core/json-value.js";
import { answered, type Outcome } from "../../engine/core/outcome.js";
import {
	agentTool,
	budget,
	dedup,
	type Message,
	type Model,
	memo,
	type Policy,
	scriptedModel,
	type Tool,
	taint,
} from "../../engine/index.js";
import { anything, toolOf } from "./law-kit.js";

/** A call and, of one that calls, what it does in order. */
export interface Made {
	readonly name: string;
	readonly n: number;
	/** Of `nest`: calls, one after another. */
	readonly does?: readonly Made[];
	/** Of `agent`: what its model asks for, step by step. */
	readonly replies?: readonly (readonly Made[])[];
}

export interface NestingRun {
	readonly replies: readonly (readonly Made[])[];
	readonly policies: readonly PolicyName[];
	readonly calls: number;
	readonly stopOnError: boolean;
	/** How often out of eight a pause is gone on from in another engine, and where its ledger is cut. */
	readonly picks: readonly number[];
	readonly cut: number;
}

const POLICIES = ["witness", "memo", "taint", "budget", "step budget", "dedup"] as const;
type PolicyName = (typeof POLICIES)[number];

const n = fc.nat(3);
const leaf: fc.Arbitrary<Made> = fc.record({
	name: fc.constantFrom("look", "look", "page", "put", "ask", "gated", "fail", "missing"),
	n,
});

function nestOf(inner: fc.Arbitrary<Made>): fc.Arbitrary<Made> {
	return fc.record({ name: fc.constant("nest"), n, does: fc.array(inner, { minLength: 1, maxLength: 3 }) });
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

export const nestingRuns: fc.Arbitrary<NestingRun> = fc.record({
	replies: fc.array(fc.array(made, { minLength: 1, maxLength: 2 }), { minLength: 2, maxLength: 3 }),
	policies: fc.shuffledSubarray([...POLICIES], { minLength: 1 }),
	calls: fc.integer({ min: 2, max: 14 }),
	stopOnError: fc.boolean(),
	picks: fc.array(fc.nat(7), { minLength: 1, maxLength: 6 }),
	cut: fc.nat(1_000),
});

function replyOf(calls: readonly Made[]) {
	return { calls: calls.map(({ name, ...args }) => ({ name, args: args as unknown as JsonValue })) };
}

/** Replies by how often it has replied in the conversation. */
function modelOf(replies: (messages: readonly Message[]) => NestingRun["replies"]): Model {
	return {
		stream(request) {
			const at = request.messages.filter(({ role }) => role === "assistant").length;
			const reply = replies(request.messages)[at];
			const one = scriptedModel([reply === undefined ? `done after ${at}` : replyOf(reply)]);
			return one.stream({ ...request, messages: [] });
		},
	};
}

export function modelIn({ replies }: NestingRun): Model {
	return modelOf(() => replies);
}

function asOutcome(error: { readonly code?: string; readonly message: string }): string {
	return error.code ?? error.message;
}

/** Writes are idempotent, so that a crash leaves nothing that nobody knows the end of. */
export function nestingTools(): Tool[] {
	const write = { effect: "write", idempotent: true } as const;
	const nest = toolOf(
		"nest",
		async (args, { invokeTool }) => {
			const said: unknown[] = [];
			for (const { name, ...rest } of (args as unknown as Made).does ?? []) {
				said.push(await invokeTool(name, rest).catch(asOutcome));
			}
			return said;
		},
		{ ...write, mayAsk: true },
	);
	const agent = agentTool({
		name: "agent",
		parameters: anything,
		...write,
		tools: ["look", "page", "put", "ask", "gated", "fail", "nest"],
		model: modelOf(([first]) => {
			const input = first?.role === "user" ? first.text : "{}";
			return (JSON.parse(input) as { replies?: NestingRun["replies"] }).replies ?? [];
		}),
	} as never);
	return [
		toolOf("look", ({ n = 0 }) => n),
		toolOf("page", ({ n = 0 }) => `page ${n}`, { annotations: { openWorldHint: true } }),
		toolOf("put", ({ n = 0 }) => n, write),
		toolOf("ask", ({ n = 0 }, { interrupt }) => interrupt(`about ${n}`), { mayAsk: true }),
		toolOf("gated", ({ n = 0 }) => n, { ...write, requiresApproval: true }),
		toolOf("fail", () => {
			throw new Error("it failed");
		}),
		nest,
		agent,
	];
}

/** What a person says: every third is not approved. */
export function saidTo({ question }: { readonly question: JsonValue }): JsonValue {
	const { kind, args } = question as { kind?: string; args?: { n: number } };
	return kind === "approval" ? (args?.n ?? 0) % 3 !== 2 : `to ${String(question)}`;
}

export function nestingPolicies({ policies, calls }: NestingRun): Policy[] {
	const made: Readonly<Record<PolicyName, () => Policy>> = {
		witness,
		memo,
		taint: () => taint({ closes: ["write"] }),
		budget: () => budget({ run: { calls } }),
		"step budget": () => budget({ step: { calls: Math.ceil(calls / 2), bytes: calls * 20 } }),
		dedup: () => dedup({ answers: [] }),
	};
	return policies.map((name) => made[name]());
}

/** Marks what it accounts with a sum of all that it was told until then, in its order. */
function witness(): Policy {
	let sum = 0;
	const told = (what: string): void => {
		for (const char of what) sum = (sum * 31 + char.charCodeAt(0)) % 1_000_003;
	};
	return {
		name: "witness",
		admit({ name }, { step, index, lineage }) {
			told(`admit ${name} ${step} ${index} ${String(lineage)}`);
			return "clear";
		},
		account({ name }, outcome, { step, index, lineage }): Outcome | undefined {
			told(`account ${name} ${step} ${index} ${String(lineage)}`);
			return outcome.ok ? answered([outcome.value as JsonValue, sum]) : undefined;
		},
	};
}
