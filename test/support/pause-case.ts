// Pause case
//
// Random waves whose calls ask, or must be approved, as plain data: what is called, what a person says to each question,
// in which order they say it, and where the wave is taken to another engine in between.
//
// Owns:      the shape of a case, its tools and policies.
// Does not:  run one (pause-driver.ts).

import fc from "fast-check";
import type { ToolCall } from "../../engine/core/call.js";
import type { JsonValue } from "../../engine/core/json-value.js";
import { answered } from "../../engine/core/outcome.js";
import type { Tool, ToolDefinition } from "../../engine/core/tool.js";
import type { Policy } from "../../engine/index.js";
import { toolOf } from "./law-kit.js";
import { settled } from "./manual-clock.js";
import type { Going } from "./serial-reference.js";

/** How each tool stands; the number of a call says how often it asks. */
const KINDS = {
	look: { effect: "read" },
	probe: { effect: "read", isConcurrencySafe: false },
	put: { effect: "write" },
	note: { effect: "write", isConcurrencySafe: true },
	ask: { effect: "read", mayAsk: true },
	askput: { effect: "write", mayAsk: true },
	asknote: { effect: "write", isConcurrencySafe: true, mayAsk: true },
	gated: { effect: "read", requiresApproval: true },
	gatedput: { effect: "write", requiresApproval: true },
	gatedask: { effect: "write", requiresApproval: true, mayAsk: true },
	fail: { effect: "read" },
	deep: { effect: "write", mayAsk: true },
	deepread: { effect: "read", mayAsk: true },
} satisfies Record<string, Partial<ToolDefinition>>;

type Kind = keyof typeof KINDS;

export interface PauseCase {
	readonly calls: readonly ToolCall[];
	/** By the call's number: whether a person approves it. */
	readonly approved: readonly boolean[];
	readonly going: readonly Going[];
	/** Numbers of calls that a policy wants a person asked about; no policies at all where it is left out. */
	readonly wary: readonly number[] | undefined;
	/** Calls that a policy clears before it refuses. */
	readonly budget: number;
	readonly schedule: "serial" | "leading-reads" | "barriers";
	readonly maxParallelToolCalls: number;
	readonly stopOnError: boolean;
	/** Which open questions are answered next, and whether the wave goes on in another engine. */
	readonly picks: readonly number[];
}

const names = fc.constantFrom<string>(
	...(Object.keys(KINDS) as Kind[]),
	"look",
	"look",
	"ask",
	"ask",
	"gated",
	"missing",
);

/** With calls that call, no policy counts: what a nested call finds accounted is a matter of time in any schedule. */
export function pauseCases(nested: boolean): fc.Arbitrary<PauseCase> {
	const own = nested ? names : names.filter((name) => !name.startsWith("deep"));
	const usually = <Value>(common: Value, weight: number, rare: Value) =>
		fc.oneof({ weight, arbitrary: fc.constant(common) }, { weight: 1, arbitrary: fc.constant(rare) });
	const going = fc.oneof(
		{ weight: 30, arbitrary: fc.constant<Going>("go") },
		{ weight: 1, arbitrary: fc.constant<Going>("cancel") },
		{ weight: 2, arbitrary: fc.constant<Going>({ steer: "look left" }) },
	);
	const call = fc.record({ name: own, repeats: usually(false, 12, true), approved: usually(true, 2, false), going });
	return fc
		.record({
			specs: fc.array(call, { minLength: 1, maxLength: 8 }),
			wary: fc.option(fc.uniqueArray(fc.nat(7), { maxLength: 3 }), { nil: undefined }),
			budget: fc.integer({ min: 1, max: 9 }),
			schedule: fc.constantFrom<PauseCase["schedule"]>("serial", "leading-reads", "barriers", "barriers"),
			maxParallelToolCalls: fc.integer({ min: 1, max: 4 }),
			stopOnError: usually(false, 4, true),
			picks: fc.array(fc.nat(31), { minLength: 1, maxLength: 12 }),
		})
		.map(({ specs, wary, ...rest }) => {
			const calls: ToolCall[] = [];
			for (const [index, { name, repeats }] of specs.entries()) {
				const before = calls[index - 1];
				calls.push(repeats && before !== undefined ? before : { id: `call-${index}`, name, args: { n: index } });
			}
			return {
				...rest,
				wary: nested ? undefined : wary,
				calls,
				approved: specs.map((one) => one.approved),
				going: specs.map((one) => one.going),
			};
		});
}

/** What a person says to the question of this number of the call with this number; falsy answers too. */
export function answerTo(n: number, time: number): JsonValue {
	return [false, null, 0, "", { n, time }][(n + time) % 5] ?? null;
}

/** Fresh tools; `acted` is told of each that does something that must not be done twice. */
export function askingTools(acted: (what: string) => void): Tool[] {
	return Object.entries(KINDS).map(([name, kind]) =>
		toolOf(
			name,
			async ({ n = 0 }, { interrupt, invokeTool }) => {
				await settled(n % 2);
				if (name === "fail") throw new Error(`fail ${n}`);
				if (name.startsWith("deep")) {
					const write = name === "deep" ? "put" : "look";
					const first = await invokeTool(write, { n: n + 100 });
					const asked = await invokeTool("ask", { n: n + 200 }).catch((error: Error) => error.message);
					const gated = await invokeTool("gated", { n }).catch((error: { code: string }) => error.code);
					return [first, asked, gated, await interrupt({ question: n, time: 1 })];
				}
				const said: JsonValue[] = [];
				const times = name.includes("ask") ? 1 + (n % 2) : 0;
				for (let time = 1; time <= times; time += 1) said.push(await interrupt({ question: n, time }));
				acted(`${name} ${n}`);
				return [name, n, ...said];
			},
			kind as Partial<ToolDefinition>,
		),
	);
}

/** Policies that count at admission and mark at accounting, so that a different order of either shows. */
export function countingPolicies({ wary, budget }: PauseCase): Policy[] {
	if (wary === undefined) return [];
	let cleared = 0;
	let accounted = 0;
	const numberOf = (args: unknown): number => (args as { n: number }).n;
	return [
		{ name: "wary", admit: (_call, { args }) => (wary.includes(numberOf(args)) ? { ask: "Is it fine?" } : "clear") },
		{
			name: "count",
			admit(call, { args }) {
				if (cleared >= budget) {
					const violation = `${cleared} are cleared and ${accounted} accounted`;
					return { deny: { rule: "count", violation, alternative: "Stop." } };
				}
				cleared += 1;
				return numberOf(args) === 6 ? { answer: answered([call.name, "from memory", cleared, accounted]) } : "clear";
			},
			account(_call, outcome) {
				accounted += 1;
				return outcome.ok ? answered([outcome.value, cleared, accounted]) : undefined;
			},
		},
	];
}
