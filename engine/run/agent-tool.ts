// Agent tool
//
// An agent as a tool: a model of its own that works with the engine's tools, as one call of another run. The loop is the
// same (run-loop.ts); what it stands on differs. Its calls are calls of that call: below it in lineage, under its abort,
// needing no slot, held to reads where it declares that it reads. Its lines stand between that call's two. Where one of
// its calls asks a person, the question travels up, the agent unwinds like any call that asks, and when it runs again the
// replies it had are read from memory: neither its model is asked again nor a call of it made again.
//
// Owns:      the tool, and a run's parts for it.
// Does not:  run calls (wave/nested-calls.ts). Nothing of an agent starts early: it may ask.
//
// Invariants:
//   AG1. An agent whose call asks a person is unwound; its own run never ends as paused.
//   AG2. An agent's list names tools that its engine has: another list is refused when the engine is made.

import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { ToolCall } from "../core/call.js";
import type { ReplyRecord } from "../core/call-record.js";
import { EngineError } from "../core/errors.js";
import { InvariantError, invariant } from "../core/invariant.js";
import { AGENT_DEPTH_MAX, RUN_STEPS_DEFAULT } from "../core/limits.js";
import { NearNames } from "../core/near-names.js";
import { showValue } from "../core/show-value.js";
import { isTool, type Tool, type ToolDefinition, tool } from "../core/tool.js";
import type { ToolContext } from "../core/tool-context.js";
import { ToolSet } from "../core/tool-set.js";
import { modelReturned, rawArguments } from "../ledger/call-entries.js";
import { type NestedRun, nestedRunOf } from "../wave/nested-run.js";
import type { ReplyItem } from "../wave/reply-item.js";
import type { WaveResult } from "../wave/wave-result.js";
import { describeTools } from "./describe-tools.js";
import { type Message, messagesOf } from "./messages.js";
import type { Model } from "./model-port.js";
import { RunControl } from "./run-control.js";
import { RunLoop, type RunParts, type RunStep } from "./run-loop.js";
import { checkedRequest, predicates } from "./run-request.js";
import type { RunResult, StopPredicate } from "./run-result.js";
import { scriptedModel } from "./scripted-model.js";

/**
 * An agent as its author writes it: a tool whose work is a run of its own.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface AgentDefinition<Args = unknown, Schema extends StandardSchemaV1 = StandardSchemaV1>
	extends Omit<ToolDefinition<Args, Schema>, "execute" | "mayAsk"> {
	/** Whom the agent asks. */
	readonly model: Model;
	/** What the agent begins with. Default: the arguments as JSON, as one message of a user. */
	readonly input?: (args: Args) => string | readonly Message[];
	/** The names of the engine's tools that its model is offered; it can call no other. Default: all that are no agents. */
	readonly tools?: readonly string[];
	/** How often its model is asked. Default `50`; minimum `1`. */
	readonly maxSteps?: number;
	/** As of a run: the first that says `true` ends it, and the text of its last reply is the answer. */
	readonly stop?: StopPredicate | readonly StopPredicate[];
}

/** By their code, the names of the tools that each lists. */
const agents = new WeakMap<object, readonly string[]>();

/** AG2: these tools; throws `INVALID_TOOL` for an agent that lists another. What is no tool is not looked at. */
export function demandListedTools(tools: readonly Tool[]): readonly Tool[] {
	const given = tools.filter(isTool);
	const names = given.map(({ name }) => name);
	for (const { name, execute } of given) {
		const missing = agents.get(execute)?.find((wanted) => !names.includes(wanted));
		if (missing === undefined) continue;
		const near = new NearNames(names).to(missing).map((one) => JSON.stringify(one));
		const hint = near.length > 0 ? `perhaps ${near.join(" or ")} is meant` : `there are ${names.join(", ")}`;
		const problem = `the agent ${JSON.stringify(name)} is to use ${showValue(missing)}, which the engine does not have; ${hint}`;
		throw new EngineError("INVALID_TOOL", { action: "take the tools", problem });
	}
	return tools;
}

/**
 * Declares a tool whose work is done by a model with the engine's tools. It answers with the text of the last reply; where
 * its run ends at a limit, cut or failed, the call is `TOOL_FAILED`.
 *
 * What it does not say of its effect is a write, which runs alone; one that says `'read'` can make only reads. It has no
 * time limit of its own unless `timeout` sets one.
 *
 * @example
 * ```ts
 * const researcher = agentTool({
 *   name: 'research',
 *   description: 'Finds out about a topic in the notes.',
 *   parameters: z.object({ topic: z.string() }),
 *   effect: 'read',
 *   tools: ['read_note', 'list_notes'],
 *   model,
 * });
 * ```
 * @throws EngineError `INVALID_TOOL`; `INVALID_OPTIONS` for what belongs to its run. A tool that it lists and the engine does
 * not have makes `createEngine` throw `INVALID_TOOL`.
 * @remarks Since 0.1.0.
 * @public
 */
export function agentTool<Schema extends StandardSchemaV1>(
	definition: AgentDefinition<StandardSchemaV1.InferOutput<Schema>, Schema>,
): Tool {
	const { model, input, tools, maxSteps, stop, ...rest } = definition;
	demandOwn({ input, tools });
	const agent = checkedRequest({
		name: rest.name,
		model,
		input: input ?? ((args: unknown) => JSON.stringify(args) ?? ""),
		tools,
		maxSteps: maxSteps ?? RUN_STEPS_DEFAULT,
		stop: predicates(stop),
	});
	const execute = (args: unknown, context: ToolContext): Promise<string> => runAgent(agent as Agent, args, context);
	agents.set(execute, agent.tools ?? []);
	return tool({ timeout: Number.POSITIVE_INFINITY, ...rest, mayAsk: true, execute } as ToolDefinition<
		StandardSchemaV1.InferOutput<Schema>,
		Schema
	>);
}

/** What belongs to an agent's run and to no other. */
function demandOwn({ input, tools }: { readonly input: unknown; readonly tools: unknown }): void {
	const refuse = (problem: string): never => {
		throw new EngineError("INVALID_OPTIONS", { action: "declare the agent", problem });
	};
	if (input !== undefined && typeof input !== "function") refuse(`input is ${showValue(input)}, not a function`);
	const areNames = tools === undefined || (Array.isArray(tools) && tools.every((name) => typeof name === "string"));
	if (!areNames) refuse(`tools is ${showValue(tools)}, not a list of names`);
}

interface Agent {
	readonly name: string;
	readonly model: Model;
	readonly input: (args: unknown) => string | readonly Message[];
	readonly tools: readonly string[] | undefined;
	readonly maxSteps: number;
	readonly stop: readonly StopPredicate[];
}

async function runAgent(agent: Agent, args: unknown, context: ToolContext): Promise<string> {
	const within = nestedRunOf(context);
	if (within === undefined) throw new Error(`${agent.name} is an agent, and runs only as a call of an engine`);
	const { runId, path, clock, signal } = within;
	if (path.length > AGENT_DEPTH_MAX) throw new Error(`${agent.name} is nested more than ${AGENT_DEPTH_MAX} calls deep`);
	within.neverSilent();
	const offered = offeredTools(agent, within.tools);
	const control = new RunControl({ clock, signal });
	const replies: ReplyRecord[] = [];
	const parts: RunParts = {
		runId,
		path,
		model: remembering(agent.model, within.replies),
		tools: describeTools(offered),
		maxSteps: agent.maxSteps,
		totalMs: Number.POSITIVE_INFINITY,
		stop: agent.stop,
		clock,
		control,
		live: { emit: () => undefined },
		openStep: (step, said) => new NestedStep({ within, offered: new ToolSet(offered), replies, step, said }),
		record: (lines) => within.write(lines),
		barrier: async () => undefined,
		paused: () => Promise.reject(new InvariantError("AG1", "a wave of an agent paused and did not unwind it")),
	};
	try {
		return answerOf(agent, await new RunLoop(parts).begin(messagesOf(agent.input(args))));
	} finally {
		control.over();
	}
}

function answerOf({ name }: Agent, run: RunResult): string {
	switch (run.status) {
		case "done":
		case "stopped":
			return run.text;
		case "limit":
			throw new Error(`${name} came to its limit (${run.limit}) after ${run.steps} steps; it said last: ${run.text}`);
		case "incomplete":
			throw new Error(`${name} was cut short (${run.cut}); it said last: ${run.text}`);
		case "failed":
			throw new Error(`The model of ${name} failed: ${run.error.message}`, { cause: run.error });
		case "aborted":
			throw run.reason;
		case "paused":
			throw new InvariantError("AG1", "an agent paused by itself");
	}
}

function offeredTools({ name, tools }: Agent, all: readonly Tool[]): readonly Tool[] {
	if (tools === undefined) return all.filter(({ execute }) => !agents.has(execute));
	return tools.map((wanted) => {
		const found = all.find((one) => one.name === wanted);
		invariant(found !== undefined, "AG2", `the agent ${name} lists ${wanted}, which its engine does not have`);
		return found;
	});
}

/** The model, but for the replies that are remembered. */
function remembering(model: Model, replies: readonly ReplyRecord[]): Model {
	if (replies.length === 0) return model;
	let asked = 0;
	return {
		stream(request) {
			const known = replies[asked];
			asked += 1;
			return known === undefined ? model.stream(request) : scriptedModel([known]).stream({ ...request, messages: [] });
		},
	};
}

interface NestedStepParts {
	readonly within: NestedRun;
	readonly offered: ToolSet;
	/** The replies of the steps before, and then this one's. */
	readonly replies: ReplyRecord[];
	readonly step: number;
	readonly said: () => string;
}

/** A step of an agent: its reply is read to the end, then its calls are made. */
class NestedStep implements RunStep {
	readonly #parts: NestedStepParts;
	#closed: ToolCall[] = [];
	#whole: ToolCall[] = [];

	constructor(parts: NestedStepParts) {
		this.#parts = parts;
	}

	feed(item: ReplyItem): void {
		if (item.kind === "restart") {
			this.#closed = [];
			this.#whole = [];
		} else if (item.kind === "call-complete") this.#whole[item.index] ??= item.call;
		else if (item.kind === "call-closed") this.#closed[item.index] = item.call;
	}

	settle(): Promise<WaveResult> {
		return this.#wave(this.#closed, undefined);
	}

	async discard(reason: Parameters<RunStep["discard"]>[0]): Promise<WaveResult> {
		if (reason !== "length" && reason !== "filtered") return endOf("aborted", []);
		const whole = this.#whole.filter((call) => call !== undefined);
		return this.#wave(whole, reason);
	}

	async #wave(calls: readonly ToolCall[], cut: "length" | "filtered" | undefined): Promise<WaveResult> {
		const { within, offered, replies, step, said } = this.#parts;
		const { runId, path, clock } = within;
		const text = said();
		const plain = calls.map(({ id, name, args }) => ({ id, name, args: rawArguments(args) }));
		replies.push({ text, calls: plain, ...(cut && { cut }) });
		within.write([modelReturned({ runId, at: clock.now() }, step, { calls, text, path })]);
		return endOf("done", await within.wave(plain, { offered, cut }, replies));
	}
}

function endOf(status: "done" | "aborted", results: WaveResult["results"]): WaveResult {
	return { status, results, questions: [], steers: [], timing: { totalMs: 0, ranMs: 0 } };
}
