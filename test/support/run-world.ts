// Run world
//
// What a run meets, each move of it made by hand: a model whose reply comes item by item, and tools that wait until they
// are told to answer, to throw or to ask. It outlives engines, as the world outlives processes.
//
// Owns:      the tools and the model.
// Does not:  know what is right (run-model.ts).

import type { JsonValue } from "../../engine/core/json-value.js";
import type { Tool, ToolDefinition } from "../../engine/core/tool.js";
import type { Model, ModelItem } from "../../engine/index.js";
import { toolOf } from "./law-kit.js";

export const KINDS = {
	look: { effect: "read" },
	put: { effect: "write" },
	note: { effect: "write", isConcurrencySafe: true },
	ask: { effect: "read", mayAsk: true },
	askput: { effect: "write", mayAsk: true },
	gated: { effect: "read", requiresApproval: true },
	gatedput: { effect: "write", requiresApproval: true },
} satisfies Record<string, Partial<ToolDefinition>>;

export type Kind = keyof typeof KINDS | "missing";

type Move = "answer" | "throw" | "ask";

export class RunWorld {
	/** Calls that are in their tool's code and have not been told to stop, by `step.index`. */
	readonly running = new Map<string, (move: Move) => void>();
	/** Every time a tool was entered. */
	readonly entered: string[] = [];
	/** How often each call has asked. */
	readonly #asked = new Map<string, number>();
	#say: ((item: ModelItem) => void) | undefined;

	/** Whether the model is being read. */
	get isSaying(): boolean {
		return this.#say !== undefined;
	}

	readonly model: Model = {
		stream: async ({ signal }) => {
			const items: ModelItem[] = [];
			let wake = (): void => undefined;
			this.#say = (item) => {
				items.push(item);
				wake();
			};
			signal.addEventListener("abort", () => this.#hush(), { once: true });
			const hush = (): void => this.#hush();
			return (async function* () {
				for (;;) {
					const item = items.shift();
					if (item === undefined) {
						await new Promise<void>((resolve) => {
							wake = resolve;
						});
						continue;
					}
					if (item.kind === "end") hush();
					yield item;
				}
			})();
		},
	};

	say(item: ModelItem): void {
		this.#say?.(item);
	}

	offer(step: number, index: number, kind: Kind): void {
		const call = { id: `${step}.${index}`, name: kind, args: { step, index } };
		const item = { index, id: call.id, name: kind, argsText: JSON.stringify(call.args), call };
		this.say({ kind: "call-started", ...item });
		this.say({ kind: "call-complete", ...item });
		this.say({ kind: "call-closed", ...item });
	}

	move(key: string, move: Move): void {
		this.running.get(key)?.(move);
	}

	tools(): Tool[] {
		return Object.entries(KINDS).map(([name, kind]) =>
			toolOf(
				name,
				async (args, { interrupt, signal }) => {
					const { step, index } = args as unknown as { step: number; index: number };
					const key = `${step}.${index}`;
					this.entered.push(key);
					const said: JsonValue[] = [];
					for (let time = 1; time <= (this.#asked.get(key) ?? 0); time += 1) said.push(await interrupt(`about ${key}`));
					const move = await new Promise<Move>((resolve) => {
						this.running.set(key, resolve);
						signal.addEventListener("abort", () => this.running.delete(key), { once: true });
					});
					this.running.delete(key);
					if (move === "throw") throw new Error(key);
					if (move === "answer") return [key, ...said];
					this.#asked.set(key, said.length + 1);
					return interrupt(`about ${key}`);
				},
				kind as Partial<ToolDefinition>,
			),
		);
	}

	#hush(): void {
		this.#say = undefined;
	}
}
