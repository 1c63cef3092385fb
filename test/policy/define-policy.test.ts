// A policy of the host's own is checked before it can be one that nobody asks.

import { describe, expect, it } from "vitest";
import { definePolicy, EngineError, type Policy } from "../../engine/index.js";

describe("definePolicy", () => {
	it("gives the policy back, frozen", () => {
		const admit = () => "clear" as const;
		const policy = definePolicy({ name: "mine", admit });
		expect(policy).toEqual({ name: "mine", admit });
		expect(Object.isFrozen(policy)).toBe(true);
	});

	it.each<[string, unknown, string]>([
		["nothing", undefined, "it is undefined, not an object"],
		["no name", { admit: () => "clear" }, "its name is undefined, not a text"],
		["an empty name", { name: "", admit: () => "clear" }, 'its name is "", not a text'],
		["no half", { name: "idle" }, "it has none of admit, account, record"],
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
