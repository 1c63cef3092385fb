// Scripted tools
//
// The tools of random waves. Each call carries a number `n`; what it answers is looked up under that number in the
// wave's script, so that two runs of one wave get the same answers, and when it answers is decided by `hold`.
//
// Owns:      the fixed set of tools, one for every way a call can stand towards scheduling, and how a script is played.
// Does not:  choose calls or answers (wave-arbitrary.ts).

import { z } from "zod";
import type { Effect } from "../../engine/core/effect.js";
import { type Tool, tool } from "../../engine/core/tool.js";

/** What a call of number `n` does: answers, throws at once, or rejects. */
export type Play =
	| { readonly kind: "answers"; readonly value: unknown }
	| { readonly kind: "throws"; readonly thrown: unknown }
	| { readonly kind: "rejects"; readonly thrown: unknown };

export interface Script {
	readonly plays: ReadonlyMap<number, Play>;
	/** Called as a tool starts; answered at once where it returns nothing. */
	readonly enter?: (name: string, n: number) => Promise<void> | undefined;
	readonly leave?: (name: string, n: number) => void;
}

interface Numbered {
	readonly n: number;
}

const byNumber = z.object({ n: z.number().int() });

/** How each tool stands: its effect, and whether it may run beside others. */
export const TOOLS = {
	look: { effect: "read" },
	peek: { effect: "read", render: "table" },
	convert: { effect: "read" },
	probe: { effect: "read", isConcurrencySafe: false },
	put: { effect: "write" },
	file: { effect: { write: "files" }, render: "diff" },
	note: { effect: "write", isConcurrencySafe: true },
	send: { effect: "egress" },
	fickle: { effect: "write", isConcurrencySafe: ({ n }: Numbered) => n % 2 === 0 },
	shifty: { effect: ({ n }: Numbered): Effect => (n % 2 === 0 ? "read" : "spawn") },
	doubtful: {
		effect: "read",
		isConcurrencySafe: (): boolean => {
			throw new Error("the check fails");
		},
	},
} satisfies Record<string, Partial<Pick<Tool, "effect" | "isConcurrencySafe" | "render">>>;

export type ToolName = keyof typeof TOOLS;

export const TOOL_NAMES = Object.keys(TOOLS) as ToolName[];

/** A fresh set of tools that plays a script. */
export function scriptedTools(script: Script): Tool[] {
	const names = TOOL_NAMES.filter((name) => name !== "convert");
	const numbered = names.map((name) => {
		return tool({ ...TOOLS[name], name, parameters: byNumber, execute: ({ n }) => play(script, name, n) });
	});
	// A schema that changes what it reads: parsed twice it would refuse its own output.
	const parameters = z.object({ n: z.number().int(), size: z.string().transform(Number).default(7) });
	const convert = tool({
		...TOOLS.convert,
		name: "convert",
		parameters,
		execute: async ({ n, size }) => ({ size, played: await play(script, "convert", n) }),
	});
	return [...numbered, convert];
}

function play(script: Script, name: string, n: number): unknown {
	const entered = script.enter?.(name, n);
	const end = (): unknown => {
		script.leave?.(name, n);
		const played = script.plays.get(n) ?? { kind: "answers", value: n };
		if (played.kind === "answers") return played.value;
		if (played.kind === "throws") throw played.thrown;
		return Promise.reject(played.thrown);
	};
	return entered === undefined ? end() : entered.then(end);
}
