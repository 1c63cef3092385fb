// Ahead world
//
// A small world that tools read and change, and that somebody outside changes as well: cells whose changes go by a lock's
// key, and cells whose changes show in a stamp alone. A read answers what its cell holds, so an answer from before a
// change is told apart from one after it.
//
// Owns:      the cells and the tools over them.
// Does not:  move time or choose calls (ahead-driver.ts, ahead-arbitrary.ts).

import { z } from "zod";
import type { Clock } from "../../engine/core/clock.js";
import { type Tool, tool } from "../../engine/core/tool.js";

/** When, within its run, a read looks at its cell. */

export interface WorldParts {
	readonly clock: Clock;
	/** Told of each tool that is entered. */
	readonly enter: (name: string, n: number) => void;
}

const numbered = z.object({
	n: z.number().int(),
	cell: z.number().int(),
	runMs: z.number(),
	looks: z.enum(["at once", "at its end"]),
	waits: z.boolean(),
});

export type WorldArgs = z.infer<typeof numbered>;

export class AheadWorld {
	readonly #cells = new Map<string, string>();
	readonly #parts: WorldParts;

	constructor(parts: WorldParts) {
		this.#parts = parts;
	}

	/** The cell of a key, or of a stamp. */
	read(cell: string): string {
		return this.#cells.get(cell) ?? "untouched";
	}

	change(cell: string, by: string): void {
		this.#cells.set(cell, `${this.read(cell)} ${by}`);
	}

	tools(): Tool[] {
		const parameters = numbered;
		const orLater = <Value>(value: Value, waits: boolean): Value | Promise<Value> =>
			waits ? this.#pause(3).then(() => value) : value;
		const keyOf = ({ cell }: WorldArgs) => `key ${cell}`;
		const stampedOf = ({ cell }: WorldArgs) => `stamped ${cell}`;
		const reads = (name: string, cellOf: (args: WorldArgs) => string, rest: Partial<Tool> = {}) =>
			tool({
				name,
				parameters,
				effect: "read",
				...(rest as object),
				execute: (args: WorldArgs) => this.#look(name, args, cellOf(args)),
			});
		const changes = (name: string, rest: Partial<Tool>) =>
			tool({
				name,
				parameters,
				effect: "write",
				...(rest as object),
				execute: async (args: WorldArgs) => {
					this.#parts.enter(name, args.n);
					await this.#pause(args.runMs);
					this.change(keyOf(args), `${name} ${args.n}`);
					return args.n;
				},
			});
		return [
			reads("still", () => "nobody changes this"),
			reads("keyed", keyOf, { lockKeys: (args: WorldArgs) => orLater({ read: [keyOf(args)] }, args.waits) }),
			reads("alone", keyOf, { lockKeys: (args: WorldArgs) => orLater([keyOf(args)], args.waits) }),
			reads("stamped", stampedOf, {
				observed: (args: WorldArgs) => orLater(this.read(stampedOf(args)), args.waits),
			}),
			changes("save", { isConcurrencySafe: true, lockKeys: (args: WorldArgs) => [keyOf(args)] }),
			changes("overwrite", { lockKeys: (args: WorldArgs) => [keyOf(args)] }),
			tool({
				name: "asks",
				parameters,
				effect: "read",
				execute: async (args: WorldArgs, { invokeTool }) => {
					this.#parts.enter("asks", args.n);
					await this.#pause(args.runMs);
					return { asked: (await invokeTool("still", { ...args, n: args.n + 100 })) ?? null };
				},
			}),
			tool({
				name: "locks",
				parameters,
				effect: "read",
				lockKeys: (args: WorldArgs) => [keyOf(args)],
				execute: async (args: WorldArgs, { lock }) => {
					this.#parts.enter("locks", args.n);
					await this.#pause(args.runMs);
					await lock([keyOf(args)]);
					return this.read(keyOf(args));
				},
			}),
		];
	}

	async #look(name: string, { n, runMs, looks }: WorldArgs, cell: string): Promise<unknown> {
		this.#parts.enter(name, n);
		const before = this.read(cell);
		await this.#pause(runMs);
		return { n, saw: looks === "at once" ? before : this.read(cell) };
	}

	#pause(ms: number): Promise<void> {
		return new Promise((resolve) => this.#parts.clock.setTimer(resolve, ms));
	}
}

export const WORLD_TOOLS = ["still", "keyed", "alone", "stamped", "save", "overwrite", "asks", "locks"] as const;
