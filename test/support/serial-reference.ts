// Serial reference
//
// The second opinion: a wave run one call after another, in straight lines, from the laws alone. No queue, no slot, no
// reorder buffer, no early start; it shares with the engine only the contracts (calls, tools, outcomes, entries, the
// face and the policy port). What the engine writes under any schedule and timing must equal what this writes.
//
// Owns:      the meaning of a serial run.
// Does not:  use anything that plans, schedules or accounts in engine/.

import type { Admitted, ConcurrentInvoke } from "../../engine/admission/concurrent-invoke.js";
import { readArguments, type ToolCall } from "../../engine/core/call.js";
import { type Effect, isRead } from "../../engine/core/effect.js";
import { canonicalJson, type JsonObject, type JsonValue } from "../../engine/core/json-value.js";
import { answered, causeOf, failed, type Outcome, threw } from "../../engine/core/outcome.js";
import { effectOf, isSafe, type Tool } from "../../engine/core/tool.js";
import type { ToolContext } from "../../engine/core/tool-context.js";
import { ToolSet } from "../../engine/core/tool-set.js";
import { type EntryDraft, type EntryKind, outcomeData } from "../../engine/ledger/entry.js";
import type { Policy, PolicyView } from "../../engine/policy/policy.js";
import { quietContext } from "./quiet-context.js";

const RUN_ID = "serial";
const STEP = 0;
const AT = 0;

export type Going = "go" | "cancel" | { readonly steer: string };

export interface SerialWave {
	readonly calls: readonly ToolCall[];
	readonly face: SerialFace;
	readonly stillGoing?: (index: number) => Going;
	readonly onError?: "continue" | "stop";
}

type SettledCall = { readonly index: number; readonly id: string; readonly name: string; readonly outcome: Outcome };

export interface SerialResult {
	readonly status: "done" | "aborted";
	readonly results: readonly SettledCall[];
	readonly steers: readonly string[];
	readonly entries: readonly EntryDraft[];
}

/** What is known of a call before anything is decided. A call that needs no tool neither joins nor splits a segment. */
interface Prepared {
	readonly index: number;
	segment?: number;
	readonly call: ToolCall;
	readonly registration?: { readonly effect: Effect; readonly render: string };
	readonly args?: unknown;
	readonly safe: boolean;
	/** The outcome, where no tool is needed for it. */
	readonly answer?: Outcome;
	/** The index of the call that this one repeats. */
	readonly replayOf?: number;
}

/** The three stages for the reference: the engine's own face, or a host's. */
export interface SerialFace {
	prepare(call: ToolCall, index: number): Prepared;
	admit(prepared: Prepared): Promise<Admitted<unknown>>;
	run(prepared: Prepared, ticket: unknown): Promise<Outcome>;
	account(prepared: Prepared, ticket: unknown, outcome: Outcome): Promise<Outcome>;
}

export async function runSerially(wave: SerialWave): Promise<SerialResult> {
	const run = new SerialRun(wave);
	const prepared = wave.calls.map((call, index) => run.prepare(call, index));
	for (const segment of segmentsOf(prepared)) await run.take(segment);
	const { results, steers, entries } = run;
	return { status: run.cancelledAt === undefined ? "done" : "aborted", results, steers, entries };
}

class SerialRun {
	readonly results: SettledCall[] = [];
	readonly entries: EntryDraft[] = [];
	readonly steers: string[] = [];
	cancelledAt: number | undefined;
	#stoppedBy: number | undefined;
	readonly #wave: SerialWave;
	readonly #firstOf = new Map<string, number>();

	constructor(wave: SerialWave) {
		this.#wave = wave;
		const calls = wave.calls.map(({ id, name, args }) => ({ id, name, args: args as JsonValue }));
		this.#write("model_returned", { step: STEP, calls });
	}

	prepare(call: ToolCall, index: number): Prepared {
		const prepared = this.#wave.face.prepare(call, index);
		const key = keyOf(prepared.call);
		if (key === undefined) return prepared;
		const first = this.#firstOf.get(key);
		if (first !== undefined) return { ...prepared, replayOf: first };
		this.#firstOf.set(key, index);
		return prepared;
	}

	/** One segment: everything asked, everything admitted, then each call run and accounted, one after another. */
	async take(segment: readonly Prepared[]): Promise<void> {
		const asked = segment.map(({ index }) => this.#ask(index));
		const admitted: (Admitted<unknown> | undefined)[] = [];
		for (const prepared of segment) {
			const starts = needsTool(prepared) && this.#halted(prepared.index) === undefined;
			admitted.push(starts ? await this.#wave.face.admit(prepared).catch(faceFailed) : undefined);
		}
		for (const [place, prepared] of segment.entries()) {
			const going = asked[place] ?? "go";
			if (going === "cancel") this.#write("cancel_received", {});
			else if (going !== "go") {
				this.steers.push(going.steer);
				this.#write("steer_received", { text: going.steer });
			}
			await this.#account(prepared, admitted[place]);
		}
	}

	#ask(index: number): Going {
		if (this.cancelledAt !== undefined) return "go";
		const going = this.#wave.stillGoing?.(index) ?? "go";
		if (going === "cancel") this.cancelledAt = index;
		return going;
	}

	async #account(prepared: Prepared, admitted: Admitted<unknown> | undefined): Promise<void> {
		const { index, call, registration } = prepared;
		const halted = this.#halted(index);
		const outcome = await this.#outcomeOf(prepared, admitted, halted);
		const { id, name } = call;
		const called = { index, id, name, args: call.args as JsonValue, lineage: [index] };
		this.#write("tool_called", { ...called, ...(registration as JsonObject | undefined) });
		const replay = halted === undefined && prepared.replayOf !== undefined ? { replayOf: prepared.replayOf } : {};
		this.#write("tool_result", { index, id, outcome: outcomeData(outcome), ...replay });
		this.results.push({ index, id, name, outcome });
		if (!outcome.ok && halted === undefined && this.#wave.onError === "stop") this.#stoppedBy = index;
	}

	async #outcomeOf(prepared: Prepared, admitted?: Admitted<unknown>, halted?: Outcome): Promise<Outcome> {
		if (admitted !== undefined && "cleared" in admitted) {
			const { face } = this.#wave;
			const outcome = halted ?? (await face.run(prepared, admitted.cleared));
			return face.account(prepared, admitted.cleared, outcome).catch((error) => faceFailed(error).answered);
		}
		if (halted !== undefined) return halted;
		if (admitted !== undefined) return admitted.answered;
		if (prepared.replayOf !== undefined) return (this.results[prepared.replayOf] as SettledCall).outcome;
		return prepared.answer as Outcome;
	}

	#halted(index: number): Outcome | undefined {
		if (this.cancelledAt !== undefined && index >= this.cancelledAt) {
			return failed("ABORTED_BEFORE_DISPATCH", { message: "Aborted before dispatch" });
		}
		if (this.#stoppedBy === undefined) return undefined;
		return failed("STOPPED_BY_ERROR", { message: "stopped", details: { index: this.#stoppedBy } });
	}

	#write(kind: EntryKind, data: JsonObject): void {
		this.entries.push({ kind, runId: RUN_ID, at: AT, data });
	}
}

function needsTool({ answer, replayOf }: Prepared): boolean {
	return answer === undefined && replayOf === undefined;
}

/** Consecutive safe calls, or one call that is not safe. Calls answered without a tool go with whoever stands before. */
function segmentsOf(wave: readonly Prepared[]): Prepared[][] {
	const segments: Prepared[][] = [];
	let open = false;
	for (const prepared of wave) {
		const joins = prepared.safe || !needsTool(prepared);
		if (joins && open) segments.at(-1)?.push(prepared);
		else segments.push([prepared]);
		prepared.segment = segments.at(-1)?.[0]?.index ?? 0;
		open = joins;
	}
	return segments;
}

/** Equal for two calls that are one: the same id that is not empty, the same tool, the same arguments. */
function keyOf(call: ToolCall): string | undefined {
	if (call.id === "") return undefined;
	const read = readArguments(call.args);
	return JSON.stringify([call.id, call.name, read.ok ? canonicalJson(read.args) : String(call.args)]);
}

function faceFailed(error: unknown): { answered: Outcome } {
	return { answered: failed("POLICY_FAILED", { message: "the face threw", cause: causeOf(error) }) };
}

function orAnswer<Made>(make: () => Made): Made | { answered: Outcome } {
	try {
		return make();
	} catch (error) {
		return faceFailed(error);
	}
}

/** The engine's own face: tools and policies, as the port describes them. */
export function serialPolicyFace(tools: readonly Tool[], policies: readonly Policy[]): SerialFace {
	const known = new ToolSet(tools);
	const viewOf = ({ index, segment = 0, args, registration }: Prepared): PolicyView => {
		return { runId: RUN_ID, step: STEP, index, segment, at: AT, args, effect: registration?.effect ?? "write" };
	};
	return {
		prepare(call, index) {
			const tool = known.get(call.name);
			const answerOnly = (answer: Outcome) => ({ index, call, answer, safe: false });
			if (tool === undefined) return answerOnly(unknownTool(call.name, known.near(call.name)));
			const parsed = parse(tool, call);
			const effect = effectOf(tool, "args" in parsed ? parsed.args : undefined);
			const registration = { effect, render: tool.render ?? "generic" };
			if ("answer" in parsed) return { ...answerOnly(parsed.answer), registration };
			const safe = isSafe(tool, parsed.args, effect);
			return { index, call, registration, args: parsed.args, safe };
		},
		async admit(prepared) {
			for (const policy of policies) {
				const answer = await verdictOf(policy, prepared.call, viewOf(prepared));
				if (answer !== undefined) return { answered: answer };
			}
			return { cleared: known.get(prepared.call.name) };
		},
		run: (prepared, ticket) => {
			const execute = (ticket as Tool).execute as (args: unknown, context: ToolContext) => unknown;
			const run = async () => answered(await execute(prepared.args, contextOf(prepared)));
			return run().catch(threw);
		},
		async account(prepared, _ticket, outcome) {
			let current = outcome;
			for (const policy of [...policies].reverse()) {
				try {
					current = (await policy.account?.(prepared.call, current, viewOf(prepared))) ?? current;
				} catch (error) {
					current = policyFailed(policy, error);
				}
			}
			return current;
		},
	};
}

async function verdictOf(policy: Policy, call: ToolCall, view: PolicyView): Promise<Outcome | undefined> {
	try {
		const verdict = (await policy.admit?.(call, view)) ?? "clear";
		if (verdict === "clear") return undefined;
		if ("answer" in verdict) return verdict.answer;
		if ("ask" in verdict) return failed("APPROVAL_PENDING", { message: "the reference asks nobody" });
		const { violation, alternative } = verdict.deny;
		return failed("DENIED", { message: violation, recovery: alternative, details: { ...verdict.deny } });
	} catch (error) {
		return policyFailed(policy, error);
	}
}

function parse(tool: Tool, call: ToolCall): { readonly args: unknown } | { readonly answer: Outcome } {
	const read = readArguments(call.args);
	const details = read.ok || read.position === undefined ? {} : { details: { position: read.position } };
	const checked = read.ok ? tool.parameters["~standard"].validate(read.args) : undefined;
	if (checked !== undefined && "value" in checked) return { args: checked.value };
	return { answer: failed("INVALID_ARGUMENTS", { message: "refused", ...details }) };
}

function unknownTool(name: string, near: string[]): Outcome {
	const details = near.length > 0 ? { details: { near } } : {};
	return failed("UNKNOWN_TOOL", { message: `No tool is named "${name}".`, ...details });
}

function policyFailed(policy: Policy, error: unknown): Outcome {
	const cause = causeOf(error);
	const message = `The policy ${policy.name} failed: ${cause.message}`;
	return failed("POLICY_FAILED", { message, cause, details: { policy: policy.name } });
}

/** A host's own face. Only it knows which of its calls need no tool, so each is admitted. */
export function serialHostFace<T>(face: ConcurrentInvoke<T>): SerialFace {
	return {
		prepare(given, index) {
			const call = face.resolveCall?.(given) ?? given;
			const meta = orAnswer(() => face.metaOf(call));
			if (meta === undefined) return { index, call, safe: false };
			if ("answered" in meta) return { index, call, safe: false, answer: meta.answered };
			const registration = { effect: meta.effect, render: meta.render ?? "generic" };
			return { index, call, registration, safe: meta.isConcurrencySafe ?? isRead(meta.effect) };
		},
		admit: async (prepared) => face.admit(prepared.call, AT),
		async run(prepared, ticket) {
			const lent = orAnswer(() => face.tool(ticket as T));
			if ("answered" in lent) return lent.answered;
			const run = async () => lent.invoke(prepared.call, contextOf(prepared));
			return run().catch(threw);
		},
		account: async (prepared, ticket, outcome) => face.account(prepared.call, ticket as T, outcome),
	};
}

function contextOf({ index, call }: Prepared): ToolContext {
	return quietContext({ callId: call.id, runId: RUN_ID, index, idempotencyKey: `${RUN_ID}/${index}` });
}
