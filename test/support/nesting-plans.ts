// Nesting plans
//
// Random trees of calls that take keys before they run, take keys while they run, and make calls of their own: one after
// another, together, without waiting for them, through the context or through the engine. Every step of a call waits for
// the test, so what settles when is a choice of the test.
//
// Owns:      the plans, the tool that carries one out, and what was seen meanwhile.
// Does not:  assert anything.

import fc from "fast-check";
import { z } from "zod";
import { type Tool, tool } from "../../engine/core/tool.js";
import type { ToolContext } from "../../engine/core/tool-context.js";
import type { Engine, Middleware } from "../../engine/index.js";
import { HeldWork } from "./held-work.js";

export interface Plan {
	/** Taken before it runs. */
	readonly keys: readonly string[];
	/** Taken while it runs, and kept to its end. */
	readonly locks: readonly string[];
	readonly makes: "in turn" | "together" | "unawaited";
	/** `wave`: a wave of its own, made by the engine inside the call. */
	readonly through: "context" | "engine" | "wave";
	readonly calls: readonly Plan[];
}

const parameters = z.custom<Plan>((value) => typeof value === "object");
const key = fc.constantFrom("a", "b", "c");
const keys = fc.uniqueArray(key, { maxLength: 2 });

function planOf(calls: fc.Arbitrary<readonly Plan[]>): fc.Arbitrary<Plan> {
	return fc.record({
		keys,
		locks: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, keys),
		makes: fc.constantFrom("in turn", "together", "unawaited"),
		through: fc.constantFrom("context", "context", "engine", "wave"),
		calls,
	});
}

const leaf = planOf(fc.constant([]));
const middle = planOf(fc.array(leaf, { maxLength: 2 }));
export const plans: fc.Arbitrary<readonly Plan[]> = fc.array(planOf(fc.array(middle, { maxLength: 2 })), {
	minLength: 1,
	maxLength: 5,
});

/** Whether no call of the plan has more than one call of its own under way. */
export function makesInTurn({ makes, through, calls }: Plan): boolean {
	return calls.every(makesInTurn) && (calls.length === 0 || (makes === "in turn" && through !== "wave"));
}

export class NestingTool {
	readonly held = new HeldWork();
	readonly tool: Tool;
	/** The calls that were made inside others, each as it ends. */
	readonly made: Promise<unknown>[] = [];
	/** The most calls that were at work at once: those that wait for the test and for nothing else. */
	mostAtWork = 0;
	#runs = 0;

	constructor(engine: () => Engine) {
		this.tool = tool({
			name: "nest",
			parameters,
			effect: "write",
			isConcurrencySafe: true,
			lockKeys: (plan) => [...plan.keys],
			execute: (plan, context) => this.#run(plan, context, engine()),
		});
	}

	/** Resolves to the work once all that was made meanwhile has ended as well. */
	async allOf<Value>(work: Promise<Value>): Promise<Value> {
		const value = await work;
		for (const made of this.made) await made;
		return value;
	}

	async #run(plan: Plan, context: ToolContext, engine: Engine): Promise<string> {
		this.#runs += 1;
		const label = `run ${this.#runs}`;
		await this.#work(label);
		// A circle of keys is an error of whoever closes it, and the others go on.
		if (plan.locks.length > 0) await context.lock([...plan.locks]).catch(() => undefined);
		const make = (inner: Plan): Promise<unknown> => this.#make(inner, { plan, context, engine });
		if (plan.makes === "in turn") for (const inner of plan.calls) await make(inner);
		else if (plan.makes === "together") await Promise.all(plan.calls.map(make));
		else for (const inner of plan.calls) void make(inner);
		await this.#work(`${label} again`);
		return label;
	}

	#work(label: string): Promise<void> {
		const work = this.held.hold(label);
		this.mostAtWork = Math.max(this.mostAtWork, this.held.waiting.length);
		return work;
	}

	#make(inner: Plan, by: { plan: Plan; context: ToolContext; engine: Engine }): Promise<unknown> {
		const { plan, context, engine } = by;
		const made =
			plan.through === "wave"
				? engine.executeWave([{ id: "", name: "nest", args: inner }])
				: (plan.through === "context" ? context : engine).invokeTool("nest", inner);
		const ended = made.catch(() => undefined);
		this.made.push(ended);
		return ended;
	}
}

/** Hands every call on as it is, so that calls come to their slots by way of middleware. */
export const passesOn: Middleware = { name: "passes on", wrapToolCall: (_call, next) => next() };
