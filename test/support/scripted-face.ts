// Scripted face
//
// A host's own face over the tools of random waves: it resolves calls that come through `call`, admits by what it has
// admitted before, and throws where its script says so. It ignores what its own segment was accounted as, which is what
// a face must do for its waves to read the same under every schedule.
//
// Owns:      that face, and what it was asked in which order.
// Does not:  run a wave.

import type { Admitted, ConcurrentInvoke, ToolMeta } from "../../engine/admission/concurrent-invoke.js";
import type { ToolCall } from "../../engine/core/call.js";
import type { Effect } from "../../engine/core/effect.js";
import type { Invocable } from "../../engine/core/invocable.js";
import { answered, failed, type Outcome } from "../../engine/core/outcome.js";
import { type Script, TOOLS } from "./scripted-tools.js";

/** What the face does to the call of a number. */
export type FaceAct =
	| "clear"
	| "answer"
	| "refuse"
	| "throw in metaOf"
	| "throw in admit"
	| "throw in tool"
	| "throw in account"
	| "rewrite";

export interface FacePlan {
	readonly acts: ReadonlyMap<number, FaceAct>;
	/** How many calls the face clears before it refuses. */
	readonly most: number;
}

export interface FaceTicket {
	readonly n: number;
}

/** Which tools of the set the face has, and how each stands; other names are unknown to it. */
const METAS: Readonly<Record<string, ToolMeta>> = Object.fromEntries(
	Object.entries(TOOLS)
		.filter(([, { effect }]) => typeof effect !== "function")
		.map(([name, { effect, ...rest }]) => [name, metaOf(name, effect as Effect, rest)]),
);

function metaOf(name: string, effect: Effect, rest: { isConcurrencySafe?: unknown; render?: string }): ToolMeta {
	const { isConcurrencySafe, render } = rest;
	return {
		name,
		effect,
		// A registration says yes or no; where the tool decides by its arguments, it says no.
		...(isConcurrencySafe !== undefined && { isConcurrencySafe: isConcurrencySafe === true }),
		...(render !== undefined && { render }),
	};
}

export class ScriptedFace implements ConcurrentInvoke<FaceTicket> {
	/** Every question in the order it came. */
	readonly asked: string[] = [];
	readonly stamps = new Map<number, number>();
	readonly #plan: FacePlan;
	readonly #script: Script;
	#cleared = 0;

	constructor(plan: FacePlan, script: Script) {
		this.#plan = plan;
		this.#script = script;
	}

	resolveCall(call: ToolCall): ToolCall {
		if (call.name !== "call") return call;
		const { name, args } = call.args as { name: string; args: unknown };
		return { id: call.id, name, args };
	}

	metaOf(call: ToolCall): ToolMeta | undefined {
		if (this.#actOn(call) === "throw in metaOf") throw new Error("no registration can be read");
		return Object.hasOwn(METAS, call.name) ? METAS[call.name] : undefined;
	}

	admit(call: ToolCall, at: number): Admitted<FaceTicket> {
		const n = numberOf(call);
		this.asked.push(`admit ${n}`);
		this.stamps.set(n, at);
		const act = this.#actOn(call);
		if (act === "throw in admit") throw new Error(`admission broke at ${n}`);
		if (act === "answer") return { answered: answered({ before: this.#cleared }) };
		if (act === "refuse" || this.#cleared >= this.#plan.most) {
			return { answered: failed("DENIED", { message: `Refused after ${this.#cleared}.`, details: { n } }) };
		}
		this.#cleared += 1;
		return { cleared: { n } };
	}

	tool({ n }: FaceTicket): Invocable {
		if (this.#plan.acts.get(n) === "throw in tool") throw new Error(`no tool for ${n}`);
		return { invoke: (call) => this.#play(call.name, n) };
	}

	account(_call: ToolCall, { n }: FaceTicket, outcome: Outcome): Outcome {
		this.asked.push(`account ${n}`);
		const act = this.#plan.acts.get(n);
		if (act === "throw in account") throw new Error(`accounting broke at ${n}`);
		return act === "rewrite" && outcome.ok ? answered({ rewritten: n }) : outcome;
	}

	async #play(name: string, n: number): Promise<Outcome> {
		await this.#script.enter?.(name, n);
		this.#script.leave?.(name, n);
		const played = this.#script.plays.get(n) ?? { kind: "answers", value: n };
		if (played.kind !== "answers") throw played.thrown;
		return answered(played.value);
	}

	#actOn(call: ToolCall): FaceAct | undefined {
		return this.#plan.acts.get(numberOf(call));
	}
}

/** The number a call carries, whether its arguments came as text or as a value; -1 where it carries none. */
function numberOf(call: ToolCall): number {
	const text = typeof call.args === "string" ? call.args : JSON.stringify(call.args);
	return Number(/"n":\s*(\d+)/.exec(text ?? "")?.[1] ?? -1);
}
