// Prepare call
//
// Everything that is known of a call before anyone may decide about it: its tool, its arguments as the tool's schema
// read them, its effect and whether it may run beside others. Each schema is run once a call; every later stage gets
// the value from here.
//
// Owns:      lookup, the one parse, the outcomes of calls that have no tool or no readable arguments.
// Does not:  admit (policy-face.ts).

import { readArguments, type ToolCall } from "../core/call.js";
import type { Clock } from "../core/clock.js";
import type { Effect } from "../core/effect.js";
import { EngineError } from "../core/errors.js";
import type { JsonObject } from "../core/json-value.js";
import { POLICY_MS_MAX } from "../core/limits.js";
import { causeOf, failed, type Outcome } from "../core/outcome.js";
import { type ApprovalNeed, approvalRule } from "../core/question.js";
import { showValue } from "../core/show-value.js";
import { bounded, isThenable } from "../core/thenable.js";
import { effectOf, isIdempotent, isSafe, needsApproval, presentationOf, type Tool, titleOf } from "../core/tool.js";
import type { ToolSet } from "../core/tool-set.js";
import type { ToolMeta } from "./concurrent-invoke.js";

/** A call that may be admitted. */
export interface Ready {
	readonly kind: "ready";
	readonly tool: Tool;
	readonly args: unknown;
	readonly meta: ToolMeta;
}

/** A call that may be admitted, or one that is answered without its tool. */
export type Prepared =
	| Ready
	| { readonly kind: "answered"; readonly outcome: Outcome; readonly meta: ToolMeta | undefined };

type Validation = { readonly value: unknown } | { readonly issues: readonly Issue[] };
interface Issue {
	readonly message: string;
	readonly path?: readonly unknown[] | undefined;
}

/** A promise only where the tool's schema answers by one; never rejects, and settles within the limit of a policy. */
export function prepareCall(tools: ToolSet, call: ToolCall, clock: Clock): Prepared | Promise<Prepared> {
	const tool = tools.get(call.name);
	if (tool === undefined) return { kind: "answered", outcome: unknownTool(tools, call.name), meta: undefined };
	const read = readArguments(call.args);
	if (!read.ok) {
		const message = `The arguments of ${call.name} cannot be read: ${read.problem}.`;
		const details = read.position === undefined ? undefined : { position: read.position };
		return unusable(tool, failed("INVALID_ARGUMENTS", { message, ...(details && { details }) }));
	}
	return parse(tool, read.args, clock);
}

/** The output of a tool's schema for arguments that were read already, or what the schema found wrong. */
function parse(tool: Tool, args: JsonObject, clock: Clock): Prepared | Promise<Prepared> {
	try {
		const validated = tool.parameters["~standard"].validate(args);
		if (!isThenable(validated)) return parsed(tool, validated as Validation);
		return bounded(validated, { what: "it", limitMs: POLICY_MS_MAX, clock }).then(
			(validation) => parsed(tool, validation as Validation),
			(error: unknown) => schemaFailed(tool, error),
		);
	} catch (error) {
		return schemaFailed(tool, error);
	}
}

function parsed(tool: Tool, validation: Validation): Prepared {
	if ("issues" in validation && validation.issues !== undefined) return refused(tool, validation.issues);
	const args = (validation as { value: unknown }).value;
	const effect = effectOf(tool, args);
	return { kind: "ready", tool, args, meta: isAlike(tool) ? alikeMeta(tool, effect) : metaOf(tool, effect, args) };
}

/** Whether the arguments change nothing of what a call of the tool is registered as. */
function isAlike({ effect, isConcurrencySafe, requiresApproval, lockKeys, observed, presentation }: Tool): boolean {
	const asked = [effect, isConcurrencySafe, requiresApproval].some((one) => typeof one === "function");
	return !asked && lockKeys === undefined && observed === undefined && presentation === undefined;
}

// One registration for all calls of such a tool: a wave of ten thousand would otherwise keep as many equal ones.
const alikeMetas = new WeakMap<Tool, ToolMeta>();

function alikeMeta(tool: Tool, effect: Effect): ToolMeta {
	const known = alikeMetas.get(tool);
	if (known !== undefined) return known;
	const meta = metaOf(tool, effect, undefined);
	alikeMetas.set(tool, meta);
	return meta;
}

function metaOf(tool: Tool, effect: Effect, args: unknown): ToolMeta {
	const { lockKeys, observed, timeout, presentation } = tool;
	return {
		name: tool.name,
		effect,
		isConcurrencySafe: isSafe(tool, args, effect),
		render: tool.render ?? "generic",
		idempotent: isIdempotent(tool),
		...(timeout !== undefined && { timeoutMs: timeout }),
		...(presentation !== undefined && { title: () => titleOf(tool, args) }),
		...(needsApproval(tool, args) && { approval: approvalOf(tool, args) }),
		...(lockKeys !== undefined && { lockKeys: (context) => lockKeys(args, context) }),
		...(observed !== undefined && { observed: () => observed(args) }),
	};
}

function approvalOf(tool: Tool, args: unknown): ApprovalNeed {
	return { rule: approvalRule(tool.name, "tool"), ...(presentationOf(tool, args) ?? { title: tool.name }) };
}

/** A call that was cleared before a pause can be cleared again, unless the tools are not those of then. */
export function readyAgain(prepared: Prepared, { name }: ToolCall): Ready {
	if (prepared.kind === "ready") return prepared;
	const problem = `a call of ${JSON.stringify(name)} was cleared, and this engine cannot run it`;
	throw new EngineError("INVALID_CHECKPOINT", { action: "resume the wave", problem });
}

function refused(tool: Tool, issues: readonly Issue[]): Prepared {
	const problems = issues.map(({ message, path }) => {
		const at = (path ?? []).map((step) => String(isKeyed(step) ? step.key : step)).join(".");
		return at === "" ? message : `${at}: ${message}`;
	});
	const message = `The arguments of ${tool.name} do not fit its schema: ${problems.join("; ")}.`;
	return unusable(tool, failed("INVALID_ARGUMENTS", { message, details: { problems } }));
}

function isKeyed(step: unknown): step is { readonly key: unknown } {
	return typeof step === "object" && step !== null && "key" in step;
}

function schemaFailed(tool: Tool, error: unknown): Prepared {
	const cause = causeOf(error);
	const message = `The schema of ${tool.name} failed on the arguments: ${cause.message}`;
	return unusable(tool, failed("INVALID_ARGUMENTS", { message, cause }));
}

// The arguments decide an effect that is a function; without them the call is taken for a write.
function unusable(tool: Tool, outcome: Outcome): Prepared {
	const effect = typeof tool.effect === "function" ? "write" : effectOf(tool, undefined);
	return { kind: "answered", outcome, meta: { name: tool.name, effect, render: tool.render ?? "generic" } };
}

function unknownTool(tools: ToolSet, name: string): Outcome {
	if (name === "") {
		return failed("UNKNOWN_TOOL", { message: "The call has no name; a call object has `id`, `name` and `args`." });
	}
	const near = tools.near(name);
	const meant = near.length === 0 ? "" : ` Did you mean ${near.map((one) => JSON.stringify(one)).join(" or ")}?`;
	const message = `No tool is named ${showValue(name)}.${meant}`;
	return failed("UNKNOWN_TOOL", { message, ...(near.length > 0 && { details: { near } }) });
}
