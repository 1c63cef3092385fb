// A policy of the host's own is checked before it can be one that nobody asks.

import { describe, expect, it } from "vitest";
import { createEngine, definePolicy, EngineError, type Policy, type ToolCall, tool } from "../../engine/index.js";
import { anything } from "../support/law-kit.js";

/** Lets one call pass; what it counts is private, so that only its own methods find it. */
class Counting implements Policy {
	readonly #passed: string[] = [];

	get name(): string {
		return "counting";
	}

	admit({ id }: ToolCall): ReturnType<NonNullable<Policy["admit"]>> {
		if (this.#passed.length > 0) return { deny: { rule: "one", violation: "One has passed.", alternative: "Wait." } };
		this.#passed.push(id);
		return "clear";
	}
}

describe("definePolicy", () => {
	it("gives the policy back, frozen", () => {
		const admit = () => "clear" as const;
		const policy = definePolicy({ name: "mine", admit });
		expect(policy).toEqual({ name: "mine", admit });
		expect(Object.isFrozen(policy)).toBe(true);
	});

	it.each<[string, () => Policy]>([
		["of its class", () => new Counting()],
		["of the class behind that", () => new (class extends Counting {})()],
	])("keeps the halves that an object has %s, and what they call themselves", async (_what, make) => {
		const policy = definePolicy(make());
		expect(policy.name).toBe("counting");
		const tell = tool({ name: "tell", parameters: anything, effect: "read", execute: () => 1 });
		const engine = createEngine({ tools: [tell], policies: [policy] });
		const calls = ["a", "b"].map((id) => ({ id, name: "tell", args: {} }));
		const { results } = await engine.executeWave(calls, { runId: "run" });
		expect(results.map(({ outcome }) => outcome.ok)).toEqual([true, false]);
		await engine.close();
	});

	it.each<[string, unknown, string]>([
		["nothing", undefined, "it is undefined, not an object"],
		["no name", { admit: () => "clear" }, "its name is undefined, not a text"],
		["an empty name", { name: "", admit: () => "clear" }, 'its name is "", not a text'],
		["no half", { name: "idle" }, "it has none of admit, begin, account, record"],
		["a half that is no function", { name: "odd", account: true }, "its account is true, not a function"],
		[
			"a misspelled half",
			{ name: "typo", acount: () => undefined },
			'"acount" is not known; perhaps "account" is meant',
		],
	])("refuses %s and says so", (_what, policy, problem) => {
		const define = () => definePolicy(policy as Policy);
		expect(define).toThrow(EngineError);
		expect(define).toThrow(
			expect.objectContaining({ code: "INVALID_OPTIONS", message: expect.stringContaining(problem) }),
		);
	});
});

it.each<[string, unknown, string]>([
	["nothing", undefined, "it is undefined, not an object"],
	["an empty name", { name: "", admit: () => "clear" }, 'its name is "", not a text'],
	[
		"no half that is spelled right",
		{ name: "typo", admitt: () => "clear" },
		"it has none of admit, begin, account, record",
	],
	["a half that is no function", { name: "odd", record: {} }, "its record is {}, not a function"],
	["a promise of a policy", Promise.resolve({ name: "late" }), "its name is undefined, not a text"],
])("an engine takes no policy with %s, defined or not", (_what, policy, problem) => {
	expect(() =>
		createEngine({ tools: [], policies: [definePolicy({ name: "ok", admit: () => "clear" }), policy as Policy] }),
	).toThrow(
		expect.objectContaining({
			code: "INVALID_OPTIONS",
			message: expect.stringContaining(`policies[1] is no policy: ${problem}`),
		}),
	);
});
