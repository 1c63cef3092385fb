// Middleware kit
//
// One tool whose every call says by its arguments how it stands: its effect, whether it may run beside others, how often
// it fails before it answers. So a middleware can make any call of any other.
//
// Owns:      that tool, and what it saw of calls beside each other.
// Does not:  assert anything.

import { z } from "zod";
import type { Effect } from "../../engine/core/effect.js";
import type { Outcome } from "../../engine/core/outcome.js";
import { type Tool, tool } from "../../engine/core/tool.js";
import type { Middleware, NextCall, WrappedCall } from "../../engine/index.js";

const parameters = z.object({
	n: z.number(),
	effect: z.enum(["read", "write", "egress"]).default("read"),
	safe: z.boolean().optional(),
	/** How many of its attempts throw before one answers. */
	fails: z.number().default(0),
	keys: z.array(z.string()).optional(),
});

export type DoArguments = z.infer<typeof parameters>;

export interface DoTool {
	readonly tool: Tool;
	/** The calls in the order they began, as `n`, and as `n as effect` where they are no reads. */
	readonly began: string[];
	/** Whatever may not have happened: what ran beside a call that is not safe. */
	readonly faults: string[];
	/** The most that ran at once. */
	mostAtOnce: number;
}

/** The tool `do`; each attempt waits for `hold`. */
export function doTool(hold: (label: string) => Promise<void> = async () => undefined): DoTool {
	const inside = new Set<DoArguments>();
	const attempts = new Map<number, number>();
	const seen: Omit<DoTool, "tool"> = { began: [], faults: [], mostAtOnce: 0 };
	const isSafe = ({ safe, effect }: DoArguments): boolean => safe ?? effect === "read";
	const enter = (args: DoArguments): void => {
		inside.add(args);
		seen.mostAtOnce = Math.max(seen.mostAtOnce, inside.size);
		seen.began.push(args.effect === "read" ? `${args.n}` : `${args.n} as ${args.effect}`);
		const alone = [...inside].find((one) => !isSafe(one));
		if (alone !== undefined && inside.size > 1) {
			seen.faults.push(`${[...inside].map(({ n }) => n).join(" beside ")}, and ${alone.n} is not safe`);
		}
	};
	const made = tool({
		name: "do",
		parameters,
		effect: ({ effect }): Effect => effect,
		isConcurrencySafe: isSafe,
		lockKeys: ({ keys = [] }) => keys,
		async execute(args) {
			enter(args);
			await hold(`do ${args.n}`);
			inside.delete(args);
			const attempt = (attempts.get(args.n) ?? 0) + 1;
			attempts.set(args.n, attempt);
			if (attempt <= args.fails) throw new Error(`attempt ${attempt} of ${args.n} failed`);
			return args.n;
		},
	});
	return Object.assign(seen, { tool: made });
}

/** Calls of `do`, each with an id of its own; a number is a read. */
export function callsOfDo(...asked: (number | Partial<DoArguments>)[]) {
	return asked.map((args, index) => ({
		id: `id-${index}`,
		name: "do",
		args: typeof args === "number" ? { n: args } : { n: index, ...args },
	}));
}

export function middlewareOf(
	wrapToolCall: (call: WrappedCall, next: NextCall) => Outcome | Promise<Outcome>,
	rest: Partial<Middleware> = {},
): Middleware {
	return { name: "own", wrapToolCall, ...rest };
}

/** A middleware that changes the arguments of the calls whose `n` it names. */
export function rewriting(by: Readonly<Record<number, Partial<DoArguments> | Record<string, unknown>>>): Middleware {
	return middlewareOf(({ name, args }, next) => {
		const change = by[args.n as number];
		return change === undefined ? next() : next({ name, args: { ...args, ...change } });
	});
}
