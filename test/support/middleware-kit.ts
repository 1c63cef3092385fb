// Middleware kit
//
// Two tools whose every call says by its arguments how it stands: its effect, whether it may run beside others, how often
// it fails before it answers, which keys it takes. So a middleware can make any call of any other.
//
// Owns:      those tools, and what they saw of calls beside each other.
// Does not:  assert anything.

import { z } from "zod";
import type { Effect } from "../../engine/core/effect.js";
import type { Outcome } from "../../engine/core/outcome.js";
import { type Tool, tool } from "../../engine/core/tool.js";
import type { Middleware, NextCall, ToolCall, WrappedCall } from "../../engine/index.js";

const parameters = z.object({
	n: z.number(),
	effect: z.enum(["read", "write", "egress"]).default("read"),
	safe: z.boolean().optional(),
	/** How many of its attempts throw before one answers. */
	fails: z.number().default(0),
	keys: z.array(z.string()).optional(),
});

type Parsed = z.infer<typeof parameters>;

export type Standing = Partial<Omit<Parsed, "n">>;

export class StandingTools {
	/** `do` takes no keys, `keyed` those of its arguments, `again` is idempotent. */
	readonly tools: readonly Tool[];
	/** The attempts in the order they began: `n`, or `n as effect` where it is no read, with `alone` where it is not safe. */
	readonly began: string[] = [];
	/** Whatever may not have happened: what ran beside a call that is not safe. */
	readonly faults: string[] = [];
	/** The most that ran at once. */
	mostAtOnce = 0;
	readonly #inside = new Set<Parsed>();
	readonly #attempts = new Map<number, number>();
	readonly #hold: (label: string) => Promise<void>;

	/** Each attempt waits for `hold` under its number. */
	constructor(hold: (label: string) => Promise<void> = async () => undefined) {
		this.#hold = hold;
		const shared = {
			parameters,
			effect: ({ effect }: Parsed): Effect => effect,
			isConcurrencySafe: isSafe,
			execute: (args: Parsed) => this.#run(args),
		};
		this.tools = [
			tool({ ...shared, name: "do" }),
			tool({ ...shared, name: "keyed", lockKeys: ({ keys = [] }) => keys }),
			tool({ ...shared, name: "again", idempotent: true }),
		];
	}

	async #run(args: Parsed): Promise<number> {
		const { n, effect, fails } = args;
		this.#inside.add(args);
		this.mostAtOnce = Math.max(this.mostAtOnce, this.#inside.size);
		this.began.push(`${n}${effect === "read" ? "" : ` as ${effect}`}${isSafe(args) ? "" : " alone"}`);
		const alone = [...this.#inside].find((one) => !isSafe(one));
		if (alone !== undefined && this.#inside.size > 1) {
			this.faults.push(`${[...this.#inside].map((one) => one.n).join(" beside ")}, and ${alone.n} is not safe`);
		}
		await this.#hold(`do ${n}`);
		this.#inside.delete(args);
		const attempt = (this.#attempts.get(n) ?? 0) + 1;
		this.#attempts.set(n, attempt);
		if (attempt <= fails) throw new Error(`${n} failed`);
		return n;
	}
}

function isSafe({ safe, effect }: Parsed): boolean {
	return safe ?? effect === "read";
}

/** Calls of `do` (or as `name`s says), numbered by their places, each with an id of its own. */
export function standingCalls(...standings: (Standing & { readonly name?: string })[]): ToolCall[] {
	return standings.map(({ name = "do", ...standing }, n) => ({ id: `id-${n}`, name, args: { n, ...standing } }));
}

export function middlewareOf(
	wrapToolCall: (call: WrappedCall, next: NextCall) => Outcome | Promise<Outcome>,
	rest: Partial<Middleware> = {},
): Middleware {
	return { name: "own", wrapToolCall, ...rest };
}

/** A middleware that changes the arguments of the calls whose places it names. */
export function rewriting(by: Readonly<Record<number, Standing | Readonly<Record<string, unknown>>>>): Middleware {
	return middlewareOf(({ name, args, index }, next) => {
		const change = by[index];
		return change === undefined ? next() : next({ name, args: { ...args, ...change } });
	});
}
