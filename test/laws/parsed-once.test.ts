// Law 12: arguments are parsed once, and everybody who asks about a call gets that value.

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { tool } from "../../engine/core/tool.js";
import type { Policy } from "../../engine/policy/policy.js";
import { benchOf, entriesOf, shorts } from "../support/law-kit.js";

/** A tool whose schema counts how often it parsed, and which keeps every value it was asked with. */
function counted(requiresApproval = false) {
	const seen: Record<string, unknown[]> = {};
	function keep<Answer>(who: string, args: unknown, answer: Answer): Answer {
		const values = seen[who] ?? [];
		seen[who] = values;
		values.push(args);
		return answer;
	}
	let parsed = 0;
	const parameters = z
		.object({ size: z.string().transform(Number), unit: z.string().default("mm") })
		.transform((args) => {
			parsed += 1;
			return { ...args, parsed };
		});
	const measured = tool({
		name: "measured",
		parameters,
		effect: (args) => keep("effect", args, "read" as const),
		isConcurrencySafe: (args) => keep("safety", args, true),
		requiresApproval: (args) => keep("approval", args, requiresApproval),
		lockKeys: (args) => keep("lock keys", args, []),
		observed: (args) => keep("stamp", args, "unmoved"),
		presentation: (args) => keep("presentation", args, { title: "measures" }),
		execute: (args) => keep("execute", args, args.size),
	});
	const policy: Policy = {
		name: "watches",
		admit: (_call, view) => keep("admit", view.args, "clear" as const),
		account: (_call, _outcome, view) => keep("account", view.args, undefined),
	};
	return { measured, policy, seen, times: () => parsed };
}

const call = { id: "a", name: "measured", args: { size: "12" } };

describe("Law 12: arguments are parsed once", () => {
	it("and whatever is asked about a call, policies and the tool get the very value the schema made", async () => {
		const { measured, policy, seen, times } = counted(true);
		const { engine } = benchOf({ tools: [measured], policies: [policy], asker: () => true });
		expect(shorts(await engine.executeWave([call]))).toEqual(["12"]);
		expect(times()).toBe(1);
		const value = { size: 12, unit: "mm", parsed: 1 };
		expect(Object.keys(seen).sort()).toEqual([
			"account",
			"admit",
			"approval",
			"effect",
			"execute",
			"lock keys",
			"presentation",
			"safety",
		]);
		expect(new Set(Object.values(seen).flat()).size).toBe(1);
		expect(seen.execute).toEqual([value]);
	});

	it("also when the call started ahead and was admitted later", async () => {
		const { measured, policy, times } = counted();
		const { engine } = benchOf({ tools: [measured], policies: [policy] });
		const step = engine.openStep({});
		step.offer(call);
		expect(shorts(await step.settle())).toEqual(["12"]);
		expect(times()).toBe(1);
	});

	it("and the ledger keeps them as the model wrote them", async () => {
		const { measured } = counted();
		const { engine, ledger } = benchOf({ tools: [measured] });
		await engine.executeWave([
			call,
			{ ...call, id: "b", args: '{"size": "7", "unit": "m"}' },
			{ ...call, id: "c", args: '{"size": 7' },
		]);
		const called = (await entriesOf(ledger)).filter(({ kind }) => kind === "tool_called");
		expect(called.map(({ data }) => data.args)).toEqual([{ size: "12" }, '{"size": "7", "unit": "m"}', '{"size": 7']);
	});

	it("and what the schema refuses never reaches effect, policies or the tool", async () => {
		const { measured, policy, seen } = counted();
		const { engine } = benchOf({ tools: [measured], policies: [policy] });
		const wave = await engine.executeWave([{ ...call, args: { size: 12 } }]);
		expect(shorts(wave)).toEqual(["INVALID_ARGUMENTS"]);
		expect(seen).toEqual({});
	});

	it("and a schema that throws, or answers by a promise, refuses that call alone", async () => {
		const throwing = z.object({}).transform(() => {
			throw new Error("the schema broke");
		});
		const later = z.object({ n: z.number() }).refine(async ({ n }) => n > 0);
		const { engine } = benchOf({
			tools: [
				tool({ name: "throwing", parameters: throwing, effect: "read", execute: () => 1 }),
				tool({ name: "later", parameters: later, effect: "read", execute: ({ n }) => n }),
			],
		});
		const wave = await engine.executeWave([
			{ id: "a", name: "throwing", args: {} },
			{ id: "b", name: "later", args: { n: 1 } },
			{ id: "c", name: "later", args: { n: 0 } },
		]);
		expect(shorts(wave)).toEqual(["INVALID_ARGUMENTS", "1", "INVALID_ARGUMENTS"]);
	});
});
